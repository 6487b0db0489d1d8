"""A scan becomes an emergency, or joins the one under way."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.audit import log as audit
from ficha.emergencies.alert_permission import AlertPermission
from ficha.emergencies.contacts import shares_position
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.positions import Position, is_better, opened_position, sealed_position
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.readable_documents import documents_of
from ficha.fmd.records import Record
from ficha.jobs.queue import put

ESCALATE = "emergencia.paso"


@dataclass(frozen=True)
class OpenedEmergency:
    emergency: Emergency
    is_new: bool


def open_emergency(
    session: Session, alarm: AlertPermission, now: datetime, *, timeouts: Timeouts, position: Position | None = None
) -> OpenedEmergency:
    """In the caller's transaction: the emergency, its place in the log, the news of it and the work to be done.
    A scan soon after another joins what that one began, and may know better where the person is."""
    record = lock_record(session, alarm.record.id)
    place = shared_position(session, alarm, position)
    current = session.scalars(select(Emergency).where(Emergency.current_record_id == record.id)).one_or_none()
    if current is not None and current.is_live and now - current.last_scan_at <= timeouts.join_scans:
        return OpenedEmergency(_join(session, alarm, current, record, place, now), is_new=False)
    if current is not None:
        current.current_record_id = None
        session.flush()  # Before the new row comes: both cannot hold the record's place.
    emergency = new_emergency(alarm, now, place)
    emergency.current_record_id = record.id
    session.add(emergency)
    session.flush()
    note_opened(session, alarm, emergency, now, "emergency.opened")
    publish_change(session, "emergency.opened", emergency, record, now)
    queue_escalation(session, emergency.id, 1)
    return OpenedEmergency(emergency, is_new=True)


def new_emergency(
    alarm: AlertPermission, now: datetime, place: Position | None, *, is_drill: bool = False
) -> Emergency:
    return Emergency(
        record_id=alarm.record.id,
        code=alarm.code,
        state=EmergencyState.OPEN,
        is_drill=is_drill,
        entrance=alarm.entrance,
        position=None if place is None else sealed_position(alarm.key, alarm.record.id, place),
        scans=1,
        last_scan_at=now,
        opened_at=now,
        opened_by=str(alarm.actor),
    )


def note_opened(session: Session, alarm: AlertPermission, emergency: Emergency, now: datetime, action: str) -> None:
    audit.note(
        session,
        alarm.record.id,
        alarm.actor,
        action,
        [f"emergency:{emergency.id}"],
        now,
        via=alarm.entrance,
        origin=alarm.origin,
    )


def queue_escalation(session: Session, emergency_id: int, place: int, at: datetime | None = None) -> None:
    """The job that takes the step `place`. One that is due now does not wait behind the one that has its time."""
    when = "" if at else ":now"
    put(
        session,
        ESCALATE,
        {"emergency_id": emergency_id, "place": place},
        at=at,
        key=f"{ESCALATE}:{emergency_id}:{place}{when}",
        urgent=True,
    )


def _join(
    session: Session,
    alarm: AlertPermission,
    emergency: Emergency,
    record: Record,
    place: Position | None,
    now: datetime,
) -> Emergency:
    emergency.scans += 1
    emergency.last_scan_at = now
    known = opened_position(alarm.key, record.id, emergency.position)
    if place is not None and is_better(place, known):
        emergency.position = sealed_position(alarm.key, record.id, place)
    note_opened(session, alarm, emergency, now, "emergency.joined")
    publish_change(session, "emergency.changed", emergency, record, now)
    return emergency


def shared_position(session: Session, alarm: AlertPermission, position: Position | None) -> Position | None:
    """Nothing is kept of a place that the owner does not want to be known."""
    if position is None:
        return None
    documents = documents_of(session, alarm.record.id, alarm.key, ["consentimiento"])
    return position if shares_position(documents) else None
