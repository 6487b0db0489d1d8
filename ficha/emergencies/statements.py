"""The prepared statements of emergencies, each behind a function: what an alert, a step of the ladder, the states of
its message and an answer read and write."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Select, Table, bindparam, case, delete, exists, func, insert, or_, select, update

from ficha.accounts.accounts import Account
from ficha.accounts.caller_selects import NOW
from ficha.core.ids import secret_hash
from ficha.core.list_parameters import one_of
from ficha.core.phones import zone_of_number
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import IS_CLOSED, LIVE, AlertTarget, AnyEmergency, Emergency, EmergencyRow, TargetRow
from ficha.emergencies.relay_lines import RelayMessage
from ficha.emergencies.steps import (
    OVER,
    STAFF_CHANNEL,
    AnyStep,
    CalledContact,
    CalledRow,
    Step,
    StepRow,
    sealed_name,
    token_for,
)
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record, RecordRow
from ficha.messaging.tables import Message

_emergencies = cast(Table, Emergency.__table__)
_steps = cast(Table, Step.__table__)
_called = cast(Table, CalledContact.__table__)
_targets = cast(Table, AlertTarget.__table__)
_records = cast(Table, Record.__table__)
# Of the alerts that one person got lately, how many are looked at for the one that a message answers.
_LATEST = 5
# How many emergencies a family's pages show at once.
_MOST_LIVE = 10


def _columns(table: Table, names: Iterable[str], prefix: str = "") -> list[Any]:
    return [table.c[name].label(prefix + name) for name in names]


# An emergency as a whole

_THIS_EMERGENCY = _emergencies.c.id == bindparam("emergency")
_LOCK_RECORD = Prepared(
    select(*_columns(_records, RecordRow._fields))
    .join(_emergencies, _emergencies.c.record_id == _records.c.id)
    .where(_THIS_EMERGENCY, _records.c.erased_at.is_(None))
    .with_for_update(of=_records),
    row=RecordRow,
)
_FIND_EMERGENCY = Prepared(
    select(*_columns(_emergencies, EmergencyRow._fields)).where(_THIS_EMERGENCY), row=EmergencyRow
)
_CALL_STAFF = Prepared(update(_emergencies).where(_THIS_EMERGENCY), ["staff_at"])
_FIND_LATELY = Prepared(
    select(_emergencies.c.id, _emergencies.c.current_record_id)
    .where(_emergencies.c.record_id == bindparam("record"), _emergencies.c.is_drill.is_(False))
    .where(or_(_emergencies.c.current_record_id.is_not(None), _emergencies.c.opened_at > bindparam("since")))
)
# What a new one has; the rest is empty.
_ENTERED = ("record_id", "current_record_id", "code", "entrance", "position")
_OPENED = (*_ENTERED, "state", "is_drill", "scans", "last_scan_at", "opened_at", "opened_by")
_INSERT_EMERGENCY = Prepared(insert(_emergencies).returning(_emergencies.c.id), _OPENED)
_began = func.min(_steps.c.started_at)
_sent = func.sum(case((_steps.c.state.not_in(OVER), 1), else_=0))
# A test message alerts nobody and holds no alert back, and neither does a ladder that could send nothing.
_FIND_EARLIER = Prepared(
    select(*_columns(_emergencies, EmergencyRow._fields), _began.label("began"))
    .join(_steps, _steps.c.emergency_id == _emergencies.c.id)
    .where(_emergencies.c.record_id == bindparam("record"), _emergencies.c.id != bindparam("emergency"))
    .where(_emergencies.c.is_drill.is_(False), _emergencies.c.opened_at > bindparam("opened_since"))
    .where(_steps.c.channel != STAFF_CHANNEL)
    .group_by(_emergencies.c.id)
    .having(_began > bindparam("since"), _sent > 0)
    .order_by(_began)
)
_owner = bindparam("owner", type_=Record.id.type)
_own = select(Record.id).where(Record.account_id == _owner, Record.erased_at.is_(None))
_granted = select(Grant.record_id).where(
    Grant.account_id == _owner, grant_is_live(NOW), Grant.kind.in_((GrantKind.GUARDIAN, GrantKind.DELEGATE))
)
_FIND_LIVE = Prepared(
    select(*_columns(_emergencies, EmergencyRow._fields))
    .where(or_(_emergencies.c.record_id.in_(_own), _emergencies.c.record_id.in_(_granted)))
    .where(_emergencies.c.state.in_(LIVE), _emergencies.c.is_drill.is_(False))
    .order_by(_emergencies.c.id.desc())
    .limit(_MOST_LIVE),
    row=EmergencyRow,
)
_NUMBER_OF_ACCOUNT = Prepared(select(Account.telefono_e164).where(Account.id == bindparam("account")))


def lock_for_step(tx: Transaction, emergency_id: int) -> tuple[EmergencyRow, RecordRow] | None:
    """Locks the record's row, as `lock_record` does, and then reads the emergency. None if the record was erased."""
    record = tx.first(_LOCK_RECORD, emergency=emergency_id)
    if record is None:
        return None
    return tx.first(_FIND_EMERGENCY, emergency=emergency_id), record


