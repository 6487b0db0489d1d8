"""The frame around every request: request id, size limits, headers, log line, metrics, and an answer to any crash."""

import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ficha.core.errors import FichaError, Problem, Source
from ficha.core.log import in_request, log
from ficha.core.settings import Settings
from ficha.http.bodies import BodyTooLarge, BoundedBody
from ficha.http.errors import InternalError, error_response
from ficha.http.limits import LimitStatus
from ficha.http.metrics import Metrics
from ficha.http.routes import matched_route

# A request may have each of these once: of two, a proxy might read one and we the other.
SINGLE_HEADERS = (
    b"authorization",
    b"content-length",
    b"content-type",
    b"host",
    b"idempotency-key",
    b"if-match",
    b"x-csrf-token",
    b"x-request-id",
    b"x-xsrf-token",
)
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

# Pages bring their own policy; everything else has nothing to run or show.
STRICTEST_CSP = "default-src 'none'; frame-ancestors 'none'"


class RepeatedHeader(FichaError):
    status = 400
    code = "cabecera_repetida"
    message = "Esta cabecera llegó más de una vez."

    def __init__(self, name: str) -> None:
        super().__init__(self.message)
        self._name = name

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self.message, Source("header", self._name))]


class Frame:
    def __init__(self, app: ASGIApp, *, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._headers = fixed_headers(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = Headers(scope=scope)
        request_id = headers.get("x-request-id", "")
        if not REQUEST_ID.fullmatch(request_id):
            request_id = secrets.token_hex(8)
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(MutableHeaders(scope=message), request_id, scope)
            await send(message)

        with in_request(request_id):
            bounded = BoundedBody(receive, headers, self._settings)
            try:
                refusal = refusal_of(scope, bounded)
                if refusal is None:
                    await self._app(scope, bounded, send_with_headers)
                else:
                    await error_response(Request(scope), refusal)(scope, receive, send_with_headers)
            except Exception as error:
                known = error if isinstance(error, FichaError) else InternalError()
                if known is not error:
                    log().exception("request.crashed", route=_route(scope))
                if status == 0:
                    await error_response(Request(scope), known)(scope, receive, send_with_headers)
            finally:
                seconds = time.perf_counter() - started
                route = _route(scope)
                self._metrics.count_request(_method(scope), route, status, seconds)
                log().info("request", method=_method(scope), route=route, status=status, ms=round(seconds * 1000, 1))

    def _add_headers(self, headers: MutableHeaders, request_id: str, scope: Scope) -> None:
        headers["X-Request-Id"] = request_id
        for name, value in self._headers:
            if name not in headers:
                headers[name] = value
        limits: list[LimitStatus] = scope.get("ficha.limits", [])
        if limits:
            headers["RateLimit-Policy"] = ", ".join(limit.policy for limit in limits)
            headers["RateLimit"] = ", ".join(limit.state for limit in limits)


def fixed_headers(settings: Settings) -> list[tuple[str, str]]:
    headers = [
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=(self)"),
        ("Content-Security-Policy", STRICTEST_CSP),
        ("Cache-Control", "no-store"),
    ]
    if settings.is_https:
        headers.append(("Strict-Transport-Security", "max-age=31536000; includeSubDomains"))
    return headers


def refusal_of(scope: Scope, body: BoundedBody) -> FichaError | None:
    """Why a request is refused before it is read, or None."""
    seen: set[bytes] = set()
    for name, _value in scope["headers"]:
        if name in SINGLE_HEADERS and name in seen:
            return RepeatedHeader(name.decode())
        seen.add(name)
    return BodyTooLarge() if body.is_refused else None


def _route(scope: Scope) -> str:
    """The route's path, `/v2/auth/tokens/{id}`: the request's own path may hold a code."""
    route = matched_route(scope)
    return "unknown" if route is None else route.path


def _method(scope: Scope) -> str:
    method: str = scope["method"]
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "OTHER"
