"""The events of one account as a stream: first what was missed, then what happens, then why it ends."""

import json
from collections.abc import Iterable

from starlette.types import Receive, Scope, Send

from ficha.events.events import EventPosition, StreamedEvent, position_to_wire
from ficha.events.hub import Ending, Subscriber
from ficha.http.streams.credentials import StreamCredential
from ficha.http.streams.open_streams import OpenStreams
from ficha.http.streams.stream_response import HEARTBEAT, StreamResponse

FIRST_LINES = b": hola\nretry: 2000\n\n"


def _notice(kind: str, detail: str) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'detail': detail}, ensure_ascii=False)}\n\n".encode()


GAP = _notice("gap", "Parte de lo ocurrido desde ese punto ya no se conserva. Vuelva a leer lo que necesite.")
BYE = _notice("bye", "La sesión terminó. Inicie sesión y vuelva a conectarse.")


class EventStream(StreamResponse):
    """`since` is the last event that the reader has; `has_gap` says that not all since then is kept."""

    def __init__(
        self,
        streams: OpenStreams,
        subscriber: Subscriber,
        credential: StreamCredential,
        since: EventPosition | None,
        *,
        has_gap: bool,
    ) -> None:
        super().__init__(streams, subscriber)
        self._credential = credential
        self._since = since
        self._has_gap = has_gap

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await self.start(send)
            await self.finish(send)
            return
        await self.streams.add(self.subscriber, self._credential, self._since)
        try:
            await self.serve(receive, send)
        finally:
            self.streams.remove(self.subscriber)

    async def write(self, send: Send) -> None:
        subscriber, hub = self.subscriber, self.streams.hub
        await self.start(send)
        await self.send_piece(send, FIRST_LINES + GAP if self._has_gap else FIRST_LINES)
        async for page in hub.missed(subscriber):
            await self.send_piece(send, _frames(page))
            if subscriber.ending is not None:
                break
        else:
            # A reader who is cut off before anything happened can go on from here too.
            await self.send_piece(send, f"id: {position_to_wire(subscriber.position)}\n\n".encode())
        while subscriber.ending is None:
            fresh = await subscriber.next(self.streams.rules.beat_seconds)
            if fresh:
                await self.send_piece(send, _frames(fresh))
            elif subscriber.ending is None:
                await self.send_piece(send, HEARTBEAT)
        if subscriber.ending is Ending.SESSION:
            await self.send_piece(send, BYE)
        await self.finish(send)


def _frames(events: Iterable[StreamedEvent]) -> bytes:
    return b"".join(event.frame for event in events)
