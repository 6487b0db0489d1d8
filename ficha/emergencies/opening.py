"""Opening an emergency: who may, and how a scan opens a new one or joins the one under way."""

from dataclasses import dataclass, field
from datetime import datetime

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.counters import count_alert
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import shares_position
from ficha.emergencies.emergency import Emergency, EmergencyState, PermissionSource, Timeouts
from ficha.emergencies.emergency_events import publish_change, queue_position_news
from ficha.emergencies.positions import Position, is_better, opened_position, sealed_landmark, sealed_position
from ficha.emergencies.quiet_time import BROKEN_GLASS, LATELY, ScanProof, held_until
from ficha.emergencies.statements import called_in, find_lately, insert_emergency, steps_of
from ficha.emergencies.steps import STALLED, stalled_since
from ficha.fmd.access import FmdNotFound, OpenFmd, ScannedFmd, record_with_code
from ficha.fmd.records import RecordRow
from ficha.fmd.statements import lock_record_row
from ficha.fmd.stored_documents import documents_of
from ficha.jobs.queue import put


@dataclass(frozen=True)
class AlertPermission:
    """Allows alerting the family of one record, and reading nothing of it."""

    record: RecordRow
    key: bytes = field(repr=False)
    code: str
    source: PermissionSource
    actor: Actor
    origin: str
    may_drill: bool = False


def permission_by_tag(fmd: ScannedFmd, origin: str) -> AlertPermission:
    """Also after breaking the glass: the log then names who did."""
    return AlertPermission(fmd.record, fmd.key, fmd.code, PermissionSource.TAG, fmd.actor, origin)


def permission_by_account(fmd: OpenFmd, code: str) -> AlertPermission:
    return AlertPermission(
        fmd.record, fmd.key, code.upper(), PermissionSource.BEARER, fmd.actor, fmd.origin, may_drill=fmd.rights.manages
    )


def permission_by_code(tx: Transaction, keyring: Keyring, code: str, origin: str) -> AlertPermission:
    """For whoever only typed the code, which opens nothing. Raises FmdNotFound if no record has it."""
    record = record_with_code(tx, code)
    key = record.open_key(keyring)
    return AlertPermission(record, key, code.upper(), PermissionSource.TYPED, Actor("typed"), origin)


ESCALATE = "emergencia.paso"


@dataclass(frozen=True)
class OpenedEmergency:
    """A new one is not known to the ORM: it is there to be looked at. `held_until`: another one alerted lately, and
    the family is told then. `stalled_since`: it was opened before, and waits for what nobody does."""

    emergency: Emergency
    is_new: bool
    held_until: datetime | None = None
    stalled_since: datetime | None = None


def open_emergency(
    tx: Transaction, permission: AlertPermission, now: datetime, *, timeouts: Timeouts, position: Position | None = None
) -> OpenedEmergency:
    """Stores the emergency, its log entry, its event and its first job in the caller's transaction. A scan soon after
    another joins its emergency, and may improve the position. Raises FmdNotFound if the record was erased."""
    record = lock_record_row(tx, permission.record.id)
    if record is None or record.erased_at is not None:
        raise FmdNotFound
    shared = shared_position(tx, permission, position)
    current, others = _lately(tx, record.id, now)
    if current is not None and current.is_live and now - current.last_scan_at <= timeouts.join_scans:
        _join(tx, permission, current, record, shared, now)
        held = _held_until(tx, permission, current, timeouts, now) if others else None
        stalled = current_stalled_since(tx, current, now) if held is None else None
        return OpenedEmergency(current, is_new=False, held_until=held, stalled_since=stalled)
    if current is not None:
        current.current_record_id = None
        tx.orm.flush()  # Before the new row is inserted: only one row may have the record's id there.
    emergency = new_emergency(permission, now, shared)
    emergency.current_record_id = record.id
    insert_emergency(tx, emergency)
    note_opened(tx, permission, emergency, now, "emergency.opened")
    publish_change(tx, "emergency.opened", emergency, record, now)
    queue_escalation(tx, emergency.id, 1)
    count_alert(tx)
    # Nearly always there is none, and nothing more is asked.
    held = held_until(tx, emergency, timeouts.quiet, now) if others or current is not None else None
    return OpenedEmergency(emergency, is_new=True, held_until=held)


def _lately(tx: Transaction, record_id: int, now: datetime) -> tuple[Emergency | None, bool]:
    """The one that a scan of this record may join, and whether there were others lately."""
    current, others = find_lately(tx, record_id, now - LATELY)
    fresh = {"populate_existing": True}
    return None if current is None else tx.orm.get_one(Emergency, current, execution_options=fresh), others


