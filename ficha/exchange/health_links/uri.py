"""The link that is given to somebody: where its files are, their key, and our page that opens it."""

from typing import NamedTuple

from ficha.exchange.health_links.links import IssuedHealthLink
from ficha.exchange.health_links.payload import flags, link_payload, link_text

# Short: of 128 letters 43 are the secret's.
PATH = "/shl"
# Our page that opens links. What follows the `#` never leaves the browser.
VIEWER_PATH = "/ver"


class LinkUri(NamedTuple):
    bare: str
    for_viewer: str


def link_uri(base: str, made: IssuedHealthLink, record_key: bytes) -> LinkUri:
    link = made.link
    flag = flags(long_term=link.long_term, has_passcode=link.has_passcode, direct=link.direct)
    payload = link_payload(f"{base}{PATH}/{made.secret}", made.key, link.ends_at, flag, link.label(record_key))
    bare = link_text(payload)
    return LinkUri(bare, f"{base}{VIEWER_PATH}#{bare}")
