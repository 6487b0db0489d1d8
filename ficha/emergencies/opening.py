"""Opening an emergency: a scan opens a new one, or joins the one under way."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Table, bindparam, insert, select
from sqlalchemy.orm import Session

from ficha.audit import log as audit
from ficha.core.prepared import Prepared
from ficha.emergencies.alert_permission import AlertPermission
from ficha.emergencies.contacts import shares_position
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.positions import Position, is_better, opened_position, sealed_landmark, sealed_position
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.access import FmdNotFound
from ficha.fmd.readable_documents import documents_of
from ficha.fmd.records import LockedRecord, lock_record_row
from ficha.jobs.queue import put

ESCALATE = "emergencia.paso"


emergencies = cast(Table, Emergency.__table__)
FIND_CURRENT = Prepared(select(emergencies.c.id).where(emergencies.c.current_record_id == bindparam("record")))
# What a new one has; the rest is empty.
PLACE = ("record_id", "current_record_id", "code", "entrance", "position")
WRITTEN = (*PLACE, "state", "is_drill", "scans", "last_scan_at", "opened_at", "opened_by")
INSERT = Prepared(insert(emergencies).returning(emergencies.c.id), WRITTEN)


@dataclass(frozen=True)
class OpenedEmergency:
    """A new one is not known to the session: it is there to be looked at."""

    emergency: Emergency
    is_new: bool


def open_emergency(
    session: Session,
    permission: AlertPermission,
    now: datetime,
    *,
    timeouts: Timeouts,
    position: Position | None = None,
) -> OpenedEmergency:
    """Stores the emergency, its log entry, its event and its first job in the caller's transaction. A scan soon after
    another joins its emergency, and may improve the position. Raises FmdNotFound if the record was erased."""
    record = lock_record_row(session, permission.record.id)
    if record is None or record.erased_at is not None:
        raise FmdNotFound
    shared = shared_position(session, permission, position)
    current = _current(session, record.id)
    if current is not None and current.is_live and now - current.last_scan_at <= timeouts.join_scans:
        return OpenedEmergency(_join(session, permission, current, record, shared, now), is_new=False)
    if current is not None:
        current.current_record_id = None
        session.flush()  # Before the new row is inserted: only one row may have the record's id there.
    emergency = new_emergency(permission, now, shared)
    emergency.current_record_id = record.id
    emergency.id = INSERT.first(session, **{name: getattr(emergency, name) for name in WRITTEN}).id
    note_opened(session, permission, emergency, now, "emergency.opened")
    publish_change(session, "emergency.opened", emergency, record, now)
    queue_escalation(session, emergency.id, 1)
    return OpenedEmergency(emergency, is_new=True)


def _current(session: Session, record_id: int) -> Emergency | None:
    """The one that a scan of this record may join."""
    found = FIND_CURRENT.first(session, record=record_id)
    fresh = {"populate_existing": True}
    return None if found is None else session.get_one(Emergency, found.id, execution_options=fresh)


def new_emergency(
    permission: AlertPermission, now: datetime, position: Position | None, *, is_drill: bool = False
) -> Emergency:
    return Emergency(
        record_id=permission.record.id,
        code=permission.code,
        state=EmergencyState.OPEN,
        is_drill=is_drill,
        entrance=permission.source,
        position=None if position is None else sealed_position(permission.key, permission.record.id, position),
        scans=1,
        last_scan_at=now,
        opened_at=now,
        opened_by=str(permission.actor),
    )


def note_opened(
    session: Session, permission: AlertPermission, emergency: Emergency, now: datetime, action: str
) -> None:
    audit.note(
        session,
        permission.record.id,
        permission.actor,
        action,
        [f"emergency:{emergency.id}"],
        now,
        via=permission.source,
        origin=permission.origin,
    )


def queue_escalation(session: Session, emergency_id: int, place: int, at: datetime | None = None) -> None:
    """Queues the job that takes the step `place`. One that is due now is queued beside the one that has a time."""
    suffix = "" if at else ":now"
    put(
        session,
        ESCALATE,
        {"emergency_id": emergency_id, "place": place},
        at=at,
        key=f"{ESCALATE}:{emergency_id}:{place}{suffix}",
        urgent=True,
    )


def _join(
    session: Session,
    permission: AlertPermission,
    emergency: Emergency,
    record: LockedRecord,
    position: Position | None,
    now: datetime,
) -> Emergency:
    emergency.scans += 1
    emergency.last_scan_at = now
    _keep_better(permission, emergency, position)
    note_opened(session, permission, emergency, now, "emergency.joined")
    publish_change(session, "emergency.changed", emergency, record, now)
    return emergency


def add_place(
    session: Session, permission: AlertPermission, now: datetime, position: Position | None, landmark: str
) -> None:
    """What became known of the place after the alert. It joins the emergency under way, whose later steps and pages
    carry it; without one nothing is stored. Raises FmdNotFound if the record was erased."""
    record = lock_record_row(session, permission.record.id)
    if record is None or record.erased_at is not None:
        raise FmdNotFound
    emergency = _current(session, record.id)
    documents = documents_of(session, record.id, permission.key, ["consentimiento"])
    if emergency is None or not emergency.is_live or not shares_position(documents):
        return
    _keep_better(permission, emergency, position)
    if landmark:
        emergency.landmark = sealed_landmark(permission.key, record.id, landmark)
    note_opened(session, permission, emergency, now, "emergency.located")
    publish_change(session, "emergency.changed", emergency, record, now)


def _keep_better(permission: AlertPermission, emergency: Emergency, position: Position | None) -> None:
    known = opened_position(permission.key, emergency.record_id, emergency.position)
    if position is not None and is_better(position, known):
        emergency.position = sealed_position(permission.key, emergency.record_id, position)


def shared_position(session: Session, permission: AlertPermission, position: Position | None) -> Position | None:
    """None if the owner does not share the position: then nothing of it is stored."""
    if position is None:
        return None
    documents = documents_of(session, permission.record.id, permission.key, ["consentimiento"])
    return position if shares_position(documents) else None
