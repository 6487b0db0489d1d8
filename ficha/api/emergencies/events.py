"""The event stream: who may listen, and from where on."""

from typing import Annotated, NamedTuple

from fastapi import Header, Query, Request
from starlette.responses import Response

from ficha.accounts.tokens import Caller
from ficha.api.operations import Operations
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.events.events import Audience, EventPosition
from ficha.events.hub import StreamsFull
from ficha.events.ordered_reads import PositionState, position_from_wire, position_state
from ficha.events.subscriber import Subscriber
from ficha.http.callers import credentials_of
from ficha.http.limits import RateLimit
from ficha.http.streams import OpenStreams
from ficha.http.streams.credentials import StreamCredential, caller_and_credential
from ficha.http.streams.event_stream import EventStream
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


@operations.undescribed("HEAD", "/events")
@operations.get(
    "/events",
    "Events",
    door="bearer",
    seed=True,
    errors=(404, 422, 503),
    responses={200: {"content": {"text/event-stream": {"example": EXAMPLE}}}},
    response_class=EventStream,
)
async def events(request: Request, session_key: SessionKey = None, last_event_id: LastEventId = None) -> Response:
    """What happens to the caller's records, messages and emergencies, as it happens: Server-Sent Events.

    Each has an `id`, an `event` (its kind) and `data` (JSON: ids, states and times). A comment comes every few seconds.
    Of records: `record.changed`, `access.offered`, `access.granted`, `access.withdrawn`; by others, `access.opened`.
    Of emergencies: `emergency.opened`, `emergency.changed`. Of messages: `message.received`. Staff also get
    `message.state`, `codes.decoy_touched` and `codes.typed_by_one_address`. `gap` says that some of what was missed is
    no longer kept; `bye`, that the session has ended.
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
    request.app.state.limiter.hit(request, RateLimit.TOKEN, str(caller.token_id))
    if session_key is not None and session_key != caller.session_key:
        raise NotFound
    return OpenedStream(caller, credential, PositionState.KEPT if since is None else position_state(tx, since))
