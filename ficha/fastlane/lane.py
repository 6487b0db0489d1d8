"""The lane itself: recognises what is its own, answers it in the service's frame, and hands on all else."""

import time
from functools import partial

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ficha.core.crypto import Tampered
from ficha.core.db import RESERVED_CONNECTIONS
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.fastlane.envelope_bytes import EnvelopeBytes
from ficha.fastlane.paths import Read, sticker_in, target_of
from ficha.fastlane.record_reads import RecordReads
from ficha.fastlane.request_metrics import RequestMetrics
from ficha.fastlane.responder_page import ROUTE as RESPONDER_ROUTE
from ficha.fastlane.responder_page import ResponderPage
from ficha.fastlane.response_headers import Handler, LaneResponse, ResponseHeaders
from ficha.fastlane.store_choice import store_for
from ficha.fastlane.webhook_intake import WebhookIntake
from ficha.http.address import TrustedProxies
from ficha.http.bodies import UnfinishedBodies, announced_bytes
from ficha.http.errors import InternalError
from ficha.http.frame import refusal_of, request_id_of
from ficha.http.limits import Limiter
from ficha.http.metrics import Metrics
from ficha.parts import Parts


class FastLane:
    def __init__(
        self,
        app: ASGIApp,
        parts: Parts,
        limiter: Limiter,
        metrics: Metrics,
        trusted_proxies: TrustedProxies,
        bodies: UnfinishedBodies,
    ) -> None:
        settings = parts.settings
        self._app = app
        self._settings = settings
        self._store = store_for(parts.database, settings.database_pool)
        # Of its own: however many records are being read, the stranger's page finds a connection.
        self._page_store = store_for(parts.database, RESERVED_CONNECTIONS)
        self._headers = ResponseHeaders(settings)
        self._envelope = EnvelopeBytes(settings, parts.clock)
        self._metrics = RequestMetrics(metrics, settings)
        self._prefix = f"{settings.v2}/fmd/"
        self._routes = {read: f"{settings.v2}{read}" for read in Read}
        self._reads = RecordReads(parts, limiter, self._store, self._envelope, trusted_proxies)
        self._responder = ResponderPage(parts, self._page_store, trusted_proxies)
        self._intake = WebhookIntake(parts, self._envelope, bodies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            found = self._handler_for(scope, receive)
            if found is not None:
                route, handler = found
                await self._serve(scope, receive, send, route, handler)
                return
        elif scope["type"] == "lifespan":
            send = self._watch_lifespan(send)
        await self._app(scope, receive, send)

    def _handler_for(self, scope: Scope, receive: Receive) -> tuple[str, Handler] | None:
        """The route's name and who answers it, for what is the lane's own."""
        path: str = scope["path"]
        method = scope["method"]
        if method in ("GET", "HEAD"):
            if path.startswith(self._prefix):
                found = target_of(path[len(self._prefix) :])
                if found is not None:
                    target, code = found
                    return self._routes[target.read], partial(self._reads.answer, scope, target, code)
            sticker = sticker_in(path)
            if sticker is not None:
                return RESPONDER_ROUTE, partial(self._responder.answer, scope, *sticker)
        elif method == "POST" and path == self._intake.path:
            return path, partial(self._intake.answer, receive)
        return None

    def _watch_lifespan(self, send: Send) -> Send:
        """Connections are kept while the server runs."""

        async def watched(message: Message) -> None:
            if message["type"] == "lifespan.startup.complete":
                await self._store.open()
                await self._page_store.open()
            elif message["type"].startswith("lifespan.shutdown."):
                await self._store.close()
                await self._page_store.close()
                await self._intake.close()
            await send(message)

        return watched

    async def _serve(self, scope: Scope, receive: Receive, send: Send, route: str, handler: Handler) -> None:
        started = time.perf_counter()
        given = scope["headers"]
        headers: dict[bytes, bytes] = dict(given)
        request_id = request_id_of(headers)
        try:
            # A body that nobody reads is checked here; the intake checks its own.
            if len(headers) != len(given) or (b"content-length" in headers and route != self._intake.path):
                headers = self._checked_headers(scope, headers)
            response = await handler(headers)
            if response is None:
                await self._app(scope, receive, send)
                return
        except FichaError as error:
            response = self._refusal(error)
        except Tampered as fault:  # It says the place that does not open: ids and a model's name.
            log().error("entry.damaged", place=str(fault), request_id=request_id.decode())
            response = self._refusal(InternalError())
        except Exception:
            log().exception("request.crashed", route=route, request_id=request_id.decode())
            response = self._refusal(InternalError())
        made = self._headers.of(response, request_id, headers, scope)
        status, body, _, _ = response
        await send({"type": "http.response.start", "status": status, "headers": made})
        method = scope["method"]
        await send({"type": "http.response.body", "body": b"" if body is None or method == "HEAD" else body})
        seconds = time.perf_counter() - started
        self._metrics.answered(method, route, status, seconds, request_id)

    def _checked_headers(self, scope: Scope, headers: dict[bytes, bytes]) -> dict[bytes, bytes]:
        """A doubled header, or a body: what the frame refuses is refused here too. Of two, the first counts."""
        settings = self._settings
        most = settings.webhook_bytes if scope["path"] == self._intake.path else settings.json_bytes
        refusal = refusal_of(scope, is_too_large=announced_bytes(headers) > most)
        if refusal is not None:
            raise refusal
        return dict(reversed(scope["headers"]))

    def _refusal(self, error: FichaError) -> LaneResponse:
        more = [(name.lower().encode(), value.encode()) for name, value in error.headers.items()]
        return LaneResponse(error.status, self._envelope.error(error), more)
