"""The emergencies of a family for its own pages: the list of them, and all of one, also after its end: who was told,
what whoever was there and the contacts wrote to each other, and each further scan."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import or_, select

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Caller
from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import Names, ProgressKind, ProgressLine
from ficha.emergencies.emergency import Emergency, Timeouts
from ficha.emergencies.emergency_access import STAFF, VisibleEmergency, lines_of_visible, visible_emergency
from ficha.emergencies.positions import opened_landmark
from ficha.emergencies.relay_lines import RelayLine, relay_lines
from ficha.emergencies.statements import zone_of_account
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name, zone_of

FAMILY_GRANTS = (GrantKind.GUARDIAN, GrantKind.DELEGATE)
# What the log says of whoever holds a sticker.
OPENED, READ = "emergency.opened", "record.read"
SCANS = {READ: "read", "emergency.joined": "joined", "emergency.located": "located", "glass.broken": "glass"}
MOST_SCANS = 100
SAME_LOOK = timedelta(minutes=10)


class LaterScan(NamedTuple):
    """Something that whoever holds the sticker did after the alert: `read`, `joined`, `located` or `glass`."""

    kind: str
    at: datetime


@dataclass(frozen=True)
class FamilyEmergency:
    """The line of an acknowledgement has the name of who said on these pages that she is on her way. `names` are
    relation and name of each contact that was alerted. What was written is for the family alone: an institution and
    staff get nothing of it."""

    seen: VisibleEmergency
    name: str
    zone: str
    landmark: str
    lines: list[ProgressLine]
    names: Names
    said: list[RelayLine]
    scans: list[LaterScan]
    ended_by: str


def family_emergencies(tx: Transaction, account_id: int, now: datetime, *, before: int, limit: int) -> list[Emergency]:
    """Of the records that are this account's or that it was let into by the family: no drills, newest first, below the
    id `before`."""
    own = select(Record.id).where(Record.account_id == account_id, Record.erased_at.is_(None))
    granted = select(Grant.record_id).where(
        Grant.account_id == account_id, grant_is_live(now), Grant.kind.in_(FAMILY_GRANTS)
    )
    query = (
        select(Emergency)
        .where(or_(Emergency.record_id.in_(own), Emergency.record_id.in_(granted)))
        .where(Emergency.is_drill.is_(False), Emergency.id < before)
    )
    return list(tx.orm.scalars(query.order_by(Emergency.id.desc()).limit(limit)))


def family_emergency(
    tx: Transaction, keyring: Keyring, caller: Caller, emergency_id: int, now: datetime, timeouts: Timeouts
) -> FamilyEmergency:
    """Raises EmergencyUnknown."""
    seen = visible_emergency(tx, keyring, caller, emergency_id, now, timeouts)
    emergency = seen.emergency
    record = tx.orm.get_one(Record, emergency.record_id)
    key = record.open_key(keyring)
    documents = documents_of(tx, record.id, key, ["personal", "preferencia"])
    is_family = seen.via not in (STAFF, GrantKind.INSTITUTION)
    # With those whom the owner hides from strangers: these are her people, each as far as she lets them see.
    lines = lines_of_visible(seen, now)
    goes = _name_of(tx, emergency.acknowledged_by or "")
    lines = [replace(line, name=goes) if line.kind is ProgressKind.ACKNOWLEDGED else line for line in lines]
    return FamilyEmergency(
        seen,
        name=unfiltered_first_name(documents),
        zone=zone_of_account(tx, caller.account_id) or zone_of(documents),
        landmark=opened_landmark(key, record.id, emergency.landmark),
        lines=[line for line in lines if line.kind != ProgressKind.OPENED],  # Said to who raised the alert.
        names={each.step.contact_id or "": (each.contact.relacion, each.contact.nombre) for each in seen.steps},
        said=relay_lines(tx, key, emergency.id) if is_family else [],
        scans=_later_scans(tx, emergency),
        ended_by=_name_of(tx, emergency.resolved_by or emergency.canceled_by or ""),
    )


def _later_scans(tx: Transaction, emergency: Emergency) -> list[LaterScan]:
    """The newest first, until its end. Without scripts the page of who raised the alert loads itself again and again:
    what is read from the same address soon after is the same look."""
    by_sticker = or_(AuditEntry.actor == "tag", AuditEntry.actor.startswith("glass:"))
    until = [] if emergency.ended_at is None else [AuditEntry.at <= emergency.ended_at]
    actions = AuditEntry.action.in_((OPENED, *SCANS))
    found = entries_of(
        tx, emergency.record_id, AuditEntry.at >= emergency.opened_at, actions, by_sticker, *until, limit=MOST_SCANS
    )
    scans, looked = [], dict[str, datetime]()
    for entry in sorted(found, key=lambda entry: (entry.at, entry.action == READ)):
        # What is about an emergency names it, and another one may have begun before this one ended.
        if entry.action.startswith("emergency.") and f"emergency:{emergency.id}" not in entry.what:
            continue
        last, looked[entry.origin] = looked.get(entry.origin), entry.at
        is_same = entry.action == READ and last is not None and entry.at - last < SAME_LOOK
        if entry.action != OPENED and not is_same:
            scans.append(LaterScan(SCANS[entry.action], entry.at))
    return scans[::-1]


def _name_of(tx: Transaction, actor: str) -> str:
    kind, _, number = actor.partition(":")
    account = tx.orm.get(Account, int(number)) if kind == "account" and number.isdigit() else None
    return account.nombre if account else ""
