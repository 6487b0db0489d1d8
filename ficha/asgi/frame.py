"""The frame around every request: request id, size limits, headers, log line, metrics, and an answer to any crash."""

import logging
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ficha.asgi.application import InternalError, error_response, told_error
from ficha.asgi.bodies import BODY, BodyBudgets, BodyTooLarge, BoundedBody, UnfinishedBodies, has_body, headers_of
from ficha.asgi.json_bodies import EncodingNotRead
from ficha.asgi.routes import matched_route
from ficha.core.errors import FichaError, Problem, Source
from ficha.core.log import log, reset_request_id, set_request_id
from ficha.core.settings import Settings
from ficha.core.traces import begin_request

RawHeader = tuple[bytes, bytes]
# Called with the method, the route, the status and the seconds that it took.
CountRequest = Callable[[str, str, int, float], None]

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

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# Expired tokens and unknown codes are everyday answers too.
EVERYDAY = frozenset({200, 304, 401, 404})


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


class HostMissing(FichaError):
    status = 400
    code = "falta_host"
    message = "Falta la cabecera Host."
    source = Source("header", "Host")


class Frame:
    """`count` counts every answer. `more_headers` gives those that depend on what the request met, as its limits.
    `most_bytes` are the paths whose bodies may be larger than JSON usually is."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        bodies: UnfinishedBodies,
        count: CountRequest,
        more_headers: Callable[[Scope], Iterable[RawHeader]],
        most_bytes: Mapping[str, int],
    ) -> None:
        self._app = app
        self._settings = settings
        self._bodies = bodies
        self._budgets = BodyBudgets(settings)
        self._count, self._more_headers, self._most_bytes = count, more_headers, most_bytes
        self._headers = [(name.lower().encode(), value.encode()) for name, value in fixed_headers(settings)]
        self._names = {name for name, _ in self._headers}
        level = logging.getLevelNamesMapping()[settings.log_level.upper()]
        self._logs_requests, self._logs_all = level <= logging.INFO, level <= logging.DEBUG

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        headers = headers_of(scope)
        request_id = request_id_of(headers)
        status = 0

        def send_with_headers(message: Message) -> Awaitable[None]:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._all_headers(message.get("headers", ()), request_id, scope)
            return send(message)

        before, span = set_request_id(request_id.decode()), begin_request()
        bounded = None
        try:
            if len(headers) != len(scope["headers"]):
                refuse_repeated(scope["headers"])
            if b"host" not in headers and scope["http_version"] == "1.1":  # Later versions have another way to say it.
                raise HostMissing
            if has_body(scope):
                if headers.get(b"content-encoding", b"identity").strip().lower() not in (b"identity", b""):
                    raise EncodingNotRead
                most = self._most_bytes.get(scope["path"])
                bounded = BoundedBody(receive, headers, self._settings, self._budgets, self._bodies, most)
                if bounded.is_refused:
                    raise BodyTooLarge
                scope[BODY] = receive = bounded
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            told = told_error(error)
            if told is not error:
                _log_failure(scope, told, error)
            if status == 0:
                await error_response(Request(scope), told)(scope, receive, send_with_headers)
        finally:
            if bounded is not None:
                bounded.release()
            method, route = self._note(scope, status, time.perf_counter() - started)
            if span is not None:
                span.end(method, route, status)
            reset_request_id(before)

    def _note(self, scope: Scope, status: int, seconds: float) -> tuple[str, str]:
        """Counts the answer and writes its line; returns its method and route. A line for each quiet read would cost
        more than the read, and who saw what is in the record's own log."""
        found = matched_route(scope)
        route = "unknown" if found is None else found.path
        method = scope["method"] if scope["method"] in METHODS else "OTHER"
        self._count(method, route, status, seconds)
        if self._logs_requests:
            is_quiet = found is not None and found.is_quiet and status in EVERYDAY
            if self._logs_all or not is_quiet:
                log().info("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))
        return method, route

    def _all_headers(self, own: Sequence[RawHeader], request_id: bytes, scope: Scope) -> list[RawHeader]:
        """Those of the answer, and of ours what it does not bring itself."""
        brought = dict(own)
        headers = [*own, (b"x-request-id", request_id), *self._more_headers(scope)]
        if self._names.isdisjoint(brought):
            return headers + self._headers
        return headers + [pair for pair in self._headers if pair[0] not in brought]


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


def refuse_repeated(headers: Iterable[RawHeader]) -> None:
    """Raises RepeatedHeader."""
    seen: set[bytes] = set()
    for name, _value in headers:
        if name in SINGLE_HEADERS and name in seen:
            raise RepeatedHeader(name.decode())
        seen.add(name)


def _log_failure(scope: Scope, told: FichaError, error: Exception) -> None:
    route = matched_route(scope)
    path = "unknown" if route is None else route.path
    if isinstance(told, InternalError):
        log().exception("request.crashed", route=path)
    else:
        log().error("request.database_unavailable", route=path, error=type(getattr(error, "orig", error)).__name__)
