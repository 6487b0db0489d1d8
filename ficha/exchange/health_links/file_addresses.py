"""The address of a file that is too long to be embedded: signed, for this file of this link, and short-lived."""

import hmac
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ficha.core.secrets import Secrets
from ficha.exchange.health_links.files import FileKind
from ficha.exchange.jose import to_base64url

# An hour at most, by the specification. Who has the manifest fetches what is in it at once.
MINUTES = 10
SECRET = "health-link-file"  # noqa: S105  The name of the secret.

# In the description of the API: the reference shows its own in the place of this one.
EXAMPLE_MARK = "s.1.1794830400.uW4x"


class AskedFile(NamedTuple):
    link_id: int
    kind: FileKind


def file_mark(secrets: Secrets, link_id: int, kind: FileKind, now: datetime) -> str:
    """`<kind>.<link>.<end in seconds>.<signature>`."""
    ends = int((now + timedelta(minutes=MINUTES)).timestamp())
    told = f"{kind}.{link_id}.{ends}"
    return f"{told}.{_signature(secrets, told)}"


def asked_file(secrets: Secrets, mark: str, now: datetime) -> AskedFile | None:
    """None if it is not ours or has ended."""
    told, _, signature = mark.rpartition(".")
    if not hmac.compare_digest(_signature(secrets, told).encode(), signature.encode("utf-8", "surrogatepass")):
        return None
    kind, link_id, ends = told.split(".")
    if datetime.fromtimestamp(int(ends), UTC) <= now:
        return None
    return AskedFile(int(link_id), FileKind(kind))


def _signature(secrets: Secrets, told: str) -> str:
    return to_base64url(secrets.keyed_hash(SECRET, told))