def call_staff(tx: Transaction, emergency_id: int, since: datetime) -> None:
    tx.run(_CALL_STAFF, emergency=emergency_id, staff_at=since)


def find_lately(tx: Transaction, record_id: int, since: datetime) -> tuple[int | None, bool]:
    """The id of the emergency that a scan may join, and whether others of the record were opened since then."""
    found = tx.all(_FIND_LATELY, record=record_id, since=since)
    current = next((row.id for row in found if row.current_record_id is not None), None)
    return current, any(row.id != current for row in found)


def insert_emergency(tx: Transaction, emergency: Emergency) -> None:
    """Gives it its id. The ORM does not know it."""
    emergency.id = tx.first(_INSERT_EMERGENCY, **{name: getattr(emergency, name) for name in _OPENED}).id


def earlier_alerts(
    tx: Transaction, record_id: int, emergency_id: int, since: datetime, opened_since: datetime
) -> list[tuple[EmergencyRow, datetime]]:
    """Other emergencies of the record that began to alert since then, in that order, each with when it began."""
    rows = tx.all(_FIND_EARLIER, record=record_id, emergency=emergency_id, since=since, opened_since=opened_since)
    return [(EmergencyRow(*row[:-1]), row.began) for row in rows]


def live_emergencies(tx: Transaction, account_id: int, now: datetime) -> list[EmergencyRow]:
    """Of the records that are this account's or that it was let into by the family, the newest first. No drills."""
    return tx.all(_FIND_LIVE, owner=account_id, now=now)


def zone_of_account(tx: Transaction, account_id: int) -> str:
    """By its number. Empty where it has none, or is not there any more."""
    row = tx.first(_NUMBER_OF_ACCOUNT, account=account_id)
    return zone_of_number(row.telefono_e164 or "") if row is not None else ""


# The steps of its ladder

_STEPS_OF = Prepared(
    select(*_columns(_steps, StepRow._fields))
    .where(_steps.c.emergency_id == bindparam("emergency"))
    .order_by(_steps.c.place),
    row=StepRow,
)
_TAKEN = ("emergency_id", "place", "contact_id", "channel", "state", "is_question", "started_at", "due_at", "ended_at")
_INSERT_STEP = Prepared(insert(_steps).returning(_steps.c.id), _TAKEN)
_THIS_STEP = _steps.c.id == bindparam("step")
_SENT = ("is_question", "message_id", "provider_id", "started_at", "sent_at", "delivered_at", "read_at")
_CHANGED = ("state", "reason", "ended_at", *_SENT)
_SAVE_STEP = Prepared(update(_steps).where(_THIS_STEP), _CHANGED)
_END_STEP = Prepared(update(_steps).where(_THIS_STEP), ["ended_at"])
_FIND_STEP = Prepared(
    select(*_columns(_steps, StepRow._fields))
    .add_columns(*_columns(_emergencies, EmergencyRow._fields, "its_emergency_"))
    .add_columns(*_columns(_records, RecordRow._fields, "its_record_"))
    .add_columns(exists().where(RelayMessage.emergency_id == _steps.c.emergency_id).label("has_relay"))
    .join(_emergencies, _emergencies.c.id == _steps.c.emergency_id)
    .join(_records, _records.c.id == _emergencies.c.record_id)
    .where(_steps.c.message_id == bindparam("message"))
    .with_for_update(of=_steps)
)
_STEP_ENDS = len(StepRow._fields)
_EMERGENCY_ENDS = _STEP_ENDS + len(EmergencyRow._fields)


