"""The events of an emergency for owner, guardians, staff and open sticker pages, and the lock on its record."""

from datetime import datetime

from sqlalchemy import select

from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import AnyEmergency, Emergency
from ficha.emergencies.steps import Step
from ficha.events.publish import publish
from ficha.fmd.access import FmdNotFound
from ficha.fmd.grants import OwnedRecord
from ficha.fmd.records import Record
from ficha.fmd.statements import owner_and_guardians


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


def sticker_topic(record_id: int) -> str:
    """The topic of events for whoever has scanned a sticker of the record and has its page open."""
    return f"sticker:{record_id}"
