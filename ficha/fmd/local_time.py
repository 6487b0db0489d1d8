"""A moment as text, in the time zone of the person."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from ficha.fmd.translations import Translated

LOCAL_TIME = Translated("{} (hora de {})", "{} ({} time)", "{} (hora de {})")


def local_time_text(at: datetime, zone: str, language: str) -> str:
    """With the name of the zone, because the reader may be in another. In UTC if the zone is unknown."""
    try:
        local = at.astimezone(ZoneInfo(zone)) if zone else None
    except (KeyError, ValueError, OSError):  # A zone that this machine does not know.
        local = None
    if local is None:
        return f"{at.astimezone(UTC):%H:%M} UTC"
    city = zone.rpartition("/")[2].replace("_", " ")
    return LOCAL_TIME.in_language(language).format(f"{local:%H:%M}", city)
