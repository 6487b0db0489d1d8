"""What an agent at the help desk does shows on the emergency that staff was called to."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.ladder import STAFF_CHANNEL
from ficha.emergencies.steps import Step, StepState, steps_of
from ficha.fmd.access import FmdNotFound
from ficha.fmd.grants import Grant, GrantKind, OwnedRecord


def on_agent(session: Session, emergency_id: int, act: str, now: datetime) -> None:
    """`answered`: somebody at the desk has taken it up. `resolved`: they closed their conversation, which ends the
    step; the emergency itself is closed by whoever is responsible for it."""
    emergency = session.get(Emergency, emergency_id)
    if emergency is None:
        return
    try:
        record = lock_record(session, emergency.record_id)
    except FmdNotFound:  # The record was erased, and the emergency ended with it.
        return
    step = next((each for each in steps_of(session, emergency_id) if each.channel == STAFF_CHANNEL), None)
    if step is None or not _changes(step, act, now):
        return
    publish_change(
        session, "emergency.changed", emergency, record, now, step=step.place, channel=STAFF_CHANNEL, desk=act
    )


def _changes(step: Step, act: str, now: datetime) -> bool:
    before = (step.state, step.ended_at)
    if step.read_at is None:
        step.state, step.read_at = StepState.READ, now
    if act == "resolved" and step.ended_at is None:
        step.ended_at, step.reason = now, "atendida"
    return before != (step.state, step.ended_at)


def desk_labels(session: Session, record: OwnedRecord, now: datetime) -> list[str]:
    """The owner's language, and the institutions that the record belongs to."""
    account = None if record.account_id is None else session.get(Account, record.account_id)
    institutions = select(Grant.account_id).where(
        Grant.record_id == record.id, Grant.kind == GrantKind.INSTITUTION, Grant.ends_at > now
    )
    labels = [] if account is None else [account.idioma]
    return labels + [f"institucion-{number}" for number in session.scalars(institutions.order_by(Grant.account_id))]
