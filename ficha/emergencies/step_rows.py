"""The rows that the ladder reads and writes, by a prepared statement each: an emergency that is locked for its next
step, the steps it has taken, and the step of a message."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, cast

from sqlalchemy import Table, bindparam, exists, insert, select, update

from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.relay_lines import RelayMessage
from ficha.emergencies.steps import CalledContact, NewStep, Step
from ficha.fmd.records import Record, RecordRow

emergencies = cast(Table, Emergency.__table__)
steps = cast(Table, Step.__table__)
called = cast(Table, CalledContact.__table__)
records = cast(Table, Record.__table__)
relay = cast(Table, RelayMessage.__table__)

THIS_EMERGENCY = emergencies.c.id == bindparam("emergency")


class EmergencyRow(NamedTuple):
    id: int
    record_id: int
    state: str
    is_drill: bool
    position: bytes | None
    landmark: bytes | None
    opened_at: datetime
    staff_at: datetime | None
    code: str
    entrance: str
    opened_by: str


class StepRow(NamedTuple):
    id: int
    contact_id: str | None
    channel: str
    state: str
    due_at: datetime | None
    ended_at: datetime | None
    started_at: datetime


class AnswerRow(NamedTuple):
    """Both None as long as there is no answer."""

    answer: str | None = None
    withdrew_at: datetime | None = None


class PublishedRow(NamedTuple):
    """What an event says of an emergency."""

    id: int
    state: str
    is_drill: bool
    staff_at: datetime | None


class OwnedRow(NamedTuple):
    id: int
    account_id: int | None


@dataclass(frozen=True)
class StepOfMessage:
    id: int
    place: int
    contact_id: str | None
    channel: str
    provider_id: str | None
    ended_at: datetime | None
    reason: str | None
    sent_at: datetime | None
    delivered_at: datetime | None
    emergency: PublishedRow
    record: OwnedRow
    # Whether anything was written that the contact may not have got yet.
    has_relay: bool

    @property
    def emergency_id(self) -> int:
        return self.emergency.id


LOCK_RECORD = Prepared(
    select(*(records.c[name] for name in RecordRow._fields))
    .join(emergencies, emergencies.c.record_id == records.c.id)
    .where(THIS_EMERGENCY, records.c.erased_at.is_(None))
    .with_for_update(of=records)
)
FIND_EMERGENCY = Prepared(select(*(emergencies.c[name] for name in EmergencyRow._fields)).where(THIS_EMERGENCY))
CALL_STAFF = Prepared(update(emergencies).where(THIS_EMERGENCY).values(staff_at=bindparam("since")))
TAKEN = Prepared(
    select(*(steps.c[name] for name in StepRow._fields))
    .where(steps.c.emergency_id == bindparam("emergency"))
    .order_by(steps.c.place)
)
CALLED = Prepared(
    select(called.c.contact_id, called.c.answer, called.c.withdrew_at).where(
        called.c.emergency_id == bindparam("emergency")
    )
)
STORED = ("emergency_id", "place", "contact_id", "channel", "state", "is_question", "started_at", "due_at")
INSERT_STEP = Prepared(insert(steps).returning(steps.c.id), STORED)
THIS_STEP = steps.c.id == bindparam("step")
CHANGED = ("state", "reason", "message_id", "ended_at", "is_question")
SAVE_STEP = Prepared(update(steps).where(THIS_STEP).values({name: bindparam(f"its_{name}") for name in CHANGED}))
END_STEP = Prepared(update(steps).where(THIS_STEP).values(ended_at=bindparam("end")))
OF_STEP = ("id", "place", "contact_id", "channel", "provider_id", "ended_at", "reason", "sent_at", "delivered_at")
FIND_STEP = Prepared(
    select(*(steps.c[name] for name in OF_STEP))
    .add_columns(*(emergencies.c[name].label(f"emergency_{name}") for name in PublishedRow._fields))
    .add_columns(*(records.c[name].label(f"record_{name}") for name in OwnedRow._fields))
    .add_columns(exists().where(relay.c.emergency_id == steps.c.emergency_id).label("has_relay"))
    .join(emergencies, emergencies.c.id == steps.c.emergency_id)
    .join(records, records.c.id == emergencies.c.record_id)
    .where(steps.c.message_id == bindparam("message"))
    .with_for_update(of=steps)
)
PROGRESS = ("provider_id", "state", "sent_at", "delivered_at", "read_at", "ended_at", "reason")
NOTE_PROGRESS = Prepared(update(steps).where(THIS_STEP).values({name: bindparam(f"its_{name}") for name in PROGRESS}))
REPLACE_MESSAGE = Prepared(
    update(steps).where(THIS_STEP).values(message_id=bindparam("other"), provider_id=bindparam("its_provider_id"))
)


def lock_for_step(tx: Transaction, emergency_id: int) -> tuple[EmergencyRow, RecordRow] | None:
    """Locks the record's row, as `lock_record` does, and then reads the emergency. None if the record was erased."""
    record = tx.first(LOCK_RECORD, emergency=emergency_id)
    if record is None:
        return None
    return EmergencyRow(*tx.first(FIND_EMERGENCY, emergency=emergency_id)), RecordRow(*record)


def taken_steps(tx: Transaction, emergency_id: int) -> list[StepRow]:
    return [StepRow(*row) for row in tx.all(TAKEN, emergency=emergency_id)]


def answers_of(tx: Transaction, emergency_id: int) -> dict[str, AnswerRow]:
    """What the contacts answered of whom a step was taken, by the contact's id."""
    return {row.contact_id: AnswerRow(row.answer, row.withdrew_at) for row in tx.all(CALLED, emergency=emergency_id)}


def insert_step(tx: Transaction, step: NewStep) -> None:
    step.id = tx.first(INSERT_STEP, **{name: getattr(step, name) for name in STORED}).id


def save_step(tx: Transaction, step: NewStep) -> None:
    tx.run(SAVE_STEP, step=step.id, **{f"its_{name}": getattr(step, name) for name in CHANGED})


def end_step(tx: Transaction, step_id: int, now: datetime) -> None:
    tx.run(END_STEP, step=step_id, end=now)


def call_staff(tx: Transaction, emergency_id: int, since: datetime) -> None:
    tx.run(CALL_STAFF, emergency=emergency_id, since=since)


def step_of_message(tx: Transaction, message_id: int) -> StepOfMessage | None:
    """Locks the step's row."""
    row = tx.first(FIND_STEP, message=message_id)
    return (
        None
        if row is None
        else StepOfMessage(*(*row[:9], PublishedRow(*row[9:13]), OwnedRow(*row[13:15]), bool(row[15])))
    )


def note_progress(tx: Transaction, **values: Any) -> None:
    tx.run(NOTE_PROGRESS, **values)


def replace_message(tx: Transaction, step_id: int, message_id: int, provider_id: str | None) -> None:
    tx.run(REPLACE_MESSAGE, step=step_id, other=message_id, its_provider_id=provider_id)
