"""An answer of the lane, and the headers that it gets: the same as the frame's, as bytes made beforehand."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from starlette.types import Scope

from ficha.core.settings import Settings
from ficha.http.frame import fixed_headers
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
EXPOSED = ("ETag", "Ficha-Dudoso", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id")


class ResponseHeaders:
    def __init__(self, settings: Settings) -> None:
        self._fixed = [(name.lower().encode(), value.encode()) for name, value in fixed_headers(settings)]
        own = (b"content-security-policy", b"referrer-policy")
        self._fixed_of_pages = [pair for pair in self._fixed if pair[0] not in own]
        self._origins = {origin.encode() for origin in settings.cors_origins}

    def of(self, response: LaneResponse, request_id: bytes, headers: Mapping[bytes, bytes], scope: Scope) -> Headers:
        _, body, more, kind = response
        # A page brings its own policy and its own referrer rule.
        made = [*(self._fixed if kind is JSON else self._fixed_of_pages), (b"x-request-id", request_id), *more]
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


def matches(header: bytes, etag: str) -> bool:
    """If-None-Match: one, several or any; weak ones count."""
    given = {part.strip().removeprefix("W/") for part in header.decode("latin-1").split(",")}
    return "*" in given or f'"{etag}"' in given
