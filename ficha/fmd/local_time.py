"""A moment as text, in the time zone of the person."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.translations import Translated

LOCAL_TIME = Translated("{} (hora de {})", "{} ({} time)", "{} (hora de {})")
TODAY = Translated("hoy a las {}", "today at {}", "hoje às {}")
YESTERDAY = Translated("ayer a las {}", "yesterday at {}", "ontem às {}")
WEEKDAYS = (
    Translated("el lunes a las {}", "on Monday at {}", "na segunda-feira às {}"),
    Translated("el martes a las {}", "on Tuesday at {}", "na terça-feira às {}"),
    Translated("el miércoles a las {}", "on Wednesday at {}", "na quarta-feira às {}"),
    Translated("el jueves a las {}", "on Thursday at {}", "na quinta-feira às {}"),
    Translated("el viernes a las {}", "on Friday at {}", "na sexta-feira às {}"),
    Translated("el sábado a las {}", "on Saturday at {}", "no sábado às {}"),
    Translated("el domingo a las {}", "on Sunday at {}", "no domingo às {}"),
)
ON_DAY = Translated("el {} a las {}", "on {} at {}", "em {} às {}")
WEEK = 7


def zone_with(name: str) -> tzinfo:
    """UTC if there is no such zone, or this machine does not know it."""
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        return UTC


def zone_text(name: str) -> str:
    """The city that a zone is named after."""
    return "UTC" if zone_with(name) is UTC else name.rpartition("/")[2].replace("_", " ")


def local_time_text(at: datetime, zone: str, language: str) -> str:
    """With the name of the zone, because the reader may be in another. In UTC if the zone is unknown."""
    known = zone_with(zone)
    if known is UTC:
        return f"{at.astimezone(UTC):%H:%M} UTC"
    return LOCAL_TIME.in_language(language).format(f"{at.astimezone(known):%H:%M}", zone_text(zone))


def day_text(at: datetime, zone: str, language: str) -> str:
    """`16 nov 2026`: the day that it was there."""
    return date_text(at.astimezone(zone_with(zone)).date().isoformat(), language)


def moment_text(at: datetime, now: datetime, zone: str, language: str) -> str:
    """Day and hour as one says them: the day of the week as long as there is only one such day."""
    known = zone_with(zone)
    local, today = at.astimezone(known), now.astimezone(known).date()
    hour, day = f"{local:%H:%M}", local.date()
    if day == today:
        return TODAY.in_language(language).format(hour)
    if day == today - timedelta(days=1):
        return YESTERDAY.in_language(language).format(hour)
    if timedelta(0) < today - day < timedelta(days=WEEK):
        return WEEKDAYS[day.weekday()].in_language(language).format(hour)
    return ON_DAY.in_language(language).format(date_text(day.isoformat(), language), hour)
