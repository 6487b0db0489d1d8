"""Times as the pages of staff show them: in the time zone of the deployment, which they name."""

from datetime import datetime
from zoneinfo import ZoneInfo

from starlette.requests import Request

from ficha.parts import Parts


def shown_time(request: Request, at: datetime) -> str:
    parts: Parts = request.app.state.parts
    local = at.astimezone(ZoneInfo(parts.settings.time_zone))
    return f"{local:%Y-%m-%d %H:%M} {local.tzname()}"
