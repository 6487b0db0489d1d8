"""The event stream of an account: who may listen and from where on; what was missed, what happens, and why it ends."""

import json
from collections.abc import Iterable
from typing import Annotated, NamedTuple

from fastapi import Header, Query, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ficha.accounts.tokens import Caller
from ficha.api.operations import Operations
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.events.events import (
    Audience,
    EventPosition,
    PositionState,
    StreamedEvent,
    position_from_wire,
    position_to_wire,
)
from ficha.events.hub import Ending, StreamsFull, Subscriber
from ficha.events.statements import position_state
from ficha.http.callers import credentials_of
from ficha.http.streams import HEARTBEAT, OpenStreams, StreamCredential, StreamResponse, caller_and_credential
from ficha.parts import Parts

operations = Operations("emergencies")

EXAMPLE = 'id: 759-12\nevent: emergency.opened\ndata: {"at":"2026-11-15T12:00:00+00:00","id":7,"state":"open"}\n\n'

SessionKey = Annotated[
    str | None, Query(description="The session's name. It is no secret: the token is needed all the same.")
]
LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        description="The last `id` received: what came since comes first. Without it, what comes from now on.",
    ),
]


class UnknownEvent(FichaError):
    status = 400
    code = "evento_desconocido"
    message = "Ese identificador no es de ningún evento. Conéctese sin Last-Event-ID para recibir lo nuevo."
    source = Source("header", "Last-Event-ID")


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


@operations.get(
    "/events",
    "Events",
    callers="bearer",
    seed=True,
    errors=(404, 422, 503),
    responses={200: {"content": {"text/event-stream": {"example": EXAMPLE}}}},
    response_class=EventStream,
)
async def events(request: Request, session_key: SessionKey = None, last_event_id: LastEventId = None) -> Response:
    """What happens to the caller's records, messages and emergencies, as it happens: Server-Sent Events.

    Each has an `id`, an `event` (its kind) and `data` (JSON: ids, states and times). A comment comes every few seconds.
    Of records: `record.changed`, `access.offered`, `access.granted`, `access.withdrawn`; by others, `access.opened`.
    Of emergencies: `emergency.opened`, `emergency.changed`. Of messages: `message.received`. Of the subscription:
    `subscription.changed`. Staff also get `message.state`, `codes.decoy_touched` and `codes.typed_by_one_address`.
    `gap` says that some of what was missed is no longer kept; `bye`, that the session has ended.
    """
    streams: OpenStreams = request.app.state.streams
    if streams.hub.is_stopping:
        raise StreamsFull
    since = None if last_event_id is None else position_from_wire(last_event_id)
    # After a restart everybody connects at once. The usual dependencies hold a connection while they wait for threads
    # that wait for connections; the hub's own few threads let callers in one after another.
    opened = await streams.hub.read(_open_stream, request, session_key, since)
    if last_event_id is not None and (since is None or opened.position_state is PositionState.UNKNOWN):
        raise UnknownEvent
    subscriber = Subscriber(Audience(account_id=opened.caller.account_id), is_staff=opened.credential.is_staff)
    has_gap = opened.position_state is PositionState.PRUNED
    return EventStream(streams, subscriber, opened.credential, since, has_gap=has_gap)


class OpenedStream(NamedTuple):
    caller: Caller
    credential: StreamCredential
    position_state: PositionState


def _open_stream(
    tx: Transaction, request: Request, session_key: str | None, since: EventPosition | None
) -> OpenedStream:
    """Raises Unauthenticated, TooManyRequests, or NotFound if the session key is another session's."""
    parts: Parts = request.app.state.parts
    now = parts.clock.now()
    demanded = parts.settings.staff_second_factor
    caller, credential = caller_and_credential(tx, credentials_of(request), now, staff_second_factor=demanded)
    parts.last_used.note(caller.token_id, now, browser_hash=credential.browser_hash)
    request.app.state.limiter.hit_token(request, caller.token_id)
    if session_key is not None and session_key != caller.session_key:
        raise NotFound
    return OpenedStream(caller, credential, PositionState.KEPT if since is None else position_state(tx, since))


def _frames(events: Iterable[StreamedEvent]) -> bytes:
    return b"".join(event.frame for event in events)
