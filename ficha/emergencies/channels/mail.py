"""Alerts by mail. The job that sends one stores before the call that it is under way, and after it that it was sent.

A mail server reports nothing afterwards, so a call whose end was not stored is made again: an alert that is lost is
worse than one that comes twice. Both carry one Message-ID, by which mailboxes know them as the same mail. Once the
step is stored as sent, nothing sends it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.channels.errors import CannotBeBuilt, Refused, RetryLater
from ficha.channels.mail import Mail
from ficha.core.settings import Settings
from ficha.emergencies.alert_targets import forget_alert
from ficha.emergencies.alert_texts import alert_source, alert_text
from ficha.emergencies.channels.channel import Alert, ChannelServices
from ficha.emergencies.contacts import Contact, contacts_in
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.steps import Step, StepState, link_for
from ficha.emergencies.timeouts import URGENT_RETRY, Timeouts
from ficha.fmd.records import Record
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import put

SEND_MAIL = "emergencia.correo"
UNSENT = (StepState.QUEUED, StepState.SENDING)

TEXTS = {
    Idioma.ES: MailText(
        "{persona} puede necesitar ayuda",
        "{persona} puede necesitar ayuda. Alguien pidió avisarle a las {hora}.\n\nLugar: {lugar}\n\n"
        "Diga si va o si no puede, y vea dónde es:\n\n{enlace}\n\n"
        "Le escribimos porque usted es su contacto de emergencia.\n",
    ),
    Idioma.EN: MailText(
        "{persona} may need help",
        "{persona} may need help. Somebody asked us to tell you at {hora}.\n\nPlace: {lugar}\n\n"
        "Say whether you are going or cannot, and see where it is:\n\n{enlace}\n\n"
        "We write to you because you are an emergency contact.\n",
    ),
    Idioma.PT: MailText(
        "{persona} pode precisar de ajuda",
        "{persona} pode precisar de ajuda. Alguém pediu para avisar você às {hora}.\n\nLocal: {lugar}\n\n"
        "Diga se você vai ou se não pode, e veja onde é:\n\n{enlace}\n\n"
        "Escrevemos porque você é contato de emergência.\n",
    ),
}
QUESTIONS = {
    Idioma.ES: MailText(
        "¿Acepta ser contacto de emergencia de {persona}?",
        "{persona} lo eligió como contacto de emergencia, y usted nunca nos respondió. ¿Acepta recibir sus avisos?\n\n"
        "Dígalo aquí; si no responde, no le escribiremos más por esta persona:\n\n{enlace}\n",
    ),
    Idioma.EN: MailText(
        "Do you agree to be an emergency contact of {persona}?",
        "{persona} chose you as an emergency contact, and you never answered us. Do you agree to get these alerts?\n\n"
        "Say so here; if you do not answer, we will not write to you about this person again:\n\n{enlace}\n",
    ),
    Idioma.PT: MailText(
        "Aceita ser contato de emergência de {persona}?",
        "{persona} escolheu você como contato de emergência, e você nunca nos respondeu. Aceita receber esses avisos?"
        "\n\nDiga aqui; se não responder, não escreveremos mais por essa pessoa:\n\n{enlace}\n",
    ),
}


class MailChannel:
    name = "correo"
    words = Translated("por correo", "by e-mail", "por e-mail")
    is_default = True

    def address(self, contact: Contact) -> str:
        return contact.correo

    def timeout(self, settings: Settings) -> timedelta:
        return timedelta(seconds=settings.ladder_mail_seconds)

    def queue(self, session: Session, services: ChannelServices, alert: Alert, now: datetime) -> None:
        put(session, SEND_MAIL, {"step_id": alert.step.id}, key=f"{SEND_MAIL}:{alert.step.id}", urgent=True)

    def job_kinds(self, services: ChannelServices) -> Sequence[Kind]:
        return [Kind(SEND_MAIL, AlertMails(services).send, attempts=100, longest_wait=URGENT_RETRY)]


@dataclass(frozen=True)
class AlertMails:
    services: ChannelServices

    def send(self, job: Job) -> None:
        """Sends the mail of the job's step, unless it was sent or the emergency is no longer open."""
        database, clock = self.services.database, self.services.clock
        step_id = int(job.payload["step_id"])
        with database.writing() as session:
            mail = self._prepare(session, step_id, clock.now())
        if mail is None:
            return
        try:
            provider_id = self.services.mailer.send(mail)
        except Refused as refusal:
            with database.writing() as session:
                self._fail(session, session.get_one(Step, step_id, with_for_update=True), "rechazado")
            if isinstance(refusal, CannotBeBuilt):  # The ladder goes on; this job is kept for us to look at.
                raise GiveUp(str(refusal)) from refusal
            return
        except RetryLater:
            with database.writing() as session:
                session.get_one(Step, step_id, with_for_update=True).state = StepState.QUEUED
            raise  # The job is tried again by itself, until the mail is too old.
        with database.writing() as session:
            step = session.get_one(Step, step_id, with_for_update=True)
            step.state, step.sent_at, step.provider_id = StepState.SENT, clock.now(), provider_id
            self._publish(session, step)

    def _prepare(self, session: Session, step_id: int, now: datetime) -> Mail | None:
        """The mail of the step, which is stored as sending; None and an ended step if it is not to be sent."""
        services = self.services
        step = session.get(Step, step_id, with_for_update=True)
        if step is None or step.state not in UNSENT:
            return None
        emergency = session.get_one(Emergency, step.emergency_id)
        record = session.get_one(Record, emergency.record_id)
        if emergency.state != EmergencyState.OPEN or record.erased_at is not None:
            step.end(StepState.SKIPPED, now, "terminada")  # Somebody answered meanwhile.
            return None
        if now >= step.started_at + Timeouts.of(services.settings).send_alert:
            self._fail(session, step, "vencido")
            return None
        source = alert_source(session, services.keyring, emergency, record)
        contacts = contacts_in(source.documents.get("emergencia"))
        contact = next((each for each in contacts if each.id == step.contact_id), None)
        if contact is None or not contact.correo:
            self._fail(session, step, "sin_direccion")
            return None
        text = alert_text(source, contact)
        texts = QUESTIONS if step.is_question else TEXTS
        link = link_for(services.secrets, emergency.id, contact.id, step.channel)
        written = texts[Idioma(text.language)].filled(
            persona=text.person,
            hora=text.time,
            lugar=text.place,
            enlace=f"{services.settings.public_url}/a/{link}",
        )
        step.state = StepState.SENDING
        return Mail(contact.correo, written.subject, written.text, key=step.name.replace(":", "-"))

    def _fail(self, session: Session, step: Step, reason: str) -> None:
        step.end(StepState.FAILED, self.services.clock.now(), reason)
        forget_alert(session, step)
        queue_escalation(session, step.emergency_id, step.place + 1)
        self._publish(session, step)

    def _publish(self, session: Session, step: Step) -> None:
        emergency = session.get_one(Emergency, step.emergency_id)
        record = session.get_one(Record, emergency.record_id)
        now = self.services.clock.now()
        publish_change(session, "emergency.changed", emergency, record, now, step=step.place, channel=step.channel)
