"""What somebody sends for a record, read with what this service is made of: by the API and by the pages. It may be a
link, whose files are fetched from its server while she waits: that asks, changes nothing, and is tried once."""

from datetime import datetime
from threading import BoundedSemaphore
from typing import NamedTuple

from starlette.requests import Request

from ficha.accounts.tokens import Caller
from ficha.asgi.threads import ServerBusy
from ficha.exchange.health_links.reading import MOST_LETTERS, is_health_link
from ficha.exchange.imports.cards import CardSigners, fetch_json
from ficha.exchange.imports.files import Documents, codes_in, is_picture, read_document, text_in, within_bounds
from ficha.exchange.imports.link_fetching import LinkCaller
from ficha.exchange.imports.links import read_link
from ficha.exchange.issuer_keys import issuer_keys
from ficha.exchange.trusted_issuers import OWN_NAME
from ficha.http.limits import Limiter, RateLimit
from ficha.parts import Parts
from ficha.photos.photos import texts_in_picture

# Links that this process fetches at once: fewer than half of the threads that wait for others (asgi/threads.py), so
# that servers that never finish leave the rest to photos and messages.
FETCHED_AT_ONCE = BoundedSemaphore(8)


class SentDocument(NamedTuple):
    """`passcode`: of a link that asks for one."""

    content: bytes
    passcode: str = ""


class Importing(NamedTuple):
    """With what and for whom it is read."""

    request: Request
    parts: Parts
    limiter: Limiter
    caller: Caller
    language: str
    now: datetime


def read_sent(sent: SentDocument, importing: Importing) -> Documents:
    """No transaction is open meanwhile. Raises why it is refused."""
    parts = importing.parts
    importing.limiter.hit(importing.request, RateLimit.PICTURE, str(importing.caller.account_id))
    content = text_in(sent.content)
    if not is_picture(content):
        return _read_text(content, sent.passcode, importing)
    codes = codes_in(texts_in_picture(parts.photo_reader, sent.content, parts.settings.picture_pixels))
    return within_bounds(document for one in codes for document in _read_text(one.encode(), sent.passcode, importing))


def _read_text(content: bytes, passcode: str, importing: Importing) -> Documents:
    with importing.parts.database.reading() as tx:
        own_keys = {"keys": [key.public for key in issuer_keys(tx)]}
    signers = CardSigners(importing.parts.trusted_issuers, own_keys, fetch_json)
    text = content[: 2 * MOST_LETTERS].decode("utf-8-sig", "replace")
    if not is_health_link(text):
        return read_document(content, importing.language, importing.now, signers)
    settings = importing.parts.settings
    caller = LinkCaller(
        f"{OWN_NAME} ({settings.public_url})",
        importing.language,
        settings.health_link_seconds,
        allows_http=not settings.in_production,
        allows_private=settings.health_link_private,
    )
    importing.limiter.hit(importing.request, RateLimit.HEALTH_LINK_IMPORT, str(importing.caller.account_id))
    if not FETCHED_AT_ONCE.acquire(blocking=False):
        raise ServerBusy
    try:
        return read_link(text, passcode.strip(), caller, importing.now, signers)
    finally:
        FETCHED_AT_ONCE.release()
