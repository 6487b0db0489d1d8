"""The lane itself: what is its own it answers, all else it hands on."""

import time
from datetime import datetime
from typing import Any

from starlette.datastructures import Headers as StarletteHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ficha.core.crypto import Tampered
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.fastlane.callers import ReadLog, Way, find_caller, way_in
from ficha.fastlane.model_names import names_of
from ficha.fastlane.paths import Read, Target, target_of
from ficha.fastlane.record_answers import RecordAnswers
from ficha.fastlane.request_metrics import RequestMetrics
from ficha.fastlane.responder_page import ROUTE as RESPONDER
from ficha.fastlane.responder_page import Responder, sticker_in
from ficha.fastlane.response_headers import (
    EnvelopeBytes,
    Headers,
    LaneResponse,
    Make,
    ResponseHeaders,
    matches,
    request_id_of,
)
from ficha.fastlane.statements import NAMES, statements_for
from ficha.fastlane.stores import Unavailable, store_of
from ficha.fastlane.webhook_intake import Intake
from ficha.http.address import Network, address_of
from ficha.http.bodies import BoundedBody
from ficha.http.errors import Crashed
from ficha.http.frame import refusal_of
from ficha.http.limits import Limiter
from ficha.http.metrics import Metrics
from ficha.http.threads import run_in_side_thread
from ficha.parts import Parts

EXISTENCE = frozenset({Read.RECORD_EXISTS, Read.MODEL_EXISTS})


