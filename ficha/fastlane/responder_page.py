"""The responder page in the lane: one statement, the read written down, and the bytes. What is out of the ordinary, an
alert under way, broken glass or a contact who wants no alerts, goes on to the application behind."""

from functools import cache

from starlette.requests import Request
from starlette.types import Scope

from ficha.core.crypto import Wrapped
from ficha.fastlane.callers import origin_of
from ficha.fastlane.response_headers import Headers, LaneResponse
from ficha.fastlane.statements import changes_statement, scan_statement
from ficha.fastlane.store import Store
from ficha.fmd.entries import SealedEntry
from ficha.fmd.records import key_place_of
from ficha.fmd.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules, withdrawn_in
from ficha.http.address import TrustedProxies
from ficha.parts import Parts
from ficha.products.product import tag_matches
from ficha.web.kit.language import asked_language, preferred_language, region_in
from ficha.web.kit.small_pages.compression import encoded
from ficha.web.kit.small_pages.response import page_headers
from ficha.web.sticker.opened_record import OpenedRecord
from ficha.web.sticker.page_facts import Deployment
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.script import SCRIPT

ROUTE = "/e/{code}/{tag}"
HTML = b"text/html; charset=utf-8"
FIRST_ENTRY = 8


class ResponderPage:
    def __init__(self, parts: Parts, store: Store, trusted: TrustedProxies) -> None:
        self._parts = parts
        self._store = store
        self._trusted = trusted
        self._deployment = Deployment.of(parts.settings)
        self._statement = scan_statement(store.dialect)
        self._changes = changes_statement(store.dialect)
        self._withdrawn = NONE_WITHDRAWN

    async def answer(self, scope: Scope, code: str, tag: str, headers: dict[bytes, bytes]) -> LaneResponse | None:
        """None for what the application behind has to answer."""
        if b"ficha_glass=" in headers.get(b"cookie", b"") or b"mas=" in scope["query_string"]:
            return None
        rows = await self._store.rows(self._statement, (code,))
        if not rows:
            return None
        stored_hash, record_id, key_id, wrapped, idioma, alert, has_closed_way, change_id = rows[0][:FIRST_ENTRY]
        if not tag_matches(stored_hash, tag) or alert is not None or has_closed_way or key_id is None:
            return None
        now = self._parts.clock.now()
        key = self._parts.keyring.unwrap(Wrapped(key_id, wrapped), key_place_of(record_id))
        utc = self._store.utc
        entries = [
            SealedEntry(model, version, utc(updated_at), sealed)
            for model, version, updated_at, sealed in (row[FIRST_ENTRY:] for row in rows)
            if model is not None
        ]
        withdrawn = await self._withdrawn_as_of(change_id or 0)
        opened = OpenedRecord(code, tag, record_id, key, entries, idioma or "", withdrawn=withdrawn)
        # The read is noted before the page is shown.
        origin = origin_of(scope, self._trusted)
        self._parts.read_log.note(record_id, "tag", "record.read", opened.noted, now, via="tag", origin=origin)
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        asked = asked_language(Request(scope)) if scope["query_string"] else None
        language = asked or preferred_language(accepted)
        page = render_opened(opened, language, now, self._deployment, region_in(accepted))
        body, encoding = encoded(page, headers.get(b"accept-encoding", b"").decode("latin-1"))
        return LaneResponse(200, body, _headers(encoding), HTML)

    async def _withdrawn_as_of(self, change_id: int) -> WithdrawnRules:
        """Read again only when the scan's own statement saw another change. Not only a newer one: a backup that was
        put back has fewer."""
        if change_id != self._withdrawn.change_id:
            self._withdrawn = withdrawn_in(await self._store.rows(self._changes, ()))
        return self._withdrawn


@cache
def _headers(encoding: str) -> Headers:
    """As bytes; the lane adds the content's type itself."""
    made = page_headers(SCRIPT, encoding).items()
    return [(name.lower().encode(), value.encode()) for name, value in made if name != "Content-Type"]
