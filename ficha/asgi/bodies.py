"""Request bodies: size, time and memory are limited while they are read."""

import asyncio
import math
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from ficha.core.errors import FichaError
from ficha.core.settings import Settings

FILE_TYPES = (b"multipart/form-data", b"application/octet-stream", b"image/")
# Whoever sends a body has `body_seconds`, and the time that it takes at this speed: a phone with a poor signal.
SLOWEST_BYTES_PER_SECOND = 20_000
# What is left of that when the server stops: enough for whoever does send.
STOP_SECONDS = 1.0
# Of bodies for urgent operations (asgi/threads.py), which are a sticker and a position: each, and all under way.
URGENT_BYTES = 100_000
ALL_URGENT_BYTES = 8_000_000
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# Where the scope of a request holds its BoundedBody.
BODY = "ficha.body"
# And its headers, as a mapping.
HEADERS = "ficha.headers"


class BodyTooLarge(FichaError):
    status = 413
    code = "cuerpo_demasiado_grande"
    message = "La petición es demasiado grande."
    # Nobody reads what is left of the body, so the connection cannot serve another request.
    headers = {"Connection": "close"}  # noqa: RUF012


class TooManyBodies(FichaError):
    status = 503
    code = "demasiados_envios"
    message = "Se reciben demasiados datos a la vez. Vuelva a enviar en unos segundos."
    headers = {"Retry-After": "5", "Connection": "close"}  # noqa: RUF012


class BodyTooSlow(FichaError):
    status = 408
    code = "cuerpo_incompleto"
    message = "La petición no terminó de llegar a tiempo."
    headers = {"Connection": "close"}  # noqa: RUF012


class Stopping(FichaError):
    status = 503
    code = "servicio_se_detiene"
    message = "El servicio se está reiniciando y no espera más datos. Vuelva a enviar en unos segundos."
    headers = {"Retry-After": "5", "Connection": "close"}  # noqa: RUF012


class BodyCutOff(FichaError):
    status = 400
    code = "cuerpo_cortado"
    message = "La petición se cortó antes de terminar."


class BodyBudget:
    """How many bytes the bodies of all requests under way may have together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.held = 0

    def take(self, count: int) -> None:
        """Raises TooManyBodies."""
        if self.held + count > self._most:
            raise TooManyBodies
        self.held += count

    def give_back(self, count: int) -> None:
        self.held -= count


class BodyBudgets:
    """Nobody but urgent operations can use the memory that is kept for their bodies."""

    def __init__(self, settings: Settings) -> None:
        self.ordinary = BodyBudget(settings.bodies_bytes)
        self.urgent = BodyBudget(ALL_URGENT_BYTES)


class UnfinishedBodies:
    """Who waits for more of a body, in this process. Without this a stop would wait as long as they do."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Timeout] = set()
        self._ends_at = math.inf

    @property
    def is_stopping(self) -> bool:
        return self._ends_at < math.inf

    def end_all(self) -> None:
        """From now on nobody waits for more than a moment. To be called on the event loop."""
        self._ends_at = asyncio.get_running_loop().time() + STOP_SECONDS
        for waiting in self._waiting:
            if not waiting.expired():
                waiting.reschedule(min(waiting.when() or math.inf, self._ends_at))

    async def next(self, receive: Receive, ends_at: float) -> Message:
        """The next piece. Raises BodyTooSlow or Stopping."""
        try:
            async with asyncio.timeout_at(min(ends_at, self._ends_at)) as waiting:
                self._waiting.add(waiting)
                try:
                    return await receive()
                finally:
                    self._waiting.discard(waiting)
        except TimeoutError:
            raise (Stopping if self.is_stopping else BodyTooSlow) from None


class BoundedBody:
    """Limits a body while it is read: reading on raises BodyTooLarge after too many bytes, BodyTooSlow after too much
    time, TooManyBodies if there is no memory left for it, and Stopping if the server does not wait for it. `release`
    gives its memory back."""

    def __init__(
        self,
        receive: Receive,
        headers: Mapping[bytes, bytes],
        settings: Settings,
        budgets: BodyBudgets,
        bodies: UnfinishedBodies,
        most: int | None = None,
    ) -> None:
        self._receive = receive
        self._settings = settings
        self._budgets = budgets
        self._bodies = bodies
        self._budget = budgets.ordinary
        self.has_file = headers.get(b"content-type", b"").lower().startswith(FILE_TYPES)
        self._max_bytes = most or (settings.upload_bytes if self.has_file else settings.json_bytes)
        self.announced = announced_bytes(headers)
        self._ends_at: float | None = None
        self._count = 0
        self._is_complete = False

    @property
    def is_refused(self) -> bool:
        """Whether more is announced than may come."""
        return self.announced > self._max_bytes

    def expect(self, *, takes_files: bool, is_urgent: bool) -> None:
        """What the operation takes, once it is known; raises BodyTooLarge before anything is read."""
        if is_urgent:
            self._max_bytes = min(URGENT_BYTES, self._settings.json_bytes)
            self._budget = self._budgets.urgent
        elif not takes_files:
            self._max_bytes = self._settings.json_bytes
        if self.is_refused:
            raise BodyTooLarge

    def count_in(self, budget: BodyBudget) -> None:
        """Its memory is taken from this one. To be called before anything is read."""
        self._budget = budget

    async def __call__(self) -> Message:
        if self._is_complete:  # What is left is the end of the connection, which may come any time.
            return await self._receive()
        if self._ends_at is None:
            self._ends_at = asyncio.get_running_loop().time() + self._settings.body_seconds
        message = await self._bodies.next(self._receive, self._ends_at + self._count / SLOWEST_BYTES_PER_SECOND)
        if message["type"] == "http.request":
            self._is_complete = not message.get("more_body", False)
            size = len(message.get("body", b""))
            if self._count + size > self._max_bytes:
                raise BodyTooLarge
            self._budget.take(size)
            self._count += size
        return message

    def release(self) -> None:
        self._budget.give_back(self._count)
        self._count = 0


async def whole_body(receive: Receive) -> bytes:
    """Raises BodyCutOff, or whatever `receive` raises."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BodyCutOff
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def announced_bytes(headers: Mapping[bytes, bytes]) -> int:
    announced = headers.get(b"content-length", b"")
    return int(announced) if announced.isdigit() else 0


def headers_of(scope: Scope) -> Mapping[bytes, bytes]:
    """By their names. Of one that came several times, the first counts."""
    found: dict[bytes, bytes] | None = scope.get(HEADERS)
    if found is None:
        found = scope[HEADERS] = dict(reversed(scope["headers"]))
    return found


def has_body(scope: Scope) -> bool:
    """False for a read that announces none: to wait for the end of nothing takes as long as a statement."""
    if scope["method"] not in ("GET", "HEAD"):
        return True
    headers = headers_of(scope)
    return b"content-length" in headers or b"transfer-encoding" in headers


def body_of(scope: Scope) -> BoundedBody | None:
    """None without a body, and outside of the frame, where nothing is limited."""
    body: BoundedBody | None = scope.get(BODY)
    return body


class ReadRequest(Request):
    """A request whose body was read. `content` is the body's JSON, for a function that asks for it; `results` are those
    of the plan's steps so far."""

    raw_body: bytes = b""
    content: Any = None

    def __init__(self, scope: Scope, receive: Receive) -> None:
        super().__init__(scope, receive)
        self.results: dict[int, Any] = {}
