"""The responder page of a scanned sticker.

The fast lane answers most scans, by one statement. What is out of the ordinary goes on to a thread: an alert under way,
before and after breaking the glass, a contact who wants no alerts, and stickers that open nothing.
"""

from datetime import datetime
from functools import cache, partial

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.crypto import Wrapped
from ficha.fastlane.lane import Answering, LaneRequest, LaneResponse, LaneRoute, RawHeaders, origin_of
from ficha.fastlane.paths import sticker_in
from ficha.fastlane.statements import CHANGES, SCAN
from ficha.fastlane.store import Store
from ficha.fmd.access import FmdNotFound
from ficha.fmd.entries import SealedEntry
from ficha.fmd.records import record_key_bound_to
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules, withdrawn_in
from ficha.http.address import TrustedProxies
from ficha.http.dependencies import Address, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.languages import preferred_language
from ficha.parts import Parts
from ficha.products.product import tag_matches
from ficha.web.kit.language import asked_language, language_of, region_in, region_of
from ficha.web.kit.small_pages.compression import JoinedPage, encoded
from ficha.web.kit.small_pages.page import page_headers, small_page_response
from ficha.web.sticker.page_facts import BreakGlassForm, Deployment, RelayForm
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE, OpenedRecord, open_scanned, scan_record
from ficha.web.sticker.script import SCRIPT
from ficha.web.sticker.sticker_path import Code, Tag, sticker_path
from ficha.web.sticker.unopened_page import unopened_response

routes = Routes(include_in_schema=False, pool=Pool.URGENT)

HTML = b"text/html; charset=utf-8"
# Where the columns of an entry begin in a row of the lane's statement.
FIRST_ENTRY = 8


class LaneScans:
    """The page in the fast lane."""

    def __init__(self, parts: Parts, store: Store, trusted: TrustedProxies) -> None:
        self._parts = parts
        self._store = store
        self._trusted = trusted
        self._deployment = Deployment.of(parts.settings)
        self._withdrawn = NONE_WITHDRAWN
        self._route = LaneRoute("/e/{code}/{tag}")

    def find(self, method: str, path: str) -> tuple[LaneRoute, Answering] | None:
        sticker = sticker_in(path) if method in ("GET", "HEAD") else None
        return None if sticker is None else (self._route, partial(self._answer, *sticker))

    async def open(self) -> None:
        await self._store.open()

    async def close(self) -> None:
        await self._store.close()

    async def _answer(self, code: str, tag: str, request: LaneRequest) -> LaneResponse | None:
        scope, _, headers = request
        if b"ficha_glass=" in headers.get(b"cookie", b"") or b"mas=" in scope["query_string"]:
            return None
        rows = await self._store.rows(SCAN, {"code": code})
        if not rows:
            return None
        stored_hash, record_id, key_id, wrapped, idioma, alert, has_closed_way, change_id = rows[0][:FIRST_ENTRY]
        if not tag_matches(stored_hash, tag) or alert is not None or has_closed_way or key_id is None:
            return None
        key = self._parts.keyring.unwrap(Wrapped(key_id, wrapped), record_key_bound_to(record_id))
        utc = self._store.utc
        entries = [
            SealedEntry(model, version, utc(updated_at), sealed)
            for model, version, updated_at, sealed in (row[FIRST_ENTRY:] for row in rows)
            if model is not None
        ]
        withdrawn = await self._withdrawn_as_of(change_id or 0)
        opened = OpenedRecord(code, tag, record_id, key, entries, idioma or "", withdrawn=withdrawn)
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        asked = asked_language(Request(scope)) if scope["query_string"] else None
        language = asked or preferred_language(accepted)
        origin, now = origin_of(scope, self._trusted), self._parts.clock.now()
        page = noted_page(self._parts, self._deployment, opened, "tag", origin, now, language, region_in(accepted))
        body, encoding = encoded(page, headers.get(b"accept-encoding", b"").decode("latin-1"))
        return LaneResponse(200, body, _raw_headers(encoding), HTML)

    async def _withdrawn_as_of(self, change_id: int) -> WithdrawnRules:
        """Read again only when the scan's own statement saw another change. Not only a newer one: a backup that was
        put back has fewer."""
        if change_id != self._withdrawn.change_id:
            self._withdrawn = withdrawn_in(await self._store.rows(CHANGES, {}))
        return self._withdrawn


@routes.page("/e/{code}/{tag}")
@routes.page("/E/{code}/{tag}")
def scanned_page(request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag) -> Response:
    """`?mas=1` shows the break-glass form open, `?escribir=1` that to the family, for browsers without scripts."""
    is_asking = "mas" in request.query_params
    path, is_writing = sticker_path(code, tag), "escribir" in request.query_params
    form = BreakGlassForm(action=f"{path}/mas", is_open=True) if is_asking else None
    writing = RelayForm(f"{path}/mensaje", is_open=True) if is_writing else None
    return scanned_response(request, parts, address, now, code, tag, language_of(request), form, writing=writing)


def scanned_response(
    request: Request,
    parts: Parts,
    address: str,
    now: datetime,
    code: str,
    tag: str,
    language: Idioma,
    form: BreakGlassForm | None,
    status: int = 200,
    writing: RelayForm | None = None,
) -> Response:
    try:
        with parts.database.reading() as tx:
            fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
            opened = open_scanned(tx, parts, fmd, tag, language, now, form=form, writing=writing)
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language, code, tag, refusal)
    deployment, region = Deployment.of(parts.settings), region_of(request)
    page = noted_page(parts, deployment, opened, str(fmd.actor), address, now, language, region)
    return small_page_response(request, page, status, script=SCRIPT)


def noted_page(
    parts: Parts,
    deployment: Deployment,
    opened: OpenedRecord,
    actor: str,
    origin: str,
    now: datetime,
    language: Idioma,
    region: str,
) -> JoinedPage:
    """The read is noted before the page is shown. Raises ReadNotLogged."""
    parts.read_log.note(opened.record_id, actor, "record.read", opened.noted, now, via="tag", origin=origin)
    return render_opened(opened, language, now, deployment, region)


@cache
def _raw_headers(encoding: str) -> RawHeaders:
    """As bytes; the lane adds the content's type itself."""
    made = page_headers(SCRIPT, encoding).items()
    return [(name.lower().encode(), value.encode()) for name, value in made if name != "Content-Type"]
