"""Erases the emergencies of a record: places, names of contacts, what alerts said and what was written. States and
times stay."""

from datetime import datetime

from sqlalchemy import delete, select, update

from ficha.audit.log import Actor
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.relay_lines import RelayMessage
from ficha.emergencies.steps import CalledContact
from ficha.messaging.erasure import erase_messages_about

NOTHING = b""


def erase_emergencies(tx: Transaction, record_id: int, actor: Actor, now: datetime) -> None:
    """The caller has locked the record. One that is not over is canceled: its ladder stops."""
    found = tx.orm.scalars(select(Emergency).where(Emergency.record_id == record_id)).all()
    for emergency in found:
        if emergency.is_live:
            emergency.state, emergency.canceled_at = EmergencyState.CANCELED, now
            emergency.canceled_by = str(actor)
        emergency.position = emergency.landmark = emergency.current_record_id = None
    ids = [emergency.id for emergency in found]
    tx.orm.execute(update(CalledContact).where(CalledContact.emergency_id.in_(ids)).values(label=NOTHING))
    tx.orm.execute(delete(RelayMessage).where(RelayMessage.emergency_id.in_(ids)))
    erase_messages_about(tx, [emergency.about for emergency in found])
