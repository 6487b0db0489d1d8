"""Events of a record for its owner and guardians: that it was changed, and that somebody else opened it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from ficha.audit.log import Actor
from ficha.events.events import publish
from ficha.fmd.grants import owner_and_guardians
from ficha.fmd.records import AnyRecord

# Entries of the log that are events of the same name. All others of a record that somebody opened are reads.
CHANGES = frozenset({"record.changed", "access.offered", "access.granted", "access.withdrawn"})


def publish_change_of_record(
    session: Session, action: str, record: AnyRecord, actor: Actor, via: str, what: Sequence[str], now: datetime
) -> None:
    payload = {"fmd_code": record.id, "version": record.version, "by": str(actor), "via": via, "what": list(what)}
    publish(session, action, payload, now, accounts=owner_and_guardians(session, record, now))


def publish_access(session: Session, record: AnyRecord, actor: str, how: str, at: datetime) -> None:
    """For an opening by anybody but the owner. Who opened it is not told of it."""
    told = [who for who in owner_and_guardians(session, record, at) if actor != str(Actor("account", who))]
    payload = {"fmd_code": record.id, "how": how, "by": actor, "at": at.isoformat()}
    publish(session, "access.opened", payload, at, accounts=told)
