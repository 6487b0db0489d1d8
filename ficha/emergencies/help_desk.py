"""What an agent at the help desk does shows on the emergency that staff was called to."""

from datetime import datetime

from sqlalchemy import ColumnElement, select

from ficha.accounts.accounts import Account
from ficha.conversations.desk_conversations import EMERGENCY_LABEL, PLACED
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import TAKEN_UP
from ficha.emergencies.emergency import ABOUT, Emergency
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.steps import STAFF_CHANNEL, Step, StepState
from ficha.fmd.access import FmdNotFound
from ficha.fmd.grants import Grant, GrantKind, OwnedRecord
from ficha.fmd.records import Record
from ficha.messaging.tables import Message, Thread


def on_agent(tx: Transaction, emergency_id: int, act: str, now: datetime) -> None:
    """`placed`: it stands before the team on call, so what we send them has arrived. `answered`: somebody has taken it
    up, which ends the step, and so does `resolved`, that they closed their conversation; the emergency itself is closed
    by whoever is responsible for it."""
    emergency = tx.orm.get(Emergency, emergency_id)
    if emergency is None:
        return
    try:
        record = lock_record(tx, emergency.record_id)
    except FmdNotFound:  # The record was erased, and the emergency ended with it.
        return
    called = select(Step).where(Step.emergency_id == emergency_id, Step.channel == STAFF_CHANNEL)
    newest = called.order_by(Step.place.desc()).limit(1).with_for_update()
    step = tx.orm.scalar(newest.execution_options(populate_existing=True))
    if step is None or not _changes(step, act, now):
        return
    publish_change(tx, "emergency.changed", emergency, record, now, step=step.place, channel=STAFF_CHANNEL, desk=act)


def _changes(step: Step, act: str, now: datetime) -> bool:
    if step.reason == TAKEN_UP:
        return False
    if act == PLACED:
        if step.delivered_at is not None:
            return False
        step.state, step.delivered_at, step.sent_at = StepState.DELIVERED, now, step.sent_at or now
        step.ended_at = step.reason = None  # Where a message to the team had failed.
        return True
    step.read_at = step.read_at or now
    step.end(StepState.READ, now, TAKEN_UP)
    return True


def desk_labels(tx: Transaction, record: OwnedRecord, now: datetime) -> list[str]:
    """The owner's language, and the institutions that the record belongs to."""
    account = None if record.account_id is None else tx.orm.get(Account, record.account_id)
    labels = [] if account is None else [account.idioma]
    return labels + _institutions(tx, Grant.record_id == record.id, now)


def thread_labels(tx: Transaction, thread: Thread, now: datetime) -> list[str]:
    """The person's language and the institutions of her records; for whoever was alerted, those of the emergency."""
    account = None if thread.account_id is None else tx.orm.get(Account, thread.account_id)
    labels = []
    if account is not None:
        hers = Grant.record_id.in_(select(Record.id).where(Record.account_id == account.id))
        labels = [account.idioma, *_institutions(tx, hers, now)]
    emergency = _emergency_of(tx, thread)
    if emergency is not None and emergency.is_live:
        about_it = desk_labels(tx, tx.orm.get_one(Record, emergency.record_id), now)
        labels = [EMERGENCY_LABEL, *labels, *(label for label in about_it if label not in labels)]
    return labels


def _emergency_of(tx: Transaction, thread: Thread) -> Emergency | None:
    """The last one that this thread was alerted to."""
    ours = select(Message.about).where(Message.thread_id == thread.id, Message.is_ours, Message.about.like(f"{ABOUT}%"))
    about = tx.orm.scalar(ours.order_by(Message.id.desc()).limit(1))
    return None if about is None else tx.orm.get(Emergency, int(about.split(":")[1]))


def _institutions(tx: Transaction, which: ColumnElement[bool], now: datetime) -> list[str]:
    live = (Grant.kind == GrantKind.INSTITUTION, Grant.ends_at > now, Grant.account_id.is_not(None))
    found = select(Grant.account_id).where(which, *live).distinct().order_by(Grant.account_id)
    return [f"institucion-{number}" for number in tx.orm.scalars(found)]
