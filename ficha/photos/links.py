"""Links of our own to a photo, signed and short-lived: whoever has one sees that photo, and nothing else."""

import hmac
from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ficha.core.secrets import Secrets

MARK_BYTES = 16
SECRET = "photo-link"  # noqa: S105  The name of the secret.
THUMBNAIL, WHOLE = "t", "f"


class PhotoLink(NamedTuple):
    name: str
    is_thumbnail: bool


def link_to(secrets: Secrets, name: str, now: datetime, minutes: float, *, thumbnail: bool = False) -> str:
    """`<what><end in seconds>.<name>.<signature>`."""
    ends = int((now + timedelta(minutes=minutes)).timestamp())
    told = f"{THUMBNAIL if thumbnail else WHOLE}{ends}.{name}"
    return f"{told}.{_mark(secrets, told)}"


def opened_link(secrets: Secrets, link: str, now: datetime) -> PhotoLink | None:
    """None if it is not ours or has ended."""
    told, _, mark = link.rpartition(".")
    if not hmac.compare_digest(_mark(secrets, told).encode(), mark.encode()):
        return None
    ends, _, name = told[1:].partition(".")
    if datetime.fromtimestamp(int(ends), UTC) <= now:
        return None
    return PhotoLink(name, told[0] == THUMBNAIL)


def _mark(secrets: Secrets, told: str) -> str:
    return urlsafe_b64encode(secrets.keyed_hash(SECRET, told)[:MARK_BYTES]).decode().rstrip("=")
