"""A moment as people where the person lives would say it."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from ficha.fmd.translations import Translated

LOCAL_TIME = Translated("{} (hora de {})", "{} ({} time)", "{} (hora de {})")


def time_said(at: datetime, zone: str, language: str) -> str:
    """In the person's own zone, which is named: whoever reads it may be in another."""
    try:
        local = at.astimezone(ZoneInfo(zone)) if zone else None
    except (KeyError, ValueError, OSError):  # A zone that this machine does not know.
        local = None
    if local is None:
        return f"{at.astimezone(UTC):%H:%M} UTC"
    city = zone.rpartition("/")[2].replace("_", " ")
    return LOCAL_TIME.in_language(language).format(f"{local:%H:%M}", city)
