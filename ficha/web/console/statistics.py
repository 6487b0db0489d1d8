"""/admin/estadisticas: how the service did in the last days, as plots with their figures. Counts only, of nobody."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Annotated, Literal, NamedTuple

from fastapi import Query
from starlette.responses import Response

from ficha.emergencies.channels.catalog import CHANNELS
from ficha.fmd.dates_and_amounts import date_text
from ficha.http.dependencies import Now, Parts, Reading
from ficha.statistics.day_counts import ChannelCounts
from ficha.statistics.days import DayRow, channels_since, day_of, days_since
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import moment
from ficha.web.kit.plots import Plot, bars_of, line_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "statistics")

section = MenuSection("statistics", PHRASES)
routes = section.routes

PERIODS = ("7", "30", "90")
Period = Annotated[Literal["7", "30", "90"], Query(alias="dias")]
NOT_KNOWN = "–"
Value = Callable[[DayRow], int | None]

# The plots of one number a day: its key and the number, those before the channels and those after.
ALERTS: tuple[str, Value] = ("alerts", lambda day: day.alerts)
OTHERS: Sequence[tuple[str, Value]] = (
    ("scans", lambda day: day.scans),
    ("overdue", lambda day: day.overdue_jobs),
    ("failed", lambda day: day.failed_messages),
)


class Share(NamedTuple):
    words: str
    percent: int | None


class ChannelLine(NamedTuple):
    name: str
    tried: int
    delivered: Share
    answered: Share


class Days(NamedTuple):
    """Each day of the period in words, with its figures where it was counted."""

    names: Sequence[str]
    rows: Sequence[DayRow | None]

    def values(self, value: Value) -> list[int | None]:
        return [None if row is None else value(row) for row in self.rows]


@routes.page(section.path)
def statistics_page(reading: Reading, parts: Parts, visit: StaffVisit, now: Now, period: Period = "30") -> Response:
    t, language = section.translate(visit), language_of(visit.request)
    first = day_of(now, parts.settings.time_zone) - timedelta(days=int(period) - 1)
    counted = days_since(reading, first)
    days = _days(first, int(period), counted, language)
    channels = channels_since(reading, first)
    return section.show(
        visit,
        "console/statistics.html",
        title=t("statistics"),
        periods=PERIODS,
        period=period,
        path=section.path,
        counted=moment(max(row.counted_at for row in counted)) if counted else None,
        alerts=_bars(t, days, *ALERTS),
        answers=_answers(t, days),
        channels=[
            _channel(one.words.in_language(language), channels[one.name]) for one in CHANNELS if one.name in channels
        ],
        others=[_bars(t, days, *other) for other in OTHERS],
    )


def _days(first: date, number: int, counted: Sequence[DayRow], language: str) -> Days:
    known = {row.day: row for row in counted}
    days = [first + timedelta(days=later) for later in range(number)]
    return Days([date_text(day.isoformat(), language) for day in days], [known.get(day) for day in days])


def _bars(t: Translate, days: Days, name: str, value: Value) -> Plot:
    values = days.values(value)
    known = [each for each in values if each is not None]
    highest, title = max(known, default=0), t(name)
    summary = t(f"{name}_sum", sum=sum(known), highest=highest)
    return _plot(
        t,
        days,
        name,
        summary=summary,
        top=str(highest),
        columns=[title],
        rows=[[_text(each)] for each in values],
    )._replace(bars=bars_of(values))


def _answers(t: Translate, days: Days) -> Plot:
    median, slow = days.values(lambda day: day.median_seconds), days.values(lambda day: day.slow_seconds)
    highest = max((each for each in slow if each is not None), default=0)
    alerts, answered = (
        sum(each or 0 for each in days.values(value)) for value in (ALERTS[1], lambda day: day.answered)
    )
    rows = [
        [_text(number), duration(half), duration(most)]
        for number, half, most in zip(days.values(lambda day: day.answered), median, slow, strict=True)
    ]
    lines = [line_of(t("median"), median, highest), line_of(t("slow"), slow, highest)]
    return _plot(
        t,
        days,
        "answers",
        summary=t("answers_sum", answered=answered, alerts=alerts, slowest=duration(highest or None)),
        top=duration(highest or None),
        columns=[t("answered"), t("median"), t("slow")],
        rows=rows,
    )._replace(lines=lines)


def _plot(
    t: Translate, days: Days, name: str, *, summary: str, top: str, columns: list[str], rows: list[list[str]]
) -> Plot:
    ends = days.names[0], days.names[-1]
    return Plot(
        name,
        t(name),
        summary,
        f"{t('from_to', first=ends[0], last=ends[1])} {summary}",
        len(days.names),
        top,
        ends,
        [t("day"), *columns],
        [[day, *row] for day, row in zip(days.names, rows, strict=True)],
    )


def _channel(name: str, counts: ChannelCounts) -> ChannelLine:
    shares = [_share(number, counts.tried) for number in (counts.delivered, counts.answered)]
    return ChannelLine(name[:1].upper() + name[1:], counts.tried, *shares)


def _share(number: int, of: int) -> Share:
    percent = round(number * 100 / of) if of else None
    # A sign of percent is never alone on a line.
    return Share(f"{number} ({percent}\N{NO-BREAK SPACE}%)" if of else str(number), percent)


def _text(value: int | None) -> str:
    return NOT_KNOWN if value is None else str(value)


def duration(seconds: int | None) -> str:
    """`45 s`, `2 min 5 s`, `1 h 3 min`: the same in every language."""
    if seconds is None:
        return NOT_KNOWN
    minutes, rest = divmod(seconds, 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
