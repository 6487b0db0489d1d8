"""Messages by WhatsApp: asked for here, sent by a job, and looked at later."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from ficha.accounts.tokens import MAX_ID, Caller
from ficha.api.examples import answer_example
from ficha.api.messaging.message_bodies import (
    FreeLetter,
    Letter,
    LocationLetter,
    MediaLetter,
    TemplateLetter,
    TextLetter,
    check,
    location_of,
    media_of,
    template_of,
    text_of,
)
from ficha.api.operations import Operations
from ficha.channels.messages import Content
from ficha.channels.whatsapp import known_error
from ficha.core.crypto import Keyring
from ficha.core.errors import NotFound
from ficha.core.secrets import KeyDestroyed
from ficha.http.dependencies import Db, Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Moment, Resource
from ficha.messaging.handled_messages import mark_thread_handled
from ficha.messaging.message_content import opened_json
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import ContactStopped, Message, queue_message
from ficha.messaging.threads import Thread
from ficha.parts import Parts as AllParts

operations = Operations("messaging", prefix="/messages")

# Why one of ours was not delivered, where the platform gave no number for it.
WORDS = {
    "rechazado": "La plataforma no lo aceptó.",
    "ventana_cerrada": "Pasaron más de 24 horas desde su último mensaje.",
    "vencido": "No se pudo enviar a tiempo.",
    "contacto_de_baja": ContactStopped.message,
    "plantilla_invalida": "La plantilla ya no admite este mensaje.",
}
NO_WORD = "La plataforma pidió esperar."


class Trouble(BaseModel):
    code: int | None = Field(description="The platform's number for it, when it gave one.")
    word: str | None = Field(description="Ours: stable, for programs. Null while it will be tried again.")
    sentence: str = Field(description="For people, in Spanish.")


class MessageAttributes(BaseModel):
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
    content: dict[str, Any] | None = Field(
        description="Ours as asked for, theirs as the platform told it. Null for one-time codes, and once erased."
    )


MessageOut = Resource[MessageAttributes]
DetailsOut = Resource[MessageDetails]

MessageId = Annotated[
    str,
    Path(
        alias="id",
        max_length=300,
        description="Our number for it, or the platform's id.",
        examples=["17"],
    ),
]


def example(type_: str, status: int = 202, **more: Any) -> dict[str, Any]:
    attributes = {
        "state": "queued",
        "type": type_,
        "to": "+584125551111",
        "from": None,
        "reply_to": None,
        "is_test": False,
        "created_at": "2026-11-15T12:00:00+00:00",
        "accepted_at": None,
        "sent_at": None,
        "delivered_at": None,
        "read_at": None,
        "failed_at": None,
        "dealt_at": None,
        "provider_id": None,
        "error": None,
        "replaced_by": None,
    }
    return answer_example({"type": "message", "id": 17, "attributes": attributes | more}, status)


READ_EXAMPLE = example(
    "text",
    200,
    state="delivered",
    accepted_at="2026-11-15T12:00:01+00:00",
    sent_at="2026-11-15T12:00:01+00:00",
    delivered_at="2026-11-15T12:00:02+00:00",
    provider_id="wamid.HBgLNTg0MTI1NTUxMTExFQIAERgS",
    content={"kind": "text", "body": "Su cita es el lunes a las nueve."},
)
SENDS = (409, 415, 422)


@operations.post(
    "/template",
    "Template message sending",
    door="staff",
    seed="Template message sending",
    status=202,
    errors=SENDS,
    example=example("template"),
)
def send_template(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: TemplateLetter
) -> Answer[MessageOut]:
    """Puts a template aside to be sent, at any time. Its variables are checked against what the platform knows."""
    return reply(_asked(db, parts, staff, body, template_of(db, body.template), "/template", now))


@operations.post(
    "/location",
    "Send Location Message",
    door="staff",
    seed="Send Location Message",
    status=202,
    errors=SENDS,
    example=example("location"),
)
def send_location(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: LocationLetter
) -> Answer[MessageOut]:
    """Puts a place aside to be sent, for somebody who wrote within 24 hours; later the fallback goes."""
    return reply(_asked(db, parts, staff, body, location_of(body.location), "/location", now))


@operations.post("/text", "Send text message", door="staff", status=202, errors=SENDS, example=example("text"))
def send_text(db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: TextLetter) -> Answer[MessageOut]:
    """Puts a text aside to be sent, for somebody who wrote within 24 hours; later the fallback goes."""
    return reply(_asked(db, parts, staff, body, text_of(body.text), "/text", now))


@operations.post("/media", "Send media message", door="staff", status=202, errors=SENDS, example=example("document"))
def send_media(db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: MediaLetter) -> Answer[MessageOut]:
    """Puts a file aside to be sent, for somebody who wrote within 24 hours; later the fallback goes."""
    return reply(_asked(db, parts, staff, body, media_of(db, body.media), "/media", now))


# An id of the platform may have a slash in it.
@operations.get("/{id:path}", "Message", door="staff", errors=(404, 422), example=READ_EXAMPLE)
def message(reading: Reading, _staff: Staff, parts: Parts, reply: Reply, message_id: MessageId) -> Answer[DetailsOut]:
    """What became of a message, ours or theirs."""
    found = _message_with(reading, message_id)
    attributes = _attributes(found) | {"content": _content(found, parts.keyring)}
    return reply(Resource(type="message", id=found.id, attributes=MessageDetails(**attributes)))


def _asked(
    session: Session, parts: AllParts, staff: Caller, letter: Letter, content: Content, here: str, now: datetime
) -> MessageOut:
    check(letter, content, here)
    fallback = None
    if isinstance(letter, FreeLetter) and letter.fallback is not None:
        fallback = template_of(session, letter.fallback, "/fallback")
        check(letter, fallback, "/fallback")
    asked = queue_message(
        session,
        parts.keyring,
        parts.settings.whatsapp_phone_number_id,
        letter.to,
        content,
        now,
        fallback=fallback,
        reply_to=letter.reply_to,
        asked_by=staff.account_id,
    )
    mark_thread_handled(session, asked.thread, now)
    return Resource(type="message", id=asked.id, attributes=MessageAttributes(**_attributes(asked)))


def _message_with(session: Session, message_id: str) -> Message:
    query = select(Message).options(joinedload(Message.thread))
    if message_id.isascii() and message_id.isdigit() and int(message_id) <= MAX_ID:
        query = query.where(Message.id == int(message_id))
    else:
        query = query.where(Message.provider_id == message_id)
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFound
    return found


def _attributes(found: Message) -> dict[str, Any]:
    thread: Thread = found.thread
    same = ("state", "type", "reply_to", "is_test", "dealt_at", "provider_id", "replaced_by")
    times = ("accepted_at", "sent_at", "delivered_at", "read_at", "failed_at")
    return {name: getattr(found, name) for name in (*same, *times)} | {
        "to": thread.address if found.is_ours else None,
        "sender": None if found.is_ours else thread.address,
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
        sentence=known.meaning if known else WORDS.get(found.error or "", NO_WORD),
    )


def _content(found: Message, keyring: Keyring) -> dict[str, Any] | None:
    if found.is_secret or found.sealed is None:
        return None
    try:
        content: dict[str, Any] = opened_json(found.thread.open_key(keyring), found.sealed, found.place)
        if found.is_ours:  # A file says its own kind, which is more than that it is one.
            content = {"kind": content.pop("is"), **content}
    except KeyDestroyed:
        return None
    return content
