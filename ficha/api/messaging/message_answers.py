"""Messages as the operations answer them: their state, what went wrong, and what they said."""

from typing import Any

from pydantic import Field

from ficha.api.examples import answer_example, resource_example
from ficha.channels.whatsapp.error_codes import known_error
from ficha.core.crypto import Keyring
from ficha.core.deferred_model import DeferredModel
from ficha.http.envelope import Moment, Resource, filled
from ficha.messaging.failures import ERROR_SENTENCES
from ficha.messaging.opened_messages import said_in
from ficha.messaging.tables import Message, MessageState, Thread
from ficha.messaging.threads import address_of

WAITING_SENTENCE = "La plataforma pidió esperar."


class Trouble(DeferredModel):
    code: int | None = Field(description="The platform's number for it, when it gave one.")
    word: str | None = Field(description="Ours: stable, for programs. Null while it will be tried again.")
    sentence: str = Field(description="For people, in Spanish.")


class MessageAttributes(DeferredModel):
    state: MessageState = Field(
        description="received for theirs; ours go queued, accepted, sent, delivered, read, or failed."
    )
    type: str
    to: str | None = Field(description="Of ours: where it goes.")
    sender: str | None = Field(serialization_alias="from", description="Of theirs: who wrote.")
    reply_to: str | None
    is_test: bool
    created_at: Moment = Field(description="When it was asked for, or written.")
    accepted_at: Moment | None
    sent_at: Moment | None
    delivered_at: Moment | None
    read_at: Moment | None
    failed_at: Moment | None
    dealt_at: Moment | None = Field(description="Of theirs: when somebody answered it or marked it as read.")
    provider_id: str | None = Field(description="The platform's id, once it took it.")
    error: Trouble | None
    replaced_by: int | None = Field(description="The template that went in its place after the 24 hours.")


class MessageDetails(MessageAttributes):
    is_reserved: bool = Field(
        description="Whether it is an alert or a notice about somebody, or an answer to one: `content` is null until "
        "somebody opens it with a reason."
    )
    content: dict[str, Any] | None = Field(
        description="Ours as asked for, theirs as the platform told it. Null for one-time codes, and once erased; the "
        "`text` of an alert's link too, which is for the contact alone."
    )


MessageOut = Resource[MessageAttributes]
DetailsOut = Resource[MessageDetails]


def message_example(type_: str, status: int = 202, **more: Any) -> dict[str, Any]:
    told = {"state": "queued", "type": type_, "to": "+584125551111"} | more
    model = MessageDetails if "content" in more else MessageAttributes
    return answer_example(resource_example("message", 17, model, **told), status)


DELIVERED = {
    "accepted_at": "2026-11-15T12:00:01+00:00",
    "sent_at": "2026-11-15T12:00:01+00:00",
    "delivered_at": "2026-11-15T12:00:02+00:00",
    "provider_id": "wamid.HBgLNTg0MTI1NTUxMTExFQIAERgS",
}
TEXT = {"kind": "text", "body": "Su cita es el lunes a las nueve."}
READ_EXAMPLE = message_example("text", 200, state="delivered", content=TEXT, **DELIVERED)
OPENED_EXAMPLE = message_example(
    "template",
    200,
    state="read",
    read_at="2026-11-15T12:00:09+00:00",
    is_reserved=True,
    **DELIVERED,
    content={
        "kind": "template",
        "name": "alerta_emergencia",
        "language": "es",
        "body": ["Ana", "8:00", "sin ubicación"],
        "header": [],
        "buttons": [{"index": 2, "text": None}],
        "media": None,
    },
)


def message_out(found: Message) -> MessageOut:
    return Resource(type="message", id=found.id, attributes=filled(MessageAttributes, found, **_told(found)))


def details_out(found: Message, keyring: Keyring, *, is_opened: bool = False) -> DetailsOut:
    """`is_opened`: the caller opened it with a reason, so that she sees what it says about the person."""
    is_reserved = found.record_id is not None
    content = None if is_reserved and not is_opened else said_in(found, keyring)
    shown = filled(MessageDetails, found, is_reserved=is_reserved, content=content, **_told(found))
    return Resource(type="message", id=found.id, attributes=shown)


def _told(found: Message) -> dict[str, Any]:
    thread: Thread = found.thread
    return {
        "to": address_of(thread) if found.is_ours else None,
        "sender": None if found.is_ours else address_of(thread),
        "created_at": found.at,
        "error": _trouble(found),
    }


def _trouble(found: Message) -> Trouble | None:
    if found.error_code is None and found.error is None:
        return None
    known = None if found.error_code is None else known_error(found.error_code)
    return Trouble(
        code=found.error_code,
        word=found.error,
        sentence=known.meaning if known else ERROR_SENTENCES.get(found.error or "", WAITING_SENTENCE),
    )
