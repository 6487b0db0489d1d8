"""The job that sends the contacts by WhatsApp what whoever is with the person wrote.

A contact gets one message at a time: the next one is queued when the platform has the one before, so they come in order
whatever is tried again meanwhile. Each has a name, and is queued once."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select, update

from ficha.channels.job_services import JobServices
from ficha.channels.messages import Text
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertSource, alert_source
from ficha.emergencies.channels.whatsapp import WhatsAppChannel, alert_thread, queue_after_alert
from ficha.emergencies.contacts import contact_with, door_of_number, language_of
from ficha.emergencies.emergency import URGENT_RETRY, AlertTarget, Emergency
from ficha.emergencies.emergency_events import lock_record
from ficha.emergencies.relay_lines import RELAY, LineKind, RelayLine, relay_lines
from ficha.emergencies.statements import called_in, note_relayed, steps_of
from ficha.emergencies.steps import CalledRow, StepRow, StepState
from ficha.fmd.access import FmdNotFound
from ficha.fmd.base import Door
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.failures import pending_template
from ficha.messaging.tables import Message, MessageState

REACHED = (StepState.ACCEPTED, StepState.SENT, StepState.DELIVERED, StepState.READ)
# What could not leave by then says nothing about now.
EXPIRES = timedelta(hours=1)
NAMELESS = Translated("la persona", "the person", "a pessoa")
WORDS = Translated(
    "Quien está con {person} escribe: «{words}»",
    "Whoever is with {person} writes: “{words}”",
    "Quem está com {person} escreve: «{words}»",
)
PHONE = Translated(
    "Quien está con {person} dejó su teléfono para que lo llame: {words}",
    "Whoever is with {person} left a phone number for you to call: {words}",
    "Quem está com {person} deixou o telefone para você ligar: {words}",
)
# By who sees the contact's number on the sticker's page, as the owner decided.
HINTS = {
    Door.R: Translated(
        ". Lo que usted responda aquí lo leerá esa persona. La etiqueta le muestra también su número para llamarlo.",
        ". Whatever you answer here, that person will read. The sticker shows them your number too, to call you.",
        ". O que você responder aqui essa pessoa vai ler. A etiqueta também lhe mostra o seu número, para que ligue.",
    ),
    Door.B: Translated(
        ". Lo que usted responda aquí lo leerá esa persona; su número se le muestra solo si se identifica.",
        ". Whatever you answer here, that person will read; your number is shown only if they give their name.",
        ". O que você responder aqui essa pessoa vai ler; o seu número só é mostrado se ela se identificar.",
    ),
    Door.P: Translated(
        ". Lo que usted responda aquí lo leerá esa persona; su número no se le muestra.",
        ". Whatever you answer here, that person will read; your number is not shown.",
        ". O que você responder aqui essa pessoa vai ler; o seu número não é mostrado.",
    ),
}


@dataclass(frozen=True)
class RelaySender:
    services: JobServices

    def job_kind(self) -> Kind:
        return Kind(RELAY, self.send, attempts=100, longest_wait=URGENT_RETRY)

    def send(self, job: Job) -> None:
        """Queues the next line for each contact who has got all before it. Twice changes nothing."""
        services, now = self.services, self.services.clock.now()
        with suppress(FmdNotFound), services.database.writing() as tx:
            emergency = tx.orm.get_one(Emergency, job.payload["emergency_id"])
            record = lock_record(tx, emergency.record_id)
            tx.orm.refresh(emergency)
            if not emergency.is_live:
                return
            source = alert_source(tx, services.keyring, emergency, record)
            lines = [line for line in relay_lines(tx, source.key, emergency.id) if line.contact_id is None]
            if not lines:
                return
            alerts = alerts_by_contact(tx, emergency.id)
            for called in called_in(tx, emergency.id).values():
                step = alerts.get(called.contact_id)
                if step is not None:
                    self._send_next(tx, source, called, step, lines, now)

    def _send_next(
        self,
        tx: Transaction,
        source: AlertSource,
        called: CalledRow,
        step: StepRow,
        lines: list[RelayLine],
        now: datetime,
    ) -> None:
        got = [line for line in lines if line.place <= called.relayed_place]
        line = next((line for line in lines if line.place > called.relayed_place), None)
        if line is None or _is_under_way(tx, called) or not self._may_get(tx, called, len(got)):
            return
        thread = alert_thread(tx, step)
        if thread is None:
            return
        language = language_of(contact_with(source.documents, called.contact_id), source.documents)
        hint = "" if got else self._hint(tx, source, called.contact_id).in_language(language)
        text = Text(_text(source, line, language) + hint)
        called = called._replace(relayed_place=line.place)
        note_relayed(tx, called)
        queue_after_alert(
            tx,
            self.services.keyring,
            thread,
            step,
            text,
            now,
            fallback=pending_template(text, language),
            once=relay_name(called),
            record_id=source.record.id,
            expires_at=now + EXPIRES,
            is_urgent=True,
        )

    def _hint(self, tx: Transaction, source: AlertSource, contact_id: str) -> Translated:
        documents = documents_of(tx, source.record.id, source.key, ["emergencia", "consentimiento"])
        return HINTS[door_of_number(documents, contact_id)]

    def _may_get(self, tx: Transaction, called: CalledRow, count: int) -> bool:
        """Whoever declined gets nothing; whoever never answered an alert of this record, a few."""
        target = tx.orm.scalars(
            select(AlertTarget).where(
                AlertTarget.emergency_id == called.emergency_id,
                AlertTarget.contact_id == called.contact_id,
                AlertTarget.channel == WhatsAppChannel.name,
            )
        ).one_or_none()
        if target is None or target.refused_at is not None:
            return False
        return target.confirmed_at is not None or count < self.services.settings.relay_unconfirmed


def relay_name(called: CalledRow) -> str:
    """Of the message with the last line that was queued for this contact."""
    return f"relevo:{called.emergency_id}:{called.contact_id}:{called.relayed_place}"


def stop_relay(tx: Transaction, emergency_id: int, now: datetime) -> None:
    """What has not left when the emergency ends is not sent any more."""
    names = [relay_name(called) for called in called_in(tx, emergency_id).values() if called.relayed_place]
    if names:
        last = select(Message.replaced_by).where(Message.once.in_(names), Message.replaced_by.is_not(None))
        tx.orm.execute(
            update(Message)
            .where(or_(Message.once.in_(names), Message.id.in_(last)), Message.state == MessageState.QUEUED)
            .values(expires_at=now),
            execution_options={"synchronize_session": False},
        )


def alerts_by_contact(tx: Transaction, emergency_id: int) -> dict[str, StepRow]:
    """By contact, the alert that the platform took. A question whether she agrees to alerts is none."""
    return {
        step.contact_id: step
        for step in steps_of(tx, emergency_id)
        if step.contact_id and step.channel == WhatsAppChannel.name and step.state in REACHED and not step.is_question
    }


def _is_under_way(tx: Transaction, called: CalledRow) -> bool:
    """Whether the platform may still get the last one that was queued: itself, or the template in its place."""
    message = tx.orm.scalars(select(Message).where(Message.once == relay_name(called))).one_or_none()
    while message is not None and message.replaced_by is not None:
        message = tx.orm.get(Message, message.replaced_by)
    return message is not None and message.state == MessageState.QUEUED


def _text(source: AlertSource, line: RelayLine, language: str) -> str:
    person = unfiltered_first_name(source.documents) or NAMELESS.in_language(language)
    said = (PHONE if line.kind is LineKind.PHONE else WORDS).in_language(language)
    return said.format(person=person, words=line.words)
