"""The frame around every request: request id, size limits, headers, log line, metrics, and an answer to any crash."""

import logging
import random
import re
import time
from collections.abc import Iterable, Mapping

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ficha.core.errors import FichaError, Problem, Source
from ficha.core.log import in_request, log
from ficha.core.settings import Settings
from ficha.http.bodies import BODY, BodyBudgets, BodyTooLarge, BoundedBody, UnfinishedBodies
from ficha.http.errors import InternalError, error_response, told_error
from ficha.http.limits import LimitStatus
from ficha.http.metrics import Metrics
from ficha.http.routes import matched_route

RawHeader = tuple[bytes, bytes]

# A request may have each of these once: of two, a proxy might read one and we the other.
SINGLE_HEADERS = frozenset(
    {
        b"api-access-token",
        b"api_access_token",
        b"authorization",
        b"content-length",
        b"content-type",
        b"host",
        b"idempotency-key",
        b"if-match",
        b"x-csrf-token",
        b"x-request-id",
        b"x-xsrf-token",
    }
)
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")

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
    def __init__(self, app: ASGIApp, *, settings: Settings, metrics: Metrics, bodies: UnfinishedBodies) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._bodies = bodies
        self._budgets = BodyBudgets(settings)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in fixed_headers(settings)]
        self._logs_requests = logging.getLevelNamesMapping()[settings.log_level.upper()] <= logging.INFO

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id = request_id_of(headers)
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._all_headers(message.get("headers", ()), request_id, scope)
            await send(message)

        with in_request(request_id.decode()):
            bounded = scope[BODY] = BoundedBody(receive, headers, self._settings, self._budgets, self._bodies)
            try:
                refusal = refusal_of(scope, is_too_large=bounded.is_refused)
                if refusal is None:
                    await self._app(scope, bounded, send_with_headers)
                else:
                    await error_response(Request(scope), refusal)(scope, receive, send_with_headers)
            except Exception as error:
                told = told_error(error)
                if isinstance(told, InternalError):
                    log().exception("request.crashed", route=_route(scope))
                elif told is not error:
                    cause = type(getattr(error, "orig", error)).__name__
                    log().error("request.database_unavailable", route=_route(scope), error=cause)
                if status == 0:
                    await error_response(Request(scope), told)(scope, receive, send_with_headers)
            finally:
                bounded.release()
                seconds = time.perf_counter() - started
                route = _route(scope)
                method = _method(scope)
                self._metrics.count_request(method, route, status, seconds)
                if self._logs_requests:
                    log().info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))

    def _all_headers(self, own: Iterable[RawHeader], request_id: bytes, scope: Scope) -> list[RawHeader]:
        """Those of the answer, and of ours what it does not bring itself."""
        headers = list(own)
        present = {name for name, _ in headers}
        headers += [pair for pair in self._headers if pair[0] not in present]
        headers.append((b"x-request-id", request_id))
        limits: list[LimitStatus] = scope.get("ficha.limits", [])
        if limits:
            headers.append((b"ratelimit-policy", ", ".join([limit.policy for limit in limits]).encode()))
            headers.append((b"ratelimit", ", ".join([limit.state for limit in limits]).encode()))
        return headers


def request_id_of(headers: Mapping[bytes, bytes]) -> bytes:
    """The caller's own, if it is one, or a new one."""
    given = headers.get(b"x-request-id")
    if given is not None and REQUEST_ID.fullmatch(given):
        return given
    # Not os.urandom: it lets go of Python's lock, which a page on the event loop would then wait for once more.
    return b"%016x" % random.getrandbits(64)


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


def refusal_of(scope: Scope, *, is_too_large: bool) -> FichaError | None:
    """Why a request is refused before it is read, or None."""
    headers: list[RawHeader] = scope["headers"]
    seen: set[bytes] = set()
    for name, _value in headers:
        if name in SINGLE_HEADERS and name in seen:
            return RepeatedHeader(name.decode())
        seen.add(name)
    return BodyTooLarge() if is_too_large else None


def _route(scope: Scope) -> str:
    """The route's path, `/v2/auth/tokens/{id}`: the request's own path may hold a code."""
    route = matched_route(scope)
    return "unknown" if route is None else route.path


def _method(scope: Scope) -> str:
    method: str = scope["method"]
    return method if method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "OTHER"
