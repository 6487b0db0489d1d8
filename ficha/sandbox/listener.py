"""The HTTP server: h11 over asyncio streams, because a response must also be able to be cut, late or missing."""

import asyncio
import contextlib
import sys
import traceback
from collections.abc import Awaitable, Callable

import h11

from ficha.sandbox.http_messages import Ending, HttpRequest, HttpResponse

LARGEST_BODY = 110_000_000
# Of the event loop, until a connection that has just come is among ours.
TURNS_TO_ACCEPT = 5
_SET_HERE = frozenset({"content-length", "connection", "transfer-encoding"})

Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


class BodyTooLarge(Exception):
    """The body is larger than any file that a platform takes."""


class Listener:
    """Listens on this machine only."""

    def __init__(self, handler: Handler, port: int) -> None:
        self._handler = handler
        self._port = port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Returns the port; raises OSError if it is taken."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._port)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def stop(self) -> None:
        if self._server is not None:
            # Nobody new; whoever has just come gets as far as to be among ours. A server that is closed before that
            # forgets the connection and leaves it open.
            for listening in self._server.sockets:
                asyncio.get_running_loop().remove_reader(listening.fileno())
            for _ in range(TURNS_TO_ACCEPT):
                await asyncio.sleep(0)
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._serve_connection(reader, writer))
        self._connections.add(task)

        def ended(_: asyncio.Task[None]) -> None:
            self._connections.discard(task)
            writer.close()  # One that was cancelled before it began has not done so itself.

        task.add_done_callback(ended)

    async def _serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ConnectionError, h11.ProtocolError, asyncio.IncompleteReadError):
                await Connection(reader, writer, self._handler).run()
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()


class Connection:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._http = h11.Connection(h11.SERVER)

    async def run(self) -> None:
        while True:
            try:
                request = await self._read_request()
            except BodyTooLarge:
                await self._send(HttpResponse(413))
                return
            if request is None:
                return
            response = await self._handle(request)
            if not await self._respond(response) or self._http.our_state is h11.MUST_CLOSE:
                return
            self._http.start_next_cycle()

    async def _handle(self, request: HttpRequest) -> HttpResponse:
        try:
            return await self._handler(request)
        except Exception:
            # A bug of the sandbox must not pass for an error of the platform.
            traceback.print_exc(file=sys.stderr)
            return HttpResponse(500, b"The sandbox itself failed.", {"Content-Type": "text/plain"})

    async def _read_request(self) -> HttpRequest | None:
        head = await self._next_event()
        if not isinstance(head, h11.Request):
            return None
        body = bytearray()
        while isinstance(event := await self._next_event(), h11.Data):
            body += event.data
            if len(body) > LARGEST_BODY:
                raise BodyTooLarge
        if not isinstance(event, h11.EndOfMessage):
            return None
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
        return HttpRequest.of(head.method.decode(), head.target.decode("latin-1"), headers, bytes(body))

    async def _next_event(self) -> h11.Event | type[h11.PAUSED]:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                self._write(h11.InformationalResponse(status_code=100, headers=[]))
                await self._writer.drain()
            self._http.receive_data(await self._reader.read(65536))
        return event  # type: ignore[return-value]  # NEED_DATA never leaves the loop.

    async def _respond(self, response: HttpResponse) -> bool:
        """Sends the response in the way its `ending` says. Returns whether the connection stays open."""
        if response.ending is Ending.CLOSED:
            return False
        if response.ending is Ending.SILENT:
            # The caller gives up first, or we are stopped.
            while await self._reader.read(65536):
                pass
            return False
        await self._send(response, whole=response.ending is Ending.WHOLE)
        return response.ending is Ending.WHOLE

    async def _send(self, response: HttpResponse, *, whole: bool = True) -> None:
        headers = [(name, value) for name, value in response.headers.items() if name.lower() not in _SET_HERE]
        headers.append(("Content-Length", str(len(response.body))))
        self._write(h11.Response(status_code=response.status, headers=headers))
        if whole:
            self._write(h11.Data(data=response.body))
            self._write(h11.EndOfMessage())
        else:
            self._write(h11.Data(data=response.body[: len(response.body) // 2]))
        await self._writer.drain()

    def _write(self, event: h11.Event) -> None:
        if (data := self._http.send(event)) is not None:
            self._writer.write(data)
