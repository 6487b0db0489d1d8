"""The events of an emergency for owner, guardians, staff and open sticker pages, the jobs that tell its contacts what
came later, and the lock on its record."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select

from ficha.audit.log import Actor
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import AnyEmergency, Emergency
from ficha.emergencies.steps import OVER, STAFF_CHANNEL, AnyStep, Step
from ficha.events.publish import publish
from ficha.fmd.access import FmdNotFound
from ficha.fmd.grants import OwnedRecord
from ficha.fmd.records import Record
from ficha.fmd.statements import owner_and_guardians
from ficha.jobs.queue import put

# Who the log names for what an emergency does by itself.
LADDER = Actor("ladder")
TELL_END = "emergencia.fin"
TELL_POSITION = "emergencia.lugar"


def lock_record(tx: Transaction, record_id: int) -> Record:
    """Locks the record's row; raises FmdNotFound if it was erased.

    Whatever changes an emergency locks this row first and no other, so there are no deadlocks, and the log of the
    record has one writer at a time."""
    record = tx.orm.scalars(
        select(Record).where(Record.id == record_id).with_for_update().execution_options(populate_existing=True)
    ).one_or_none()
    if record is None or record.erased_at is not None:
        raise FmdNotFound
    return record


def publish_change(
    tx: Transaction, kind: str, emergency: AnyEmergency, record: OwnedRecord, now: datetime, **more: str | int | bool
) -> None:
    """Staff gets no events of drills."""
    payload = {
        "id": emergency.id,
        "fmd_code": record.id,
        "state": emergency.state,
        "simulacro": emergency.is_drill,
        "staff": emergency.staff_at is not None,
        **more,
    }
    publish(
        tx,
        kind,
        payload,
        now,
        accounts=owner_and_guardians(tx, record, now),
        topics=[sticker_topic(record.id)],
        staff=not emergency.is_drill,
    )


def publish_step(tx: Transaction, step: Step, now: datetime) -> None:
    """That it changed."""
    emergency = tx.orm.get_one(Emergency, step.emergency_id)
    record = tx.orm.get_one(Record, emergency.record_id)
    publish_change(tx, "emergency.changed", emergency, record, now, step=step.place, channel=step.channel)


def queue_end_news(tx: Transaction, steps: Iterable[AnyStep]) -> None:
    """Queues, for each alert that left or still may, the job that tells its contact that the emergency is over."""
    for step in steps:
        if step.channel != STAFF_CHANNEL and step.state not in OVER:
            put(tx, TELL_END, {"step_id": step.id}, key=f"{TELL_END}:{step.id}")


def queue_position_news(tx: Transaction, emergency: Emergency, what: str, now: datetime) -> None:
    """Queues the job that tells those who were alerted before. `what` became known, the position or the landmark."""
    payload = {"emergency_id": emergency.id, "what": what, "at": now.isoformat()}
    put(tx, TELL_POSITION, payload, key=f"{TELL_POSITION}:{emergency.id}:{what}", urgent=True)


def sticker_topic(record_id: int) -> str:
    """The topic of events for whoever has scanned a sticker of the record and has its page open."""
    return f"sticker:{record_id}"