def steps_of(tx: Transaction, emergency_id: int) -> list[StepRow]:
    """In the order of their places."""
    return tx.all(_STEPS_OF, emergency=emergency_id)


def insert_step(tx: Transaction, step: StepRow) -> StepRow:
    """The same with its id."""
    return step._replace(id=tx.first(_INSERT_STEP, **{name: getattr(step, name) for name in _TAKEN}).id)


def save_step(tx: Transaction, step: StepRow) -> None:
    """All of it that changes: the caller took it, or holds the lock on its row."""
    tx.run(_SAVE_STEP, step=step.id, **{name: getattr(step, name) for name in _CHANGED})


def end_step(tx: Transaction, step_id: int, now: datetime) -> None:
    tx.run(_END_STEP, step=step_id, ended_at=now)


def step_of_message(tx: Transaction, message_id: int) -> tuple[StepRow, EmergencyRow, RecordRow, bool] | None:
    """Locks the step's row. The last one: whether anything was written that the contact may not have got yet."""
    row = tx.first(_FIND_STEP, message=message_id)
    if row is None:
        return None
    emergency = EmergencyRow(*row[_STEP_ENDS:_EMERGENCY_ENDS])
    return StepRow(*row[:_STEP_ENDS]), emergency, RecordRow(*row[_EMERGENCY_ENDS:-1]), bool(row.has_relay)


def live_steps() -> Select[Step, Message]:
    """The newest first, each with its message."""
    return (
        select(Step, Message)
        .join(Message, Message.id == Step.message_id)
        .join(Emergency, Emergency.id == Step.emergency_id)
        .where(Emergency.state.in_(LIVE))
        .order_by(Step.id.desc())
        .limit(_LATEST)
    )


# Whoever was also sent a test message means the alert, unless she quotes the test.
_RECENT_ALERTS = Prepared(
    live_steps()
    .with_only_columns(Step.id, maintain_column_froms=True)
    .where(Message.thread_id == bindparam("thread"), Step.started_at > bindparam("since"))
    .where(Emergency.is_drill.is_(False))
)


def recent_alerts(tx: Transaction, thread_id: int, since: datetime) -> list[int]:
    """The ids of the steps whose alerts went to this thread. Nearly everybody who writes was never alerted: the ORM
    takes ten times as long to say so."""
    return [row.id for row in tx.all(_RECENT_ALERTS, thread=thread_id, since=since)]


# The contacts of whom a step was taken

_CALLED_IN = Prepared(
    select(*_columns(_called, CalledRow._fields)).where(_called.c.emergency_id == bindparam("emergency")),
    row=CalledRow,
)
_INSERT_CALLED = Prepared(insert(_called), ["emergency_id", "contact_id", "token_hash", "label", "called_at"])
_NOTE_RELAYED = Prepared(
    update(_called).where(
        _called.c.emergency_id == bindparam("emergency"), _called.c.contact_id == bindparam("contact")
    ),
    ["relayed_place"],
)


def called_in(tx: Transaction, emergency_id: int) -> dict[str, CalledRow]:
    """By the contact's id."""
    return {row.contact_id: row for row in tx.all(_CALLED_IN, emergency=emergency_id)}


def store_called(
    tx: Transaction, secrets: Secrets, key: bytes, emergency_id: int, contact: Contact, now: datetime
) -> None:
    """Stores a contact of whom a first step is taken."""
    tx.run(
        _INSERT_CALLED,
        emergency_id=emergency_id,
        contact_id=contact.id,
        token_hash=secret_hash(token_for(secrets, emergency_id, contact.id)),
        label=sealed_name(key, emergency_id, contact),
        called_at=now,
    )


def note_relayed(tx: Transaction, called: CalledRow) -> None:
    tx.run(_NOTE_RELAYED, emergency=called.emergency_id, contact=called.contact_id, relayed_place=called.relayed_place)


# Whom alerts may reach

