"""A contact has another number: every owner whose record alerted the old one is told once, to check it. The new number
is told nothing, and alerted by nobody until an owner writes it down; then it is that of somebody who never agreed."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.channels.job_services import JobServices
from ficha.core.phones import spellings
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import AlertTarget, target_of
from ficha.emergencies.emergency_events import lock_record
from ficha.fmd.access import FmdNotFound
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.messages import MovedNumber
from ficha.notices.notices import ReaderKind, queue_notice

TELL = "emergencia.numero"
PLATFORM = Actor("ladder")
# The platform may tell it again under another id.
ONCE_IN = timedelta(days=1)


def on_move(tx: Transaction, moved: MovedNumber, secrets: Secrets) -> None:
    """Puts a job where any record ever alerted the old number: it needs locks on records. Numbers stand in no job; what
    it carries are keyed hashes."""
    old, new = ([_target(secrets, f"+{digits}") for digits in spellings(each)] for each in (moved.old, moved.new))
    if tx.orm.scalar(select(AlertTarget.record_id).where(AlertTarget.target.in_(old)).limit(1)) is not None:
        payload = {"old": [each.hex() for each in old], "new": new[0].hex()}
        put(tx, TELL, payload, key=f"{TELL}:{moved.message_id}")


@dataclass(frozen=True)
class MovedContacts:
    services: JobServices

    def job_kind(self) -> Kind:
        return Kind(TELL, self.tell_owners, attempts=20)

    def tell_owners(self, job: Job) -> None:
        """Each record in a transaction of its own. Twice changes nothing."""
        old, new = [bytes.fromhex(each) for each in job.payload["old"]], bytes.fromhex(job.payload["new"])
        with self.services.database.reading() as tx:
            reached = select(AlertTarget.record_id).where(AlertTarget.target.in_(old)).distinct()
            records = sorted(tx.orm.scalars(reached))
        for record_id in records:
            with suppress(FmdNotFound), self.services.database.writing() as tx:
                record = lock_record(tx, record_id)
                _forget_agreement(tx, record, old, new)
                self._tell_owner(tx, record, old, self.services.clock.now())

    def _tell_owner(self, tx: Transaction, record: Record, old: Sequence[bytes], now: datetime) -> None:
        """Only of contacts whom the record still has with the old number."""
        documents = documents_of(tx, record.id, record.open_key(self.services.keyring), ["emergencia"])
        for contact in contacts_in(documents.get("emergencia")):
            if not contact.phone or _target(self.services.secrets, contact.phone) not in old:
                continue
            if queue_notice(tx, record.id, ReaderKind.MOVED, now, reader=contact.id, origin="", repeat_within=ONCE_IN):
                audit.note(tx, record.id, PLATFORM, "contact.moved", [f"contact:{contact.id}"], now)


def _forget_agreement(tx: Transaction, record: Record, old: Sequence[bytes], new: bytes) -> None:
    """The old number may be somebody else's soon, who never agreed. That she declined goes with her."""
    found = select(AlertTarget).where(AlertTarget.record_id == record.id, AlertTarget.target.in_(old))
    for target in tx.orm.scalars(found):
        target.confirmed_at = None
        if target.refused_at is not None and tx.orm.get(AlertTarget, (record.id, new)) is None:
            refusal = AlertTarget(
                record_id=record.id,
                target=new,
                emergency_id=target.emergency_id,
                contact_id=target.contact_id,
                channel=target.channel,
                alerted_at=target.alerted_at,
                asked_at=target.asked_at,
                refused_at=target.refused_at,
            )
            tx.orm.add(refusal)
            tx.orm.flush()


def _target(secrets: Secrets, phone: str) -> bytes:
    return target_of(secrets, WhatsAppChannel.name, phone)
