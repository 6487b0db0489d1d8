"""HTTP by httpx: the only module that imports it, and says for each of its errors whether the request arrived."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import IO

import httpx

from ficha.channels.certificates import certificates
from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, TooSlow

CONNECT_SECONDS = 5.0
# All JSON answers of the platform are much smaller: a larger one is not the platform's.
ANSWER_BYTES = 8_000_000
# A download address is valid for five minutes, so no download may take longer.
DOWNLOAD_SECONDS = 300.0

# The platform never got the whole request.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.WriteTimeout)
# The request cannot be written as HTTP, so repeating it cannot help.
INVALID_REQUEST = (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL)


@dataclass(frozen=True)
class HttpAnswer:
    """Header names in lower case; the body after decompression."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Stream:
    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@dataclass(frozen=True)
class FileForm:
    """A multipart form with one file in it."""

    fields: Mapping[str, str]
    file: IO[bytes]
    file_name: str
    mime: str


class WhatsAppTransport:
    """A pool of connections. It follows no redirects and no proxies of the environment, so that a token only goes to
    the address that was called."""

    def __init__(self, seconds: float) -> None:
        # httpx logs every address it calls, and one of the platform's contains a token.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._seconds = seconds
        timeout = httpx.Timeout(seconds, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
        self._client = httpx.Client(timeout=timeout, verify=certificates(), follow_redirects=False, trust_env=False)

    def call(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | IO[bytes] | FileForm | None = None
    ) -> HttpAnswer:
        with self._send(self._request(method, url, headers, body)) as response:
            content = bytearray()
            for chunk in _timed_chunks(response, self._seconds):
                content += chunk
                if len(content) > ANSWER_BYTES:
                    raise OutcomeUnknown("whatsapp: the answer has no end")
            return HttpAnswer(response.status_code, _headers(response), bytes(content))

    @contextmanager
    def stream(self, url: str, headers: Mapping[str, str]) -> Iterator[Stream]:
        with self._send(self._request("GET", url, headers, None)) as response:
            yield Stream(response.status_code, _headers(response), _timed_chunks(response, DOWNLOAD_SECONDS))

    def close(self) -> None:
        self._client.close()

    def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | IO[bytes] | FileForm | None
    ) -> httpx.Request:
        # A caller's token may contain anything: as bytes it is checked by the protocol, not by a text encoding.
        pairs = [(name.encode(), value.encode(errors="replace")) for name, value in headers.items()]
        with _translated_errors():
            if isinstance(body, FileForm):
                files = {"file": (body.file_name, body.file, body.mime)}
                return self._client.build_request(method, url, headers=pairs, data=body.fields, files=files)
            return self._client.build_request(method, url, headers=pairs, content=body)

    @contextmanager
    def _send(self, request: httpx.Request) -> Iterator[httpx.Response]:
        with _translated_errors():
            response = self._client.send(request, stream=True)
        try:
            yield response
        finally:
            response.close()


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _timed_chunks(response: httpx.Response, seconds: float) -> Iterator[bytes]:
    """The body as it arrives. Raises TooSlow once we have waited longer than `seconds` for the platform; the
    time that our own reader takes is not counted."""
    # Without a chunk size: httpx would collect chunks to that size, and its waiting would not be counted.
    chunks = response.iter_bytes()
    waited = 0.0
    while True:
        start = monotonic()
        with _translated_errors():
            chunk = next(chunks, None)
        waited += monotonic() - start
        if chunk is None:
            return
        if waited > seconds:
            raise TooSlow("whatsapp: the answer came too slowly")
        yield chunk


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raises our errors instead of httpx's. httpcore ignores errors while writing and waits for an answer all the same,
    so a connection that broke while we wrote looks like one that broke while we read: the outcome is unknown."""
    try:
        yield
    except NOT_SENT as error:
        raise NotSent(f"whatsapp: {type(error).__name__}") from error
    except INVALID_REQUEST as error:
        raise Refused(f"whatsapp: {type(error).__name__}") from error
    except httpx.ReadTimeout as error:
        raise TooSlow(f"whatsapp: {type(error).__name__}") from error
    except httpx.RequestError as error:
        raise OutcomeUnknown(f"whatsapp: {type(error).__name__}") from error