class FastLane:
    def __init__(
        self,
        app: ASGIApp,
        parts: Parts,
        limiter: Limiter,
        metrics: Metrics,
        reads: ReadLog,
        trusted_proxies: tuple[Network, ...],
    ) -> None:
        settings = parts.settings
        self._app = app
        self._parts = parts
        self._limiter = limiter
        self._limits_wait = bool(settings.limits_url.get_secret_value())
        self._reads = reads
        self._trusted = trusted_proxies
        self._prefix = f"{settings.v2}/fmd/"
        self._store = store_of(parts.database, settings.database_pool)
        self._statements = statements_for(is_sqlite=parts.database.is_sqlite)
        self._answers = RecordAnswers(parts.keyring, self._store).of
        self._heads = ResponseHeaders(settings)
        self._envelope = EnvelopeBytes(settings, parts.clock)
        self._tallies = RequestMetrics(metrics, settings)
        self._routes = {read: f"{settings.v2}{read}" for read in Read}
        self._intake = Intake(parts, self._envelope)
        self._responder = Responder(parts, self._store, trusted_proxies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            stop = self._stop_at(scope, receive)
            if stop is not None:
                await self._serve(scope, receive, send, *stop)
                return
        elif scope["type"] == "lifespan":
            send = self._living(send)
        await self._app(scope, receive, send)

    def _stop_at(self, scope: Scope, receive: Receive) -> tuple[str, Make] | None:
        """The route's name and who makes its answer, for what is the lane's own."""
        path: str = scope["path"]
        method = scope["method"]
        if method in ("GET", "HEAD"):
            if path.startswith(self._prefix):
                target = target_of(path[len(self._prefix) :])
                if target is not None:
                    return self._routes[target.read], lambda headers: self._made(scope, headers, target)
            sticker = sticker_in(path)
            if sticker is not None:
                return RESPONDER, lambda headers: self._responder.page(scope, headers, *sticker)
        elif method == "POST" and path == self._intake.path:
            return path, lambda headers: self._intake.take(receive, headers)
        return None

    def _living(self, send: Send) -> Send:
        """Connections are kept while the server runs."""

        async def watched(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                await self._store.open()
            elif message["type"].startswith("lifespan.shutdown."):
                await self._store.close()
                await self._intake.close()
            await send(message)

        return watched

    async def _serve(self, scope: Scope, receive: Receive, send: Send, route: str, make: Make) -> None:
        started = time.perf_counter()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = request_id_of(headers)
        try:
            # A body that nobody reads is looked at here; the intake looks at its own.
            if len(headers) != len(scope["headers"]) or (b"content-length" in headers and route != self._intake.path):
                headers = self._looked_at(scope, receive)
            made = await make(headers)
            if made is None:
                await self._app(scope, receive, send)
                return
        except FichaError as error:
            made = self._refused(error)
        except Tampered as fault:  # It says the place that does not open: ids and a model's name.
            log().error("entry.damaged", place=str(fault), request_id=request_id.decode())
            made = self._refused(Crashed())
        except Exception:
            log().exception("request.crashed", route=route, request_id=request_id.decode())
            made = self._refused(Crashed())
        status, body, more, kind = made
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": self._heads.of(request_id, headers, scope, body, kind) + more,
            }
        )
        is_head = scope["method"] == "HEAD"
        await send({"type": "http.response.body", "body": b"" if is_head or body is None else body})
        self._tallies.answered(scope["method"], route, status, time.perf_counter() - started, request_id)

    async def _made(self, scope: Scope, headers: dict[bytes, bytes], target: Target) -> LaneResponse:
        parts = self._parts
        read = target.read
        names = names_of(scope, target)
        now = parts.clock.now()
        values: tuple[Any, ...] = (self._store.moment(now), target.code)
        if read is Read.MODELS:
            values += names + (None,) * (len(NAMES) - len(names))
        else:
            values += names
        caller = await find_caller(scope, headers, parts, self._store, self._statements[read], now, values)
        if self._limiter.is_on:
            await self._count(scope, caller.token_id)
        way = way_in(caller.rows[0])
        found = self._answers[read](way, caller.rows, names)
        if way.via != "owner" or read not in EXISTENCE:
            self._note(scope, way, read, found.what, now)
        more: Headers = []
        if found.etag:
            more.append((b"etag", f'"{found.etag}"'.encode()))
        if caller.browser is not None:
            # Every answer that did not fail renews both cookies.
            response = Response()
            caller.browser.begin(response)
            more += [pair for pair in response.raw_headers if pair[0] == b"set-cookie"]
        # For others the same version may look different tomorrow: `consentimiento` decides.
        if (
            found.etag
            and way.sees_all
            and b"if-none-match" in headers
            and matches(headers[b"if-none-match"], found.etag)
        ):
            return LaneResponse(304, None, more)
        return LaneResponse(200, self._envelope.around(found, now), more)

    def _note(self, scope: Scope, way: Way, read: Read, what: Any, now: datetime) -> None:
        action = "record.exists" if read in EXISTENCE else "record.read"
        client = scope.get("client")
        origin = address_of(HTTPConnection(scope), self._trusted) if self._trusted else client[0] if client else ""
        try:
            self._reads.note(way.record_id, f"account:{way.account_id}", action, what, now, via=way.via, origin=origin)
        except OSError as error:
            raise Unavailable from error  # What cannot be written down is not shown.

    async def _count(self, scope: Scope, token_id: int) -> None:
        if self._limits_wait:
            await run_in_side_thread(self._limiter.hit, Request(scope), "token", str(token_id))
        else:
            self._limiter.hit(Request(scope), "token", str(token_id))

    def _looked_at(self, scope: Scope, receive: Receive) -> dict[bytes, bytes]:
        """A doubled header, or a body: what the frame refuses is refused here too. Of two, the first counts."""
        most = self._parts.settings.webhook_bytes if scope["path"] == self._intake.path else None
        refusal = refusal_of(scope, BoundedBody(receive, StarletteHeaders(scope=scope), self._parts.settings, most))
        if refusal is not None:
            raise refusal
        return dict(reversed(scope["headers"]))

    def _refused(self, error: FichaError) -> LaneResponse:
        more = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
        return LaneResponse(error.status, self._envelope.error(error), more)
