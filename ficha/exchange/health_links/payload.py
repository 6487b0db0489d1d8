"""A Health Link as text: its payload, and that as `shlink:/…`, alone or behind our page that opens it."""

import json
from datetime import datetime
from typing import Any, NamedTuple

from ficha.exchange.health_links.links import IssuedHealthLink
from ficha.exchange.jose import to_base64url

SCHEME = "shlink:/"
VERSION = 1
# Of the manifest's address, by the specification.
LONGEST_URL = 128
# Where its files are. Short: of those letters 43 are the secret's.
PATH = "/shl"
# Our page that opens links. What follows the `#` never leaves the browser.
VIEWER_PATH = "/ver"


def flags(*, long_term: bool, has_passcode: bool, direct: bool) -> str:
    """Their letters, in the order of the alphabet."""
    return "".join(letter for letter, is_set in (("L", long_term), ("P", has_passcode), ("U", direct)) if is_set)


def link_payload(url: str, key: str, ends_at: datetime, flag: str, label: str) -> dict[str, Any]:
    """What the link holds. `exp` is a hint for whoever reads it: the server knows when it ends."""
    if len(url) > LONGEST_URL:
        raise ValueError(f"the address of a Health Link has at most {LONGEST_URL} letters")
    told = {"url": url, "key": key, "exp": int(ends_at.timestamp()), "flag": flag, "label": label, "v": VERSION}
    return {name: value for name, value in told.items() if value != ""}


def link_text(payload: dict[str, Any]) -> str:
    """Minified, in base64url, behind its scheme."""
    minified = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
    return f"{SCHEME}{to_base64url(minified.encode())}"


class LinkUri(NamedTuple):
    bare: str
    for_viewer: str


def link_uri(base: str, made: IssuedHealthLink, record_key: bytes) -> LinkUri:
    link = made.link
    flag = flags(long_term=link.long_term, has_passcode=link.has_passcode, direct=link.direct)
    payload = link_payload(f"{base}{PATH}/{made.secret}", made.key, link.ends_at, flag, link.label(record_key))
    bare = link_text(payload)
    return LinkUri(bare, f"{base}{VIEWER_PATH}#{bare}")
