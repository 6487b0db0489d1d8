"""HTTP: one call at a time by httpx, or several POST requests at once, made by one thread: all are written, then all
answers are read. httpx has one call under way in each thread, for five times the CPU."""

import logging
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from select import POLLIN, poll
from selectors import EVENT_READ, DefaultSelector
from threading import Lock
from time import monotonic
from typing import IO
from urllib.parse import urlsplit

import h11
import httpx

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, TooSlow
from ficha.channels.http_clients import certificates, translated_errors
from ficha.channels.whatsapp.http_messages import FileForm, HttpAnswer, Stream

CONNECT_SECONDS = 5.0
# All JSON answers of the platform are much smaller: a larger one is not the platform's.
ANSWER_BYTES = 8_000_000
# A download address is valid for five minutes, so no download may take longer.
DOWNLOAD_SECONDS = 300.0


class WhatsAppTransport:
    """A pool of connections, and that of `posts`. Both follow no redirects and no proxies of the environment, so that
    a token only goes to the address that was called."""

    def __init__(self, base_url: str, seconds: float) -> None:
        self.posts = ParallelPosts(base_url, seconds)
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
        self.posts.close()

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


# A connection that was idle for longer may be closed by the platform at the very moment of the next call.
IDLE_SECONDS = 30.0
MOST_IDLE = 64
# Answers that come this soon after each other are given together.
GATHER_SECONDS = 0.01
# An answer that is there when the time is over still counts.
LAST_READ_SECONDS = 0.05
RECEIVED_BYTES = 65_536

PostResult = HttpAnswer | NotSent | OutcomeUnknown | Refused


@dataclass
class OpenConnection:
    socket: socket.socket
    http: h11.Connection = field(default_factory=lambda: h11.Connection(h11.CLIENT))
    idle_since: float = 0.0

    @property
    def is_usable(self) -> bool:
        """Nothing is under way on it: if there is something to read, the platform has closed it."""
        said = poll()
        said.register(self.socket.fileno(), POLLIN)
        return monotonic() - self.idle_since < IDLE_SECONDS and not said.poll(0)


class ParallelPosts:
    """Connections to one host, kept open between calls. Safe to use from many threads. Like `WhatsAppTransport` it
    follows no redirects and no proxies."""

    def __init__(self, base_url: str, seconds: float) -> None:
        parts = urlsplit(base_url)
        self._seconds = seconds
        self._host = parts.hostname or ""
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._netloc = parts.netloc.rpartition("@")[2]
        self._tls: ssl.SSLContext | None = certificates() if parts.scheme == "https" else None
        self._idle: list[OpenConnection] = []
        self._lock = Lock()

    def post(
        self, target: str, headers: Mapping[str, str], bodies: Sequence[bytes]
    ) -> Iterator[Mapping[int, PostResult]]:
        """The results by the indexes of the bodies in the list, as they come; in the end there is one for each."""
        results: dict[int, PostResult] = {}
        waiting: dict[int, OpenConnection] = {}
        # A caller's token may contain anything: as bytes it is checked by the protocol, not by a text encoding.
        pairs = [(name.encode(), value.encode(errors="replace")) for name, value in headers.items()]
        for index, body in enumerate(bodies):
            try:
                waiting[index] = self._write(target, pairs, body)
            except NotSent as error:
                # Nor could the others be sent: a platform that cannot be reached is not waited for sixteen times.
                results |= dict.fromkeys(range(index, len(bodies)), error)
                break
            except (OutcomeUnknown, Refused) as error:
                results[index] = error
        try:
            yield from self._read_all(waiting, results)
        finally:
            # Of the time-out, or because nobody wants the answers any more.
            for connection in waiting.values():
                connection.socket.close()

    def _read_all(
        self, waiting: dict[int, OpenConnection], results: dict[int, PostResult]
    ) -> Iterator[Mapping[int, PostResult]]:
        """Takes out of `waiting` what has been answered. `results` are those that are known already."""
        deadline = monotonic() + self._seconds
        with DefaultSelector() as selector:
            for index, connection in waiting.items():
                selector.register(connection.socket, EVENT_READ, index)
            while waiting:
                ready = selector.select(GATHER_SECONDS if results else max(0.0, deadline - monotonic()))
                if not ready and results:
                    yield results
                    results = {}
                elif not ready:
                    yield dict.fromkeys(waiting, OutcomeUnknown("whatsapp: ReadTimeout"))
                    return
                for key, _ in ready:
                    connection = waiting.pop(key.data)
                    selector.unregister(connection.socket)
                    results[key.data] = self._read(connection, deadline)
        if results:
            yield results

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.socket.close()

    def _write(self, target: str, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> OpenConnection:
        """Raises NotSent, OutcomeUnknown or Refused."""
        request = [(b"Host", self._netloc.encode()), (b"Content-Length", b"%d" % len(body)), *headers]
        connection = self._take()
        http = connection.http
        try:
            parts = (h11.Request(method=b"POST", target=target, headers=request), h11.Data(body), h11.EndOfMessage())
            written = b"".join(http.send(part) or b"" for part in parts)
            connection.socket.settimeout(self._seconds)
            connection.socket.sendall(written)
        except h11.LocalProtocolError as error:  # It cannot be written as HTTP, so repeating it cannot help.
            connection.socket.close()
            raise Refused("whatsapp: LocalProtocolError") from error
        except TimeoutError as error:  # The platform never got the whole request.
            connection.socket.close()
            raise NotSent("whatsapp: WriteTimeout") from error
        except OSError as error:
            connection.socket.close()
            raise OutcomeUnknown(f"whatsapp: {type(error).__name__}") from error
        return connection

    def _read(self, connection: OpenConnection, deadline: float) -> PostResult:
        http, status, headers, body = connection.http, 0, dict[str, str](), bytearray()
        try:
            while not isinstance(event := http.next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    connection.socket.settimeout(max(LAST_READ_SECONDS, deadline - monotonic()))
                    http.receive_data(connection.socket.recv(RECEIVED_BYTES))
                elif isinstance(event, h11.Response):
                    status = event.status_code
                    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
                elif isinstance(event, h11.Data):
                    body += event.data
                    if len(body) > ANSWER_BYTES:
                        raise OSError("the answer has no end")
        except (OSError, h11.RemoteProtocolError) as error:
            connection.socket.close()
            return OutcomeUnknown(f"whatsapp: {type(error).__name__}")
        self._give_back(connection)
        return HttpAnswer(status, headers, bytes(body))

    def _take(self) -> OpenConnection:
        """Raises NotSent if none can be opened."""
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return self._open()
            if connection.is_usable:
                return connection
            connection.socket.close()

    def _open(self) -> OpenConnection:
        try:
            opened = socket.create_connection((self._host, self._port), CONNECT_SECONDS)
            try:
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._tls is not None:
                    opened = self._tls.wrap_socket(opened, server_hostname=self._host)
            except BaseException:
                opened.close()
                raise
        except OSError as error:
            raise NotSent(f"whatsapp: {type(error).__name__}") from error
        return OpenConnection(opened)

    def _give_back(self, connection: OpenConnection) -> None:
        http = connection.http
        with self._lock:
            if http.our_state is http.their_state is h11.DONE and len(self._idle) < MOST_IDLE:
                http.start_next_cycle()
                connection.idle_since = monotonic()
                self._idle.append(connection)
                return
        connection.socket.close()
