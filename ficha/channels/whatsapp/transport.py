"""HTTP itself: the one place that knows httpx, and what each of its failures says about the request's fate."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import IO

import httpx

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused

CONNECT_SECONDS = 5.0
# No JSON answer of the platform comes near it; what does is not the platform.
ANSWER_BYTES = 8_000_000
# A download address lives five minutes: the platform may not make us wait longer for its bytes.
DOWNLOAD_SECONDS = 300.0

# Nothing of the body reached the platform whole: not a byte was written, or the last ones never were.
NEVER_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.WriteTimeout)
# The request itself cannot be put into HTTP, today or tomorrow.
IMPOSSIBLE = (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL)


@dataclass(frozen=True)
class HttpAnswer:
    """Header names in lower case; the body as it was before any compression."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Stream:
    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@dataclass(frozen=True)
class Form:
    """A multipart form with one file in it."""

    fields: Mapping[str, str]
    file: IO[bytes]
    file_name: str
    mime: str


class Transport:
    """A pool of connections. It follows no redirect and reads no environment: a token goes where it was sent."""

    def __init__(self, seconds: float) -> None:
        # httpx notes every address it calls, and one of the platform's carries a token.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._seconds = seconds
        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
        self._client = httpx.Client(timeout=timeout, follow_redirects=False, trust_env=False)

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | Form | None = None) -> HttpAnswer:
        with self._sent(self._request(method, url, headers, body)) as response:
            chunks = _patient(response, self._seconds)
            content = bytearray()
            for chunk in chunks:
                content += chunk
                if len(content) > ANSWER_BYTES:
                    raise OutcomeUnknown("whatsapp: the answer has no end")
            return HttpAnswer(response.status_code, _headers(response), bytes(content))

    @contextmanager
    def stream(self, url: str, headers: Mapping[str, str]) -> Iterator[Stream]:
        with self._sent(self._request("GET", url, headers, None)) as response:
            yield Stream(response.status_code, _headers(response), _patient(response, DOWNLOAD_SECONDS))

    def close(self) -> None:
        self._client.close()

    def _request(self, method: str, url: str, headers: Mapping[str, str], body: bytes | Form | None) -> httpx.Request:
        # A header may hold a caller's token with anything in it: bytes are judged by the protocol, not by a codec.
        pairs = [(name.encode(), value.encode(errors="replace")) for name, value in headers.items()]
        with _told():
            if isinstance(body, Form):
                files = {"file": (body.file_name, body.file, body.mime)}
                return self._client.build_request(method, url, headers=pairs, data=body.fields, files=files)
            return self._client.build_request(method, url, headers=pairs, content=body)

    @contextmanager
    def _sent(self, request: httpx.Request) -> Iterator[httpx.Response]:
        with _told():
            response = self._client.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _patient(response: httpx.Response, seconds: float) -> Iterator[bytes]:
    """The body, waiting no longer than this for all of it. Only the platform's slowness counts, not our reader's."""
    # As they come: collecting them to an even size would wait unseen.
    chunks = response.iter_bytes()
    waited = 0.0
    while True:
        start = monotonic()
        with _told():
            chunk = next(chunks, None)
        waited += monotonic() - start
        if chunk is None:
            return
        if waited > seconds:
            raise OutcomeUnknown("whatsapp: the answer came too slowly")
        yield chunk


@contextmanager
def _told() -> Iterator[None]:
    """Our own words for what happened to a request. httpcore swallows errors while writing and looks for an answer all
    the same, so a line that broke in the middle shows up as one that broke while reading: unsure."""
    try:
        yield
    except NEVER_ARRIVED as error:
        raise NotSent(f"whatsapp: {type(error).__name__}") from error
    except IMPOSSIBLE as error:
        raise Refused(f"whatsapp: {type(error).__name__}") from error
    except httpx.RequestError as error:
        raise OutcomeUnknown(f"whatsapp: {type(error).__name__}") from error
