"""Events of a record for its owner and guardians: that it was changed, and that somebody else opened it."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ficha.audit.log import Actor
from ficha.core.transaction import Transaction
from ficha.events.events import Audience, NewEvent
from ficha.events.publish import publish_all
from ficha.events.statements import EventForAccounts
from ficha.fmd.grants import OWNER_AND_GUARDIANS, OwnedRecord
from ficha.fmd.records import RecordRow
from ficha.fmd.statements import guardians_since

# Entries of the log that are events of the same name. All others of a record that somebody opened are reads.
CHANGES = frozenset({"record.changed", "access.offered", "access.granted", "access.withdrawn"})
FOR_OWNER_AND_GUARDIANS = EventForAccounts(OWNER_AND_GUARDIANS)


def publish_change_of_record(
    tx: Transaction, action: str, record: RecordRow, actor: Actor, via: str, what: Sequence[str], now: datetime
) -> None:
    payload = {"fmd_code": record.id, "version": record.version, "by": str(actor), "via": via, "what": list(what)}
    FOR_OWNER_AND_GUARDIANS.publish(tx, action, payload, now, owner_id=record.account_id, record_id=record.id, now=now)


class RecordOpening(NamedTuple):
    """That somebody, who is not the owner, opened a record."""

    record: OwnedRecord
    actor: str
    how: str
    at: datetime


def publish_access(tx: Transaction, record: OwnedRecord, actor: str, how: str, at: datetime) -> None:
    publish_openings(tx, [RecordOpening(record, actor, how, at)])


def publish_openings(tx: Transaction, openings: Sequence[RecordOpening]) -> None:
    """In two statements, however many. Who opened a record is not told of it."""
    if not openings:
        return
    guardians = guardians_since(tx, [opening.record.id for opening in openings], min(one.at for one in openings))
    new: list[NewEvent] = []
    for record, actor, how, at in openings:
        payload = {"fmd_code": record.id, "how": how, "by": actor, "at": at.isoformat()}
        told = {who for who, ends_at in guardians.get(record.id, ()) if ends_at > at}
        told |= set() if record.account_id is None else {record.account_id}
        told = {who for who in told if actor != str(Actor("account", who))}
        new += [NewEvent("access.opened", payload, at, Audience(account_id=who)) for who in sorted(told)]
    publish_all(tx, new)
