"""The responder page of a scanned sticker.

The fast lane answers most scans, by one statement. What is out of the ordinary goes on to a thread: an alert under way,
before and after breaking the glass, a contact who wants no alerts, and stickers that open nothing.
"""

from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.db import Database, Unavailable
from ficha.core.replicas import NEVER
from ficha.fastlane.lane import Answering, LaneRequest, LaneResponse, LaneRoute, RawHeaders, origin_of
from ficha.fastlane.paths import sticker_in
from ficha.fastlane.statements import find_scanned, find_withdrawn
from ficha.fastlane.store import Store
from ficha.fmd.access import FmdNotFound
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.scanning import TagEnded
from ficha.http.change_cookie import has_just_changed
from ficha.http.client_address import TrustedProxies
from ficha.http.dependencies import Address, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.languages import preferred_language
from ficha.parts import Parts
from ficha.web.kit.language import asked_language, language_of, region_in, region_of
from ficha.web.kit.small_pages.compression import JoinedPage, encoded
from ficha.web.kit.small_pages.page import page_headers, small_page_response
from ficha.web.sticker.page_facts import BreakGlassForm, Code, Deployment, PositionForm, RelayForm, Tag, sticker_path
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE, OpenedRecord, open_scanned, scan_record
from ficha.web.sticker.script import SCRIPT
from ficha.web.sticker.unopened_page import unopened_response

if TYPE_CHECKING:  # It loads asyncpg, which a server on SQLite need not.
    from ficha.fastlane.replica_watch import ReplicaWatch

routes = Routes(include_in_schema=False, pool=Pool.URGENT)

HTML = b"text/html; charset=utf-8"
# What only a thread answers: forms, and how an alert ended.
ASKED = (b"mas=", b"aviso=")


class LaneScans:
    """The page in the fast lane."""

    def __init__(
        self, parts: Parts, store: Store, trusted: TrustedProxies, replicas: "ReplicaWatch | None" = None
    ) -> None:
        self._parts = parts
        self._store = store
        self._replicas = replicas
        self._trusted = trusted
        self._deployment = Deployment.of(parts.settings)
        self._withdrawn = NONE_WITHDRAWN
        self._route = LaneRoute("/e/{code}/{tag}")

    def find(self, method: str, path: str) -> tuple[LaneRoute, Answering] | None:
        sticker = sticker_in(path) if method in ("GET", "HEAD") else None
        if sticker is None:
            return None
        return self._route, partial(self._answer if self._replicas is None else self._answer_from_near, *sticker)

    async def open(self) -> None:
        await self._store.open()
        if self._replicas is not None:
            await self._replicas.open()

    async def close(self) -> None:
        await self._store.close()
        if self._replicas is not None:
            await self._replicas.close()

    async def _answer_from_near(self, code: str, tag: str, request: LaneRequest) -> LaneResponse | None:
        """From the nearest fresh replica, unless whoever asks may have changed something that it does not have yet.
        What it cannot answer goes on to a thread, which asks the primary, or a replica where that is lost."""
        assert self._replicas is not None and self._parts.replicas is not None
        if self._parts.replicas.is_primary_lost:
            return None
        near = None if has_just_changed(request.headers) else self._replicas.fresh()
        try:
            return await self._answer(code, tag, request, self._store if near is None else near[1])
        except Unavailable:
            if near is not None:
                near[0].complete_at = NEVER
            return None

    async def _answer(
        self, code: str, tag: str, request: LaneRequest, store: Store | None = None
    ) -> LaneResponse | None:
        store = store or self._store
        scope, _, headers = request
        if b"ficha_glass=" in headers.get(b"cookie", b"") or any(asked in scope["query_string"] for asked in ASKED):
            return None
        scanned = await find_scanned(store, code)
        if scanned is None or scanned.emergency_id is not None or scanned.has_closed_way:
            return None
        record = scanned.record
        key = record.key_by(self._parts.keyring, tag)
        if key is None:
            return None
        withdrawn = await self._withdrawn_as_of(scanned.rule_change or 0, store)
        opened = OpenedRecord(code, tag, record.id, key, scanned.entries, scanned.idioma, withdrawn)
        accepted = headers.get(b"accept-language", b"").decode("latin-1")
        asked = asked_language(Request(scope)) if scope["query_string"] else None
        language = asked or preferred_language(accepted)
        origin, now = origin_of(scope, self._trusted), self._parts.clock.now()
        page = noted_page(self._parts, self._deployment, opened, "tag", origin, now, language, region_in(accepted))
        body, encoding = encoded(page, headers.get(b"accept-encoding", b"").decode("latin-1"))
        return LaneResponse(200, body, _raw_headers(encoding), HTML)

    async def _withdrawn_as_of(self, change_id: int, store: Store) -> WithdrawnRules:
        """Read again only when the scan's own statement saw another change. Not only a newer one: a backup that was
        put back has fewer."""
        if change_id != self._withdrawn.change_id:
            self._withdrawn = await find_withdrawn(store)
        return self._withdrawn


@routes.page("/e/{code}/{tag}")
@routes.page("/E/{code}/{tag}")
def scanned_page(request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag) -> Response:
    """`?mas=1` shows the break-glass form open, `?escribir=1` that to the family, `?lugar=1` that for the position, for
    browsers without scripts."""
    path, asked, language = sticker_path(code, tag), request.query_params, language_of(request)
    form = BreakGlassForm(action=f"{path}/mas", is_open=True) if "mas" in asked else None
    writing = RelayForm(f"{path}/mensaje", is_open=True) if "escribir" in asked else None
    locating = PositionForm(f"{path}/ubicacion", is_open=True) if "lugar" in asked else None
    return scanned_response(request, parts, address, now, code, tag, language, form, writing=writing, locating=locating)


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
    locating: PositionForm | None = None,
    notice: str = "",
) -> Response:
    def respond(database: Database, age: float | None) -> Response:
        """`age` is set where the primary is lost."""
        try:
            with database.reading() as tx:
                fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
                opened = open_scanned(tx, parts, fmd, tag, language, now, form=form, writing=writing, locating=locating)
        except FmdNotFound as refusal:
            if age is not None and not isinstance(refusal, TagEnded):
                raise Unavailable from refusal  # It may have been given out since.
            return unopened_response(request, parts, address, now, language, code, tag, refusal)
        opened.age, opened.notice = age, notice
        deployment, region = Deployment.of(parts.settings), region_of(request)
        page = noted_page(parts, deployment, opened, str(fmd.actor), address, now, language, region)
        return small_page_response(request, page, status, script=SCRIPT)

    return respond(parts.database, None) if parts.replicas is None else parts.replicas.read(parts.database, respond)


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
