"""Messages by WhatsApp: queued here, sent by a job, and looked up later."""

from datetime import datetime
from typing import Annotated

from fastapi import Path
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from ficha.accounts.tokens import MAX_ID, Caller
from ficha.api.messaging.message_answers import (
    OPENED_EXAMPLE,
    READ_EXAMPLE,
    DetailsOut,
    MessageOut,
    details_out,
    message_example,
    message_out,
)
from ficha.api.messaging.message_bodies import (
    FreeFormBody,
    LocationLetter,
    MediaLetter,
    MessageBody,
    Opening,
    TemplateLetter,
    TextLetter,
    check_platform_limits,
    location_of,
    media_of,
    template_of,
)
from ficha.api.operations import Operations
from ficha.channels.messages import Content, Text
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record
from ficha.http.dependencies import AboutRecordOf, Address, Db, Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer
from ficha.messaging.messages import mark_thread_handled, queue_message
from ficha.messaging.tables import Message
from ficha.notices.notices import open_reserved_message
from ficha.parts import Parts as AllParts

operations = Operations("messaging", prefix="/messages", callers="staff")

MessageId = Annotated[
    str, Path(alias="id", max_length=300, description="Our number for it, or the platform's id.", examples=["1"])
]


SENDS = (409, 415, 422)


@operations.post(
    "/template", "Template message sending", seed=True, status=202, errors=SENDS, example=message_example("template")
)
def send_template(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: TemplateLetter
) -> "Answer[MessageOut]":
    """Puts a template aside to be sent, at any time. Its variables are checked against what the platform knows."""
    return reply(_queue(db, parts, staff, body, template_of(db, body.template), "/template", now))


@operations.post(
    "/location", "Send Location Message", seed=True, status=202, errors=SENDS, example=message_example("location")
)
def send_location(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: LocationLetter
) -> "Answer[MessageOut]":
    """Puts a place aside to be sent, for somebody who wrote within 24 hours. Later the fallback goes; without one, the
    template `mensaje_pendiente` with its words."""
    return reply(_queue(db, parts, staff, body, location_of(body.location), "/location", now))


@operations.post("/text", "Send text message", status=202, errors=SENDS, example=message_example("text"))
def send_text(db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: TextLetter) -> "Answer[MessageOut]":
    """Puts a text aside to be sent, for somebody who wrote within 24 hours. Later the fallback goes; without one, the
    template `mensaje_pendiente` with its words."""
    return reply(_queue(db, parts, staff, body, Text(body.text.body), "/text", now))


@operations.post("/media", "Send media message", status=202, errors=SENDS, example=message_example("document"))
def send_media(db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, body: MediaLetter) -> "Answer[MessageOut]":
    """Puts a file aside to be sent, for somebody who wrote within 24 hours. Later the fallback goes; without one, the
    template `mensaje_pendiente` with its words."""
    return reply(_queue(db, parts, staff, body, media_of(db, body.media), "/media", now))


# An id of the platform may have a slash in it.
@operations.get("/{id:path}", "Message", errors=(404, 422), example=READ_EXAMPLE)
def message(reading: Reading, _staff: Staff, parts: Parts, reply: Reply, message_id: MessageId) -> "Answer[DetailsOut]":
    """What became of a message, ours or theirs. What it says about a person is reserved."""
    return reply(details_out(_message_with(reading, message_id), parts.keyring))


@operations.post("/{id:path}/open", "Open message", progress="Developing", errors=(404,), example=OPENED_EXAMPLE)
def open_reserved(
    db: Db,
    staff: Staff,
    parts: Parts,
    now: Now,
    address: Address,
    reply: Reply,
    about_record_of: AboutRecordOf,
    message_id: MessageId,
    body: Opening,
) -> "Answer[DetailsOut]":
    """What a reserved message says. Who opened it goes into the record's log before it is shown, and its owner is told.
    The file of the message can be fetched within the hour."""
    found = _message_with(db, message_id)
    opened = open_reserved_message(db, parts.keyring, staff, found, body.motivo, now, origin=address)
    about_record_of(found.thread.account_id)
    if opened is not None:
        about_record_of(db.orm.get_one(Record, opened.record_id).account_id)
    return reply(details_out(found, parts.keyring, is_opened=True))


def _queue(
    tx: Transaction, parts: AllParts, staff: Caller, body: MessageBody, content: Content, pointer: str, now: datetime
) -> MessageOut:
    check_platform_limits(body, content, pointer)
    fallback = None
    if isinstance(body, FreeFormBody) and body.fallback is not None:
        fallback = template_of(tx, body.fallback, "/fallback")
        check_platform_limits(body, fallback, "/fallback")
    message = queue_message(
        tx,
        parts.keyring,
        parts.settings.whatsapp_phone_number_id,
        body.to,
        content,
        now,
        fallback=fallback,
        reply_to=body.reply_to,
        asked_by=staff.account_id,
    )
    mark_thread_handled(tx, message.thread, now)
    return message_out(message)


def _message_with(tx: Transaction, message_id: str) -> Message:
    query = select(Message).options(joinedload(Message.thread))
    if message_id.isascii() and message_id.isdigit() and int(message_id) <= MAX_ID:
        query = query.where(Message.id == int(message_id))
    else:
        query = query.where(Message.provider_id == message_id)
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        raise NotFound
    return found
