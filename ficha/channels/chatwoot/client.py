"""The client: one address, time limits, a circuit breaker, and a bound on how many calls are under way.

It runs on the event loop of whoever asks. A call in a thread would keep the thread for as long as the platform likes:
twenty slow answers would take all threads that wait for platforms, those for WhatsApp too.
"""

import asyncio
import hashlib
import hmac
import ssl
import time
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ficha import __version__
from ficha.channels.chatwoot.address import (
    AnswerTooLong,
    PlatformAddress,
    PlatformAnswer,
    PlatformRequest,
    PrivateAddress,
    Target,
)
from ficha.channels.errors import BadSignature, MissingSignature, NotSent, OutcomeUnknown, Refused, RetryLater, TooSlow
from ficha.channels.send_watch import watched_send
from ficha.core.settings import Settings

if TYPE_CHECKING:
    from ficha.channels.chatwoot.transport import ChatwootTransport

SIGNATURE, TIMESTAMP = "x-chatwoot-signature", "x-chatwoot-timestamp"
# How far its clock may be from ours.
TOLERANCE_SECONDS = 300


def verify(secret: str, signature: str | None, timestamp: str | None, body: bytes, now: datetime) -> None:
    """Raises MissingSignature or BadSignature."""
    if not signature or not timestamp:
        raise MissingSignature
    if not timestamp.isdigit() or len(timestamp) > 12 or abs(int(timestamp) - now.timestamp()) > TOLERANCE_SECONDS:
        raise BadSignature
    signed = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    # With an empty secret everybody could sign.
    if not secret or not hmac.compare_digest(f"sha256={signed}".encode(), signature.encode("utf-8", "replace")):
        raise BadSignature


FAILURES = 5
PAUSE_SECONDS = 10.0


class PlatformResting(NotSent):
    """It failed several times, and is not asked for now."""


