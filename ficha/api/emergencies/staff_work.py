"""What staff do with an emergency that was given to them: take it, hand it back, notes, its desk conversation."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body
from ficha.api.emergencies.emergency_bodies import TOLD, EmergencyAttributes, EmergencyOut, emergency_out
from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.conversations.desk_conversations import conversation_address
from ficha.core.deferred_model import DeferredModel
from ficha.emergencies.staff_notes import NoteWords, StaffNote, notes_of
from ficha.emergencies.staff_work import (
    desk_conversation,
    hand_back,
    open_note,
    staff_emergency,
    take_emergency,
    write_note,
)
from ficha.fmd.records import Record
from ficha.http.dependencies import AboutRecordOf, Address, Db, Located, Now, Page, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.messaging.opened_messages import OpeningReason

operations = Operations("emergencies", prefix="/emergencies", callers="staff", progress="Developing")

EmergencyId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, examples=[1])]
NotePlace = Annotated[int, Path(alias="note", ge=1, le=MAX_ID, description="Counted from 1.", examples=[1])]
TAKEN = resource_example(
    "emergency", 7, EmergencyAttributes, **TOLD, taken_at="2026-11-15T12:04:00+00:00", taken_by="account:3"
)
FREE = resource_example("emergency", 7, EmergencyAttributes, **TOLD)


class HandingBack(Body):
    motivo: NoteWords = Field(
        description="Kept as a note, sealed with the record's key.",
        examples=["Termina mi turno; llamé dos veces."],
    )


class NewNote(Body):
    texto: NoteWords = Field(
        description="Sealed with the record's key.", examples=["La vecina abrió la puerta; espera con ella."]
    )


class NoteOpening(Body):
    motivo: OpeningReason = Field(
        description="For the owner, who is told: what the note is needed for.",
        examples=["Sigo con la emergencia y necesito saber qué se hizo."],
    )


class NoteAttributes(DeferredModel):
    place: int
    kind: str = Field(description="note, or handed_back: why somebody handed it back.")
    account_id: int = Field(description="Who of staff wrote it.")
    at: Moment


class OpenNoteAttributes(NoteAttributes):
    texto: str


class ConversationAttributes(DeferredModel):
    url: str | None = Field(description="Where agents read it; null until it is there.")


NoteOut = Resource[NoteAttributes]
OpenNoteOut = Resource[OpenNoteAttributes]
ConversationOut = Resource[ConversationAttributes]
WRITTEN = {"place": 1, "kind": "note", "account_id": 3}
NOTE = resource_example("emergency_note", 1, NoteAttributes, **WRITTEN)
OPENED = resource_example(
    "emergency_note", 1, OpenNoteAttributes, **WRITTEN, texto="La vecina abrió la puerta; espera con ella."
)
CONVERSATION = resource_example(
    "emergency_conversation", 7, ConversationAttributes, url="https://app.chatwoot.com/app/accounts/1/conversations/41"
)


@operations.post(
    "/{id}/take",
    "Take emergency",
    errors=(404, 409, 422),
    example=answer_example(TAKEN),
    example_of_own=True,
)
def take(
    db: Db, staff: Staff, now: Now, address: Address, reply: Reply, emergency_id: EmergencyId
) -> "Answer[EmergencyOut]":
    """Somebody of staff looks after it from now on; of two at once, one does, and the other is told who. The family is
    alerted as before, and whoever is responsible for the record ends it."""
    return reply(emergency_out(take_emergency(db, staff, emergency_id, now, origin=address)))


@operations.post(
    "/{id}/hand-back",
    "Hand back emergency",
    errors=(404, 409),
    example=answer_example(FREE),
    example_of_own=True,
)
def give_back(
    db: Db,
    staff: Staff,
    parts: Parts,
    now: Now,
    address: Address,
    reply: Reply,
    emergency_id: EmergencyId,
    body: HandingBack,
) -> "Answer[EmergencyOut]":
    """Into the queue of staff again, by who has it or by an administrator. The help desk is told."""
    found = hand_back(db, parts.keyring, parts.settings, staff, emergency_id, body.motivo, now, origin=address)
    return reply(emergency_out(found))


@operations.get(
    "/{id}/notes",
    "Emergency notes",
    errors=(404, 422),
    example=listing_example([NOTE]),
    example_of_own=True,
)
def notes(reading: Reading, staff: Staff, page: Page, emergency_id: EmergencyId) -> "Listing[NoteOut]":
    """What staff wrote about it, the oldest first: who and when. What a note says is opened alone, with a reason."""
    emergency = staff_emergency(reading, staff, emergency_id)
    found = notes_of(reading, emergency.id, after=page.start(0), limit=page.limit)
    return page.answer(found, _note_out, lambda note: note.place)


@operations.post(
    "/{id}/notes",
    "Write emergency note",
    status=201,
    errors=(404, 409),
    example=answer_example(NOTE, 201),
    example_of_own=True,
)
def add_note(
    db: Db,
    staff: Staff,
    parts: Parts,
    now: Now,
    address: Address,
    reply: Reply,
    located: Located,
    emergency_id: EmergencyId,
    body: NewNote,
) -> "Answer[NoteOut]":
    """Also after its end. The same words again are the same note. It is erased with the record."""
    note = write_note(db, parts.keyring, staff, emergency_id, body.texto, now, origin=address)
    located(f"/emergencies/{emergency_id}/notes")
    return reply(_note_out(note))


@operations.post(
    "/{id}/notes/{note}/open",
    "Open emergency note",
    errors=(404,),
    example=answer_example(OPENED),
    example_of_own=True,
)
def open_one(
    db: Db,
    staff: Staff,
    parts: Parts,
    now: Now,
    address: Address,
    reply: Reply,
    about_record_of: AboutRecordOf,
    emergency_id: EmergencyId,
    note: NotePlace,
    body: NoteOpening,
) -> "Answer[OpenNoteOut]":
    """What a note says. Who opened it, and why, goes into the record's log first, and the owner is told."""
    opened = open_note(db, parts.keyring, staff, emergency_id, note, body.motivo, now, origin=address)
    about_record_of(db.orm.get_one(Record, staff_emergency(db, staff, emergency_id).record_id).account_id)
    shown = filled(OpenNoteAttributes, opened.note, texto=opened.words)
    return reply(Resource(type="emergency_note", id=opened.note.place, attributes=shown))


@operations.post(
    "/{id}/conversation",
    "Emergency conversation",
    errors=(404, 409, 422),
    example=answer_example(CONVERSATION),
    example_of_own=True,
)
def conversation(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, emergency_id: EmergencyId
) -> "Answer[ConversationOut]":
    """Its conversation at the help desk. Where there is none yet, it is being opened: ask again a little later."""
    number = desk_conversation(db, parts.settings, staff, emergency_id, now)
    url = None if number is None else conversation_address(parts.settings, number)
    shown = ConversationAttributes(url=url)
    return reply(Resource(type="emergency_conversation", id=emergency_id, attributes=shown))


def _note_out(note: StaffNote) -> NoteOut:
    return Resource(type="emergency_note", id=note.place, attributes=filled(NoteAttributes, note))
