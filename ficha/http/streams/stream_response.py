"""A response that is written piece by piece until its reader leaves, is too slow, or is ended by the server."""

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Send

from ficha.events.hub import Ending, Subscriber
from ficha.http.streams.open_streams import OpenStreams

HEARTBEAT = b": latido\n\n"
# A reader who takes nothing for this many heartbeats is gone, whatever the network says.
SEND_TIMEOUT_BEATS = 2
# How long the last words may take after the session ended or the server stops.
LAST_WRITE_SECONDS = 1.0


class StreamResponse(Response):
    media_type = "text/event-stream"

    def __init__(self, streams: OpenStreams, subscriber: Subscriber) -> None:
        # Not Response's own: it would announce a Content-Length.
        self.status_code = 200
        self.background = None
        # Some proxies keep an answer until it ends, unless a header says that this one does not.
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self.streams = streams
        self.subscriber = subscriber

    async def write(self, send: Send) -> None:
        """Each kind of stream has its own: it writes the whole answer, and returns once `subscriber.ending` is set."""
        raise NotImplementedError

    async def serve(self, receive: Receive, send: Send) -> None:
        """Writing blocks while a slow reader takes nothing, so other tasks watch for the end."""
        writer = asyncio.create_task(self.write(send))
        others = [asyncio.create_task(_until_disconnected(receive)), asyncio.create_task(self._until_ended())]
        try:
            await asyncio.wait([writer, *others], return_when=asyncio.FIRST_COMPLETED)
            if self.subscriber.ending in (Ending.SESSION, Ending.STOPPING, Ending.REPLACED):
                await asyncio.wait([writer], timeout=LAST_WRITE_SECONDS)
        finally:
            for task in (writer, *others):
                task.cancel()
            outcome, *_ = await asyncio.gather(writer, *others, return_exceptions=True)
        if isinstance(outcome, Exception) and not isinstance(outcome, OSError):  # OSError: nobody is there any more.
            raise outcome

    async def start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def send_piece(self, send: Send, piece: bytes) -> None:
        """Ends the subscriber if the piece is not taken in time."""
        try:
            async with asyncio.timeout(self.streams.rules.beat_seconds * SEND_TIMEOUT_BEATS):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except TimeoutError:
            self.subscriber.end(Ending.TOO_SLOW)

    async def finish(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": b""})

    async def _until_ended(self) -> None:
        await self.subscriber.ended.wait()


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
