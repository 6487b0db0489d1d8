"""HTTP by httpx, one call at a time."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import IO

import httpx

from ficha.channels.errors import OutcomeUnknown, TooSlow
from ficha.channels.http_clients import certificates, translated_errors
from ficha.channels.whatsapp.graph import FileForm, HttpAnswer, Stream

CONNECT_SECONDS = 5.0
# All JSON answers of the platform are much smaller: a larger one is not the platform's.
ANSWER_BYTES = 8_000_000
# A download address is valid for five minutes, so no download may take longer.
DOWNLOAD_SECONDS = 300.0


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
        with translated_errors("whatsapp"):
            if isinstance(body, FileForm):
                files = {"file": (body.file_name, body.file, body.mime)}
                return self._client.build_request(method, url, headers=pairs, data=body.fields, files=files)
            return self._client.build_request(method, url, headers=pairs, content=body)

    @contextmanager
    def _send(self, request: httpx.Request) -> Iterator[httpx.Response]:
        with translated_errors("whatsapp"):
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
        with translated_errors("whatsapp"):
            chunk = next(chunks, None)
        waited += monotonic() - start
        if chunk is None:
            return
        if waited > seconds:
            raise TooSlow("whatsapp: the answer came too slowly")
        yield chunk