def _held_until(
    tx: Transaction, permission: AlertPermission, joined: Emergency, timeouts: Timeouts, now: datetime
) -> datetime | None:
    if steps_of(tx, joined.id):
        return None
    return held_until(tx, joined, timeouts.quiet, now, proof_of(permission))


def current_stalled_since(tx: Transaction, emergency: Emergency, now: datetime) -> datetime | None:
    """As `stalled_since`, with what it needs to know. Of a new one nothing is asked."""
    if now - emergency.opened_at <= STALLED:
        return None
    return stalled_since(emergency, steps_of(tx, emergency.id), called_in(tx, emergency.id).values(), now)


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


def note_opened(tx: Transaction, permission: AlertPermission, emergency: Emergency, now: datetime, action: str) -> None:
    audit.note(
        tx,
        permission.record.id,
        permission.actor,
        action,
        [f"emergency:{emergency.id}"],
        now,
        via=permission.source,
        origin=permission.origin,
    )


def proof_of(permission: AlertPermission) -> ScanProof:
    return ScanProof(permission.source, permission.code, str(permission.actor))


def queue_escalation(tx: Transaction, emergency_id: int, place: int, at: datetime | None = None) -> None:
    """Queues the job that takes the step `place`. One that is due now is queued beside the one that has a time."""
    suffix = "" if at else ":now"
    put(
        tx,
        ESCALATE,
        {"emergency_id": emergency_id, "place": place},
        at=at,
        key=f"{ESCALATE}:{emergency_id}:{place}{suffix}",
        urgent=True,
    )


def _join(
    tx: Transaction,
    permission: AlertPermission,
    emergency: Emergency,
    record: RecordRow,
    position: Position | None,
    now: datetime,
) -> None:
    emergency.scans += 1
    emergency.last_scan_at = now
    _keep_better(tx, permission, emergency, position, now)
    note_opened(tx, permission, emergency, now, "emergency.joined")
    publish_change(tx, "emergency.changed", emergency, record, now)
    end_quiet(tx, emergency, proof_of(permission))


def end_quiet(tx: Transaction, emergency: Emergency, proof: ScanProof) -> None:
    """Queues the first step of an emergency that may be held back, if another tag or broken glass joins it. The job
    decides whether that ends the quiet time, and does nothing where a step was taken."""
    is_other = proof.code != emergency.code or proof.actor.startswith(BROKEN_GLASS)
    if emergency.state != EmergencyState.OPEN or proof.entrance != PermissionSource.TAG or not is_other:
        return
    payload = {"emergency_id": emergency.id, "place": 1, "joined_by": list(proof)}
    put(tx, ESCALATE, payload, key=f"{ESCALATE}:{emergency.id}:1:{proof.code}:{proof.actor}", urgent=True)


def add_position(
    tx: Transaction, permission: AlertPermission, now: datetime, position: Position | None, landmark: str
) -> bool:
    """What became known of the position after the alert. It joins the emergency under way: later steps and pages carry
    it, and those who were alerted before are told once. False if there is none: then nothing is stored. Raises
    FmdNotFound if the record was erased."""
    record = lock_record_row(tx, permission.record.id)
    if record is None or record.erased_at is not None:
        raise FmdNotFound
    emergency, _ = _lately(tx, record.id, now)
    if emergency is None or not emergency.is_live:
        return False
    if not shares_position(documents_of(tx, record.id, permission.key, ["consentimiento"])):
        return True
    _keep_better(tx, permission, emergency, position, now)
    if landmark:
        if emergency.landmark is None:
            queue_position_news(tx, emergency, "landmark", now)
        emergency.landmark = sealed_landmark(permission.key, record.id, landmark)
    note_opened(tx, permission, emergency, now, "emergency.located")
    publish_change(tx, "emergency.changed", emergency, record, now)
    return True


def _keep_better(
    tx: Transaction, permission: AlertPermission, emergency: Emergency, position: Position | None, now: datetime
) -> None:
    known = opened_position(permission.key, emergency.record_id, emergency.position)
    if position is None or not is_better(position, known):
        return
    if known is None:
        queue_position_news(tx, emergency, "position", now)
    emergency.position = sealed_position(permission.key, emergency.record_id, position)


def shared_position(tx: Transaction, permission: AlertPermission, position: Position | None) -> Position | None:
    """None if the owner does not share the position: then nothing of it is stored."""
    if position is None:
        return None
    documents = documents_of(tx, permission.record.id, permission.key, ["consentimiento"])
    return position if shares_position(documents) else None