_THIS_TARGET = (_targets.c.record_id == bindparam("record")) & (_targets.c.target == bindparam("address"))
_SPELT = _targets.c.target.in_((bindparam("address"), bindparam("other")))
# Where both spellings of a number were alerted, what its person said by either counts, and a refusal most.
_FIND_TARGET = Prepared(
    select(*_columns(_targets, TargetRow._fields))
    .where(_targets.c.record_id == bindparam("record"), _SPELT)
    .order_by(_targets.c.refused_at.is_(None), _targets.c.confirmed_at.is_(None), _targets.c.target)
    .limit(1),
    row=TargetRow,
)
_TARGETS_OF_MANY = Prepared(
    select(_targets.c.record_id, *_columns(_targets, TargetRow._fields)).where(one_of(_targets.c.record_id, "records"))
)
_COUNT_ALERTS = Prepared(
    select(func.count(_targets.c.record_id.distinct()).label("count"))
    .select_from(_targets)
    .where(_SPELT, _targets.c.alerted_at > bindparam("since"))
)
_ALERT = ("emergency_id", "contact_id", "channel", "alerted_at", "asked_at")
_INSERT_TARGET = Prepared(insert(_targets), ("record_id", "target", *_ALERT))
_RENEW_TARGET = Prepared(update(_targets).where(_THIS_TARGET), _ALERT)
_ALERTED = (
    (_targets.c.emergency_id == bindparam("emergency"))
    & (_targets.c.contact_id == bindparam("contact"))
    & (_targets.c.channel == bindparam("way"))
)
_NOTE_ANSWER = Prepared(update(_targets).where(_ALERTED), ("confirmed_at", "refused_at"))
_FIND_REFUSAL = Prepared(select(_targets.c.refused_at).where(_ALERTED))
_FORGET_ALERT = Prepared(
    delete(_targets).where(_ALERTED, _targets.c.confirmed_at.is_(None), _targets.c.refused_at.is_(None))
)
_FIND_CLOSED = Prepared(
    select(_targets.c.record_id).where(_targets.c.record_id == bindparam("record"), IS_CLOSED).limit(1)
)


def known_target(tx: Transaction, record_id: int, targets: tuple[bytes, bytes]) -> TargetRow | None:
    """`targets` are both spellings of one address."""
    row: TargetRow | None = tx.first(_FIND_TARGET, record=record_id, address=targets[0], other=targets[1])
    return row


def targets_of_records(tx: Transaction, record_ids: Sequence[int]) -> dict[tuple[int, bytes], TargetRow]:
    """All that these records ever alerted, by record and target."""
    rows = tx.all(_TARGETS_OF_MANY, records=record_ids)
    return {(row.record_id, row.target): TargetRow(*row[1:]) for row in rows}


def count_alerts(tx: Transaction, targets: tuple[bytes, bytes], since: datetime) -> int:
    """How many records alerted this number or mailbox since then."""
    count: int = tx.first(_COUNT_ALERTS, address=targets[0], other=targets[1], since=since).count
    return count


def note_alert(
    tx: Transaction,
    emergency: AnyEmergency,
    target: bytes,
    contact_id: str,
    channel: str,
    at: datetime,
    asked_at: datetime | None,
    *,
    is_known: bool,
) -> None:
    """`is_known`: the record has alerted this number or mailbox before."""
    alert = dict(zip(_ALERT, (emergency.id, contact_id, channel, at, asked_at), strict=True))
    if is_known:
        tx.run(_RENEW_TARGET, record=emergency.record_id, address=target, **alert)
    else:
        tx.run(_INSERT_TARGET, record_id=emergency.record_id, target=target, **alert)


def note_answer(
    tx: Transaction, emergency_id: int, contact_id: str, channel: str, now: datetime, *, is_refused: bool
) -> None:
    """The person who was reached by this channel agrees by any answer, or declines. It says nothing about the contact's
    other addresses, which may be somebody else's."""
    said = {"confirmed_at": None if is_refused else now, "refused_at": now if is_refused else None}
    tx.run(_NOTE_ANSWER, emergency=emergency_id, contact=contact_id, way=channel, **said)


def has_refused(tx: Transaction, emergency_id: int, contact_id: str, channel: str) -> bool:
    """Whether the person who was reached by this channel of this emergency wants no more alerts there."""
    row = tx.first(_FIND_REFUSAL, emergency=emergency_id, contact=contact_id, way=channel)
    return row is not None and row.refused_at is not None


def forget_alert(tx: Transaction, step: AnyStep) -> None:
    """What could not be sent does not count: the next emergency alerts this address as if for the first time."""
    tx.run(_FORGET_ALERT, emergency=step.emergency_id, contact=step.contact_id, way=step.channel)


def has_closed_target(tx: Transaction, record_id: int) -> bool:
    return tx.first(_FIND_CLOSED, record=record_id) is not None
