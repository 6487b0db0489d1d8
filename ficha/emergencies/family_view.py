"""Emergencies as the family sees them on its pages: those under way, and one with all that is known of it."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import bindparam, or_, select

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import NOW, Caller
from ficha.core.crypto import Keyring
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine
from ficha.emergencies.contact_zone import zone_of_account
from ficha.emergencies.emergency import LIVE
from ficha.emergencies.emergency_access import VisibleEmergency, lines_of_visible, visible_emergency
from ficha.emergencies.positions import opened_landmark
from ficha.emergencies.step_rows import EmergencyRow, emergencies
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name, zone_of
from ficha.fmd.records import Record

MOST_SHOWN = 10


@dataclass(frozen=True)
class FamilyEmergency:
    """The line of an acknowledgement has the name of who said on these pages that she is on her way."""

    seen: VisibleEmergency
    name: str
    zone: str
    landmark: str
    lines: list[ProgressLine]


_MINE = bindparam("account_id", type_=Record.id.type)
_OWN = select(Record.id).where(Record.account_id == _MINE, Record.erased_at.is_(None))
_GRANTED = select(Grant.record_id).where(
    Grant.account_id == _MINE, grant_is_live(NOW), Grant.kind.in_((GrantKind.GUARDIAN, GrantKind.DELEGATE))
)
_LIVE_EMERGENCIES = Prepared(
    select(*(emergencies.c[name] for name in EmergencyRow._fields))
    .where(
        or_(emergencies.c.record_id.in_(_OWN), emergencies.c.record_id.in_(_GRANTED)),
        emergencies.c.state.in_(LIVE),
        emergencies.c.is_drill.is_(False),
    )
    .order_by(emergencies.c.id.desc())
    .limit(MOST_SHOWN)
)


def live_emergencies(tx: Transaction, account_id: int, now: datetime) -> list[EmergencyRow]:
    """Of the records that are this account's or that it was let into by the family, the newest first. No drills."""
    return [EmergencyRow._make(row) for row in tx.all(_LIVE_EMERGENCIES, account_id=account_id, now=now)]


def family_emergency(
    tx: Transaction, keyring: Keyring, caller: Caller, emergency_id: int, now: datetime, timeouts: Timeouts
) -> FamilyEmergency:
    """Raises EmergencyUnknown."""
    seen = visible_emergency(tx, keyring, caller, emergency_id, now, timeouts)
    emergency = seen.emergency
    record = tx.orm.get_one(Record, emergency.record_id)
    key = record.open_key(keyring)
    documents = documents_of(tx, record.id, key, ["personal", "preferencia"])
    # With those whom the owner hides from strangers: these are her people.
    lines = lines_of_visible(seen, now)
    goes = _name_of(tx, emergency.acknowledged_by or "")
    lines = [replace(line, name=goes) if line.kind is ProgressKind.ACKNOWLEDGED else line for line in lines]
    return FamilyEmergency(
        seen,
        name=unfiltered_first_name(documents),
        zone=zone_of(documents) or zone_of_account(tx, caller.account_id),
        landmark=opened_landmark(key, record.id, emergency.landmark),
        lines=[line for line in lines if line.kind != ProgressKind.OPENED],  # Said to who raised the alert.
    )


def _name_of(tx: Transaction, actor: str) -> str:
    kind, _, number = actor.partition(":")
    account = tx.orm.get(Account, int(number)) if kind == "account" and number.isdigit() else None
    return account.nombre if account else ""
