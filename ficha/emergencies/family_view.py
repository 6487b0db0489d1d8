"""Emergencies as the family sees them on its pages: those under way, and one with all that is known of it."""

from dataclasses import dataclass, replace
from datetime import datetime

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Caller
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine
from ficha.emergencies.contact_zone import zone_of_account
from ficha.emergencies.emergency_access import VisibleEmergency, lines_of_visible, visible_emergency
from ficha.emergencies.positions import opened_landmark
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name, zone_of


@dataclass(frozen=True)
class FamilyEmergency:
    """The line of an acknowledgement has the name of who said on these pages that she is on her way."""

    seen: VisibleEmergency
    name: str
    zone: str
    landmark: str
    lines: list[ProgressLine]


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
