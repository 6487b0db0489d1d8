"""The job that mails an alert. Before the call it writes down that one is under way, and after it that it was made.

A mail server tells nothing afterwards, so a call whose end nobody wrote down is made again: an alert that is lost is
worse than one that comes twice. Both carry one Message-ID, by which mailboxes know them as the same mail. Once the
step says that it was sent, nothing sends it again.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Idioma
from ficha.channels.errors import Refused, RetryLater
from ficha.channels.mail import Mail, Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies.alert_texts import name_said, place_said
from ficha.emergencies.contacts import contacts_in, language_of
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.escalation import READ_FROM
from ficha.emergencies.mail_texts import ALERT
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.positions import opened_position
from ficha.emergencies.steps import Step, StepState, token_for
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.local_time import local_time_text
from ficha.fmd.readable_documents import chosen_first_name, documents_of, zone_of
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job

UNSENT = (StepState.QUEUED, StepState.SENDING)


@dataclass(frozen=True)
class AlertMails:
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings
    patience: Timeouts

    def send(self, job: Job) -> None:
        step_id = int(job.payload["step_id"])
        with self.database.writing() as session:
            mail = self._prepare(session, step_id, self.clock.now())
        if mail is None:
            return
        try:
            provider_id = self.mailer.send(mail)
        except Refused:
            with self.database.writing() as session:
                self._fail(session, session.get_one(Step, step_id, with_for_update=True), "rechazado")
            return
        except RetryLater:
            with self.database.writing() as session:
                session.get_one(Step, step_id, with_for_update=True).state = StepState.QUEUED
            raise  # The job comes back by itself, until the mail is too old.
        with self.database.writing() as session:
            step = session.get_one(Step, step_id, with_for_update=True)
            step.state, step.sent_at, step.provider_id = StepState.SENT, self.clock.now(), provider_id
            self._tell(session, step)

    def _prepare(self, session: Session, step_id: int, now: datetime) -> Mail | None:
        step = session.get(Step, step_id, with_for_update=True)
        if step is None or step.state not in UNSENT:
            return None
        emergency = session.get_one(Emergency, step.emergency_id)
        record = session.get_one(Record, emergency.record_id)
        if emergency.state != EmergencyState.OPEN or record.erased_at is not None:
            step.end(StepState.SKIPPED, now, "terminada")  # Somebody answered meanwhile.
            return None
        if now >= step.started_at + self.patience.message:
            self._fail(session, step, "vencido")
            return None
        key = record.open_key(self.keyring)
        documents = documents_of(session, record.id, key, READ_FROM)
        contact = next((each for each in contacts_in(documents.get("emergencia")) if each.id == step.contact_id), None)
        if contact is None or not contact.correo:
            self._fail(session, step, "sin_direccion")
            return None
        language = language_of(contact, documents)
        letter = ALERT[Idioma(language)].filled(
            persona=name_said(chosen_first_name(documents), language),
            hora=local_time_text(emergency.opened_at, zone_of(documents), language),
            lugar=place_said(opened_position(key, record.id, emergency.position), language),
            enlace=f"{self.settings.public_url}/a/{token_for(self.secrets, emergency.id, contact.id)}",
        )
        step.state = StepState.SENDING
        return Mail(contact.correo, letter.subject, letter.text, key=step.name.replace(":", "-"))

    def _fail(self, session: Session, step: Step, reason: str) -> None:
        now = self.clock.now()
        step.end(StepState.FAILED, now, reason)
        queue_escalation(session, step.emergency_id, step.place + 1)
        self._tell(session, step)

    def _tell(self, session: Session, step: Step) -> None:
        emergency = session.get_one(Emergency, step.emergency_id)
        record = session.get_one(Record, emergency.record_id)
        now = self.clock.now()
        publish_change(session, "emergency.changed", emergency, record, now, step=step.place, channel=step.channel)
