"""What surrounds an answer of the lane: the same headers and envelope as the frame's, as bytes made beforehand."""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from starlette.types import Scope

from ficha.core.clock import Clock
from ficha.core.errors import FichaError
from ficha.core.settings import Settings
from ficha.fastlane.record_payloads import Payload
from ficha.http.envelope import Reply
from ficha.http.frame import REQUEST_ID, fixed_headers
from ficha.http.limits import LimitStatus

Headers = list[tuple[bytes, bytes]]
JSON = b"application/json"


class LaneResponse(NamedTuple):
    """An answer ready to leave. `body` is None where there is nothing to describe."""

    status: int
    body: bytes | None
    more: Headers
    kind: bytes = JSON


# Answers a request, given its headers; None leaves it to the application behind.
Handler = Callable[[dict[bytes, bytes]], Awaitable[LaneResponse | None]]

# What a script of another origin may read; preflights are answered behind the lane.
EXPOSED = ("ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id")


class ResponseHeaders:
    def __init__(self, settings: Settings) -> None:
        self._fixed = [(name.lower().encode(), value.encode()) for name, value in fixed_headers(settings)]
        own = (b"content-security-policy", b"referrer-policy")
        self._fixed_of_pages = [pair for pair in self._fixed if pair[0] not in own]
        self._origins = {origin.encode() for origin in settings.cors_origins}

    def of(
        self, request_id: bytes, headers: Mapping[bytes, bytes], scope: Scope, body: bytes | None, kind: bytes
    ) -> Headers:
        # A page brings its own policy and its own referrer rule.
        made = [*(self._fixed if kind is JSON else self._fixed_of_pages), (b"x-request-id", request_id)]
        if body is not None:
            made += ((b"content-type", kind), (b"content-length", b"%d" % len(body)))
        measures: list[LimitStatus] | None = scope.get("ficha.limits")
        if measures:
            made.append((b"ratelimit-policy", ", ".join([measure.policy for measure in measures]).encode()))
            made.append((b"ratelimit", ", ".join([measure.state for measure in measures]).encode()))
        if self._origins and headers.get(b"origin") in self._origins:
            made += (
                (b"access-control-allow-origin", headers[b"origin"]),
                (b"access-control-allow-credentials", b"true"),
                (b"access-control-expose-headers", ", ".join(EXPOSED).encode()),
                (b"vary", b"Origin"),
            )
        return made


class EnvelopeBytes:
    """`meta` changes once a second, so it is made once a second."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._begins = self._ends = datetime.min.replace(tzinfo=UTC)
        self._meta = b""

    def around(self, payload: Payload, now: datetime) -> bytes:
        # Comparing is quicker than cutting off the microseconds each time.
        if not self._begins <= now < self._ends:
            self._begins = now.replace(microsecond=0)
            self._ends = self._begins + timedelta(seconds=1)
            self._meta = self._meta_at(self._begins)
        if payload.size is None:
            return b'%b},"data":%b}' % (self._meta, payload.data)
        return b'%b,"page":{"size":%d,"next":null}},"data":%b}' % (self._meta, payload.size, payload.data)

    def error(self, error: FichaError) -> bytes:
        body = Reply(self._settings, self._clock, error.status).errors(error.problems)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()

    def _meta_at(self, second: datetime) -> bytes:
        """Left open, because a list adds its page."""
        meta = {
            "timestamp": second.isoformat(),
            "api_version": self._settings.api_version,
            "status": 200,
            "copyright": self._settings.copyright,
        }
        return b'{"meta":' + json.dumps(meta, ensure_ascii=False, separators=(",", ":")).encode().removesuffix(b"}")


def request_id_of(headers: Mapping[bytes, bytes]) -> bytes:
    given = headers.get(b"x-request-id")
    if given is not None and REQUEST_ID.fullmatch(given.decode("latin-1")):
        return given
    return os.urandom(8).hex().encode()


def matches(header: bytes, etag: str) -> bool:
    """If-None-Match: one, several or any; weak ones count."""
    given = {part.strip().removeprefix("W/") for part in header.decode("latin-1").split(",")}
    return "*" in given or f'"{etag}"' in given