class CircuitBreaker:
    """After several failures in a row the platform is left alone for a while, and then tried once. Safe to use from
    many threads. `clock` counts seconds."""

    def __init__(
        self,
        failures: int = FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._pause, self._clock = failures, pause_seconds, clock
        self._lock = Lock()
        self._failures = 0
        self._opens_at = 0.0

    def check(self) -> None:
        """Raises PlatformResting with the seconds that are left. After the pause one call is let through: until it has
        ended, the others wait for another pause."""
        with self._lock:
            if self._failures < self._most:
                return
            left = self._opens_at - self._clock()
            if left > 0:
                raise PlatformResting("chatwoot: resting", retry_after=left)
            self._opens_at = self._clock() + self._pause

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._most:
                self._opens_at = self._clock() + self._pause

    @property
    def is_open(self) -> bool:
        with self._lock:
            return self._failures >= self._most and self._opens_at > self._clock()


USER_AGENT = f"Ficha/{__version__}"
# Attachments come as fast as the caller sends them: they must not take the places of other calls.
UPLOADS_AT_ONCE = 16


class PlatformBusy(NotSent):
    """There was no place in the queue in time."""


class RedirectRefused(Refused):
    """The platform sent us elsewhere. Nothing is ever followed."""


class NoPlatform(Refused):
    """No address of the platform is configured."""


class Chatwoot:
    """Raises NotSent (also PlatformBusy, PlatformResting, PrivateAddress), OutcomeUnknown, TooSlow or Refused where
    there is no answer of the platform."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.address = PlatformAddress(settings.chatwoot_url, allows_private=settings.chatwoot_private)
        self.breaker = CircuitBreaker()
        self._certificates: ssl.SSLContext | None = None
        # A pool of connections belongs to the event loop that opened them.
        self._transports: WeakKeyDictionary[asyncio.AbstractEventLoop, ChatwootTransport] = WeakKeyDictionary()

    def load(self) -> None:
        """What takes long the first time, httpx and the certificates, in a thread that may take long."""
        if self._certificates is None:
            # Many processes never call the platform.
            from ficha.channels.chatwoot.transport import certificates  # noqa: PLC0415

            self._certificates = certificates(is_needed=self.address.is_https)

    async def send(self, request: PlatformRequest) -> PlatformAnswer:
        """Any answer of the platform, errors of its own included."""
        if not self._settings.has_chatwoot:
            raise NoPlatform("chatwoot: not configured")
        self.breaker.check()
        try:
            with watched_send("chatwoot"):
                answer = await self._send_in_time(request)
        except (PrivateAddress, PlatformBusy, AnswerTooLong):
            raise  # These say nothing about the platform.
        except RetryLater as failure:
            # A caller who sends an attachment slowly takes the time that the platform has.
            if not (request.is_stream and isinstance(failure, TooSlow)):
                self.breaker.failed()
            raise
        if 300 <= answer.status < 400:
            raise RedirectRefused(f"chatwoot: HTTP {answer.status}")
        if answer.is_refused_in_between:
            return answer
        if not answer.is_of_the_platform:
            self.breaker.failed()
            raise OutcomeUnknown(f"chatwoot: HTTP {answer.status} from something in between", _seconds(answer))
        self.breaker.succeeded()
        return answer

    async def download(self, target: Target, take: Callable[[bytes], object], most: int) -> PlatformAnswer:
        """A file, without our token: its address is proof enough. `take` gets it piece by piece. Any answer, redirects
        included: whoever asks decides where to go."""
        self.breaker.check()
        transport = self._transport()
        try:
            async with asyncio.timeout(self._settings.chatwoot_upload_seconds), transport.uploads:
                return await transport.receive("GET", target, {"User-Agent": USER_AGENT}, None, take, most)
        except TimeoutError:
            raise TooSlow("chatwoot: no file in time") from None

    async def _send_in_time(self, request: PlatformRequest) -> PlatformAnswer:
        transport, settings = self._transport(), self._settings
        slots = transport.uploads if request.is_stream else transport.calls
        seconds = settings.chatwoot_upload_seconds if request.is_stream else settings.chatwoot_seconds
        is_begun = False
        try:
            async with asyncio.timeout(seconds), slots:
                is_begun = True
                return await self._send_again_if_safe(transport, request)
        except TimeoutError:
            if not is_begun:
                raise PlatformBusy("chatwoot: too many calls under way") from None
            raise TooSlow("chatwoot: no answer in time") from None

    async def _send_again_if_safe(self, transport: "ChatwootTransport", request: PlatformRequest) -> PlatformAnswer:
        """Once more, if the platform certainly did nothing: the request did not arrive, or it only reads."""
        try:
            return await self._send_once(transport, request)
        except PrivateAddress:
            raise
        except NotSent:
            if request.is_stream:  # What was read of it is gone.
                raise
        except OutcomeUnknown:
            if request.method != "GET":
                raise
        return await self._send_once(transport, request)

    async def _send_once(self, transport: "ChatwootTransport", request: PlatformRequest) -> PlatformAnswer:
        target = await self.address.target(request.segments, request.query)
        headers = {"Accept": "application/json", "User-Agent": USER_AGENT}
        if request.token is not None:
            # Servers in between drop names with an underscore; the platform reads both spellings.
            headers["Api-Access-Token"] = request.token
        if request.content_type is not None:
            headers["Content-Type"] = request.content_type
        if request.length is not None:
            headers["Content-Length"] = str(request.length)
        return await transport.send(request.method, target, headers, request.body)

    def _transport(self) -> "ChatwootTransport":
        loop = asyncio.get_running_loop()
        found = self._transports.get(loop)
        if found is None:
            self.load()
            assert self._certificates is not None
            # As above.
            from ficha.channels.chatwoot.transport import ChatwootTransport  # noqa: PLC0415

            found = self._transports[loop] = ChatwootTransport(
                self._settings.chatwoot_calls, UPLOADS_AT_ONCE, self._certificates
            )
        return found

    async def close(self) -> None:
        """The connections of this event loop."""
        found = self._transports.pop(asyncio.get_running_loop(), None)
        if found is not None:
            await found.close()


def _seconds(answer: PlatformAnswer) -> float | None:
    given = answer.retry_after or ""
    return float(given) if given.isdigit() and len(given) < 6 else None
