"""/admin/emergencias: the queue of those that wait for staff, and one of them. To open one is written down."""

from datetime import datetime
from typing import Literal

from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.emergency_access import (
    QueuedEmergency,
    VisibleEmergency,
    VisibleStep,
    lines_of_visible,
    note_look,
    staff_queue,
    visible_emergency,
)
from ficha.emergencies.positions import MapProvider, map_url
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.web.console.sections import Columns, MenuSection, table_of
from ficha.web.console.staff_access import StaffVisit
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import PAGE_SIZE, Filter, FilterChoice, RowAction, RowNumber, moment
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "emergencies")

section = MenuSection("emergencies", PHRASES)
routes, PATH = section.routes, section.path


def _last_step(t: Translate, each: QueuedEmergency) -> str | None:
    channel, state = section.word_of(t, "channel", each.channel), section.word_of(t, "step", each.step_state)
    return f"{channel}: {state} ({each.steps})" if each.steps else None


def _step_state(t: Translate, seen: VisibleStep) -> str:
    return section.word_of(t, "step", seen.step.state) + (f" ({seen.step.reason})" if seen.step.reason else "")


def _answer(t: Translate, seen: VisibleStep) -> str | None:
    answer = seen.called.answer if seen.called else None
    return t(f"answer_{answer}") if answer else None


QUEUE: Columns[QueuedEmergency] = {
    "number": lambda _t, each: each.id,
    "state": lambda t, each: t(f"state_{each.state}"),
    "since": lambda _t, each: each.staff_at,
    "opened": lambda _t, each: each.opened_at,
    "scans": lambda _t, each: each.scans,
    "ladder": _last_step,
}
STEPS: Columns[VisibleStep] = {
    "step": lambda _t, seen: seen.step.place,
    "whom": lambda _t, seen: seen.contact.relacion or None,
    "channel": lambda t, seen: section.word_of(t, "channel", seen.step.channel),
    "state": _step_state,
    "opened": lambda _t, seen: seen.step.started_at,
    "answer": _answer,
}


@routes.page(PATH)
def queue_page(
    reading: Reading, visit: StaffVisit, cuales: Literal["", "terminadas"] = "", cursor: Cursor = None
) -> Response:
    t, is_live = section.translate(visit), not cuales
    start = row_before(cursor, 0 if is_live else MAX_ID)
    found = staff_queue(reading, is_live=is_live, from_id=start, limit=PAGE_SIZE + 1)
    choices = [FilterChoice("", t("under_way")), FilterChoice("terminadas", t("ended"))]
    return section.show_list(
        visit,
        QUEUE,
        found,
        cursor,
        filters=[Filter("cuales", t("which"), choices, cuales)],
        actions=lambda each: [RowAction(t("see_details"), f"{PATH}/{each.id}", str(each.id))],
    )


@routes.page(PATH + "/{emergency_id}")
def emergency_page(
    reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, address: Address, emergency_id: RowNumber
) -> Response:
    """As the operation `Emergency` shows it to staff: with the place, without the names of the family."""
    seen = visible_emergency(reading, parts.keyring, visit.caller, emergency_id, now, Timeouts.of(parts.settings))
    note_look(parts.read_log, seen, visit.caller, now, origin=address)
    t = section.translate(visit)
    place, map_link = _place(t, seen, now)
    return section.show(
        visit,
        "console/emergency.html",
        title=t("emergency", id=seen.emergency.id),
        emergency=seen.emergency,
        told=headline(Reader.DESK, lines_of_visible(seen, now), language_of(visit.request)),
        since=moment(seen.emergency.staff_at),
        opened=moment(seen.emergency.opened_at),
        place=place,
        map_link=map_link,
        steps=table_of(t, PATH, STEPS, seen.steps, "steps_none"),
    )


def _place(t: Translate, seen: VisibleEmergency, now: datetime) -> tuple[str, str]:
    """Where it is in words, and the address of a map; both empty if nobody said."""
    known = seen.position
    if known is None:
        return "", ""
    minutes = int(known.age(now).total_seconds() // 60)
    meters = "?" if known.accuracy_m is None else round(known.accuracy_m)
    where = f"{known.lat:.5f}, {known.lng:.5f} ({t('place_age', minutes=minutes, meters=meters)})"
    return where, map_url(MapProvider.GOOGLE, known.lat, known.lng)
