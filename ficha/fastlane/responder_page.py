"""The responder page in the lane: one statement, the read written down, and the bytes. What is out of the ordinary, an
alert under way or broken glass, goes on to the application behind."""

import hmac
from datetime import datetime
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.types import Scope

from ficha.core.crypto import Wrapped
from ficha.core.ids import CODE_LENGTH
from ficha.fastlane.paths import EITHER_CASE
from ficha.fastlane.response_headers import LaneResponse
from ficha.fastlane.statements import scan_statement
from ficha.fastlane.stores import Store
from ficha.http.address import Network, address_of
from ficha.parts import Parts
from ficha.products.product import tag_hash
from ficha.web.kit.language import language_of
from ficha.web.kit.small_pages.response import encode_page
from ficha.web.sticker.opened_record import OpenedRecord, SealedEntry
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.script import SCRIPT

ROUTE = "/e/{code}/{tag}"
TAG_LENGTH = 26
HTML = b"text/html; charset=utf-8"
FIRST_ENTRY = 6


class Responder:
    def __init__(self, parts: Parts, store: Store, trusted: tuple[Network, ...]) -> None:
        self._parts = parts
        self._store = store
        self._trusted = trusted
        self._statement = scan_statement(is_sqlite=parts.database.is_sqlite)

    async def page(self, scope: Scope, headers: dict[bytes, bytes], code: str, tag: str) -> LaneResponse | None:
        """None for what the application behind has to answer."""
        if b"ficha_glass=" in headers.get(b"cookie", b"") or b"mas=" in scope["query_string"]:
            return None
        rows = await self._store.rows(self._statement, (code,))
        if not rows or rows[0][0] is None or not hmac.compare_digest(rows[0][0], tag_hash(tag)):
            return None
        _, record_id, key_id, wrapped, idioma, alert = rows[0][:FIRST_ENTRY]
        if alert is not None or key_id is None:
            return None
        now = self._parts.clock.now()
        key = self._parts.keyring.unwrap(Wrapped(key_id, wrapped), f"record:{record_id}")  # As Record.key_place.
        entries = [
            SealedEntry(
                row[FIRST_ENTRY],
                row[FIRST_ENTRY + 1],
                datetime.fromisoformat(self._store.wire(row[FIRST_ENTRY + 2])),
                row[-1],
            )
            for row in rows
            if row[FIRST_ENTRY] is not None
        ]
        opened = OpenedRecord(code, tag, record_id, key, entries, idioma or "")
        # The read is noted before the page is shown.
        origin = self._origin(scope)
        self._parts.reads.note(record_id, "tag", "record.read", opened.models, now, via="tag", origin=origin)
        request = Request(scope)
        page = render_opened(opened, language_of(request), now)
        body, more = encode_page(page, request.headers.get("accept-encoding", ""), SCRIPT)
        pairs = [(name.lower().encode(), value.encode()) for name, value in more.items() if name != "Content-Type"]
        return LaneResponse(200, body, pairs, HTML)

    def _origin(self, scope: Scope) -> str:
        client: Any = scope.get("client")
        return address_of(HTTPConnection(scope), self._trusted) if self._trusted else client[0] if client else ""


def sticker_in(path: str) -> tuple[str, str] | None:
    """Code and tag, upper case, of `/e/K7M2QX/…` or `/E/K7M2QX/…`. None for whatever is not ours."""
    if path[:3] not in ("/e/", "/E/"):
        return None
    code, _, tag = path[3:].partition("/")
    if len(code) != CODE_LENGTH or code.strip(EITHER_CASE) or len(tag) != TAG_LENGTH or not tag.isalnum():
        return None
    return code.upper(), tag.upper()
