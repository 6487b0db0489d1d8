"""The answer itself: written as events come, until the reader leaves, is too slow, or has no session any more."""

import asyncio
import json
from collections.abc import Iterable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ficha.events.events import EventPosition
from ficha.events.ordered_reads import StreamedEvent, position_to_wire
from ficha.events.subscriber import Ending, Subscriber
from ficha.http.streams.credentials import Credential
from ficha.http.streams.open_streams import OpenStreams

HELLO = b": hola\nretry: 2000\n\n"
BEAT = b": latido\n\n"
# Who takes nothing for this many beats is gone, whatever the network says.
PATIENCE_BEATS = 2
FAREWELL_SECONDS = 1.0


def _said(kind: str, detail: str) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'detail': detail}, ensure_ascii=False)}\n\n".encode()


GAP = _said("gap", "Parte de lo ocurrido desde ese punto ya no se conserva. Vuelva a leer lo que necesite.")
BYE = _said("bye", "La sesión terminó. Inicie sesión y vuelva a conectarse.")


class EventStream(Response):
    media_type = "text/event-stream"

    def __init__(
        self,
        streams: OpenStreams,
        reader: Subscriber,
        credential: Credential,
        since: EventPosition | None,
        *,
        has_gap: bool,
    ) -> None:
        self.status_code = 200
        self.background = None
        # Some proxies keep an answer until it ends, unless told that this one does not.
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._streams = streams
        self._reader = reader
        self._credential = credential
        self._since = since
        self._has_gap = has_gap

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await self._begin(send)
            await send({"type": "http.response.body", "body": b""})
            return
        await self._streams.enter(self._reader, self._credential, self._since)
        try:
            await self._serve(receive, send)
        finally:
            self._streams.leave(self._reader)

    async def _serve(self, receive: Receive, send: Send) -> None:
        """Writing waits while a slow reader takes its time, so its end is watched from beside it."""
        writer = asyncio.create_task(self._write(send))
        others = [asyncio.create_task(_until_gone(receive)), asyncio.create_task(self._until_ended())]
        try:
            await asyncio.wait([writer, *others], return_when=asyncio.FIRST_COMPLETED)
            if self._reader.ending in (Ending.SESSION, Ending.STOPPING):
                await asyncio.wait([writer], timeout=FAREWELL_SECONDS)
        finally:
            for task in (writer, *others):
                task.cancel()
            outcome, *_ = await asyncio.gather(writer, *others, return_exceptions=True)
        if isinstance(outcome, Exception) and not isinstance(outcome, OSError):  # OSError: nobody is there any more.
            raise outcome

    async def _write(self, send: Send) -> None:
        reader, hub = self._reader, self._streams.hub
        await self._begin(send)
        await self._say(send, HELLO + GAP if self._has_gap else HELLO)
        async for page in hub.missed(reader):
            await self._say(send, _frames(page))
            if reader.ending is not None:
                break
        else:
            # Who is cut off before anything happened can go on from here too.
            await self._say(send, f"id: {position_to_wire(reader.position)}\n\n".encode())
        while reader.ending is None:
            fresh = await reader.next(self._streams.rules.beat_seconds)
            if fresh:
                await self._say(send, _frames(fresh))
            elif reader.ending is None:
                await self._say(send, BEAT)
        if reader.ending is Ending.SESSION:
            await self._say(send, BYE)
        await send({"type": "http.response.body", "body": b""})

    async def _begin(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def _say(self, send: Send, text: bytes) -> None:
        try:
            async with asyncio.timeout(self._streams.rules.beat_seconds * PATIENCE_BEATS):
                await send({"type": "http.response.body", "body": text, "more_body": True})
        except TimeoutError:
            self._reader.end(Ending.TOO_SLOW)

    async def _until_ended(self) -> None:
        await self._reader.ended.wait()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _frames(events: Iterable[StreamedEvent]) -> bytes:
    return b"".join(event.frame for event in events)
