"""Alerts by mail. A mail server reports nothing afterwards; whatever is sent again to a contact about one emergency
carries one Message-ID, so that her mailbox shows it once."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.channels.job_services import JobServices
from ficha.channels.mail import Mail
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertText
from ficha.emergencies.channels.channel import Alert, AlertSender, EndedAlert, Send
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import URGENT_RETRY
from ficha.emergencies.steps import Step, StepRow
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Kind
from ficha.jobs.queue import put

SEND_MAIL = "emergencia.correo"

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

TESTS = {
    Idioma.ES: MailText(
        "Prueba: ¿le llega este mensaje de {persona}?",
        "Esto es una prueba: no pasa nada. {persona} lo eligió como contacto de emergencia y quiere saber si este "
        "mensaje le llega.\n\nDígalo aquí, o diga que no quiere recibir avisos:\n\n{enlace}\n",
    ),
    Idioma.EN: MailText(
        "Test: does this message from {persona} reach you?",
        "This is a test: nothing has happened. {persona} chose you as an emergency contact and wants to know whether "
        "this message reaches you.\n\nSay so here, or say that you want no alerts:\n\n{enlace}\n",
    ),
    Idioma.PT: MailText(
        "Teste: esta mensagem de {persona} chega até você?",
        "Isto é um teste: não aconteceu nada. {persona} escolheu você como contato de emergência e quer saber se esta "
        "mensagem chega.\n\nDiga aqui, ou diga que não quer receber avisos:\n\n{enlace}\n",
    ),
}


def texts_for(step: Step, text: AlertText) -> MailText:
    texts = TESTS if text.is_test else QUESTIONS if step.is_question else TEXTS
    return texts[Idioma(text.language)]


def mail_key(secrets: Secrets, emergency_id: int, contact_id: str) -> str:
    """Keyed: it tells nobody the number of the emergency, nor that two mails are about one."""
    return f"alerta-{secrets.keyed_hash('alert-mail', f'{emergency_id}:{contact_id}').hex()[:32]}"


class MailChannel:
    name = "correo"
    words = Translated("por correo", "by e-mail", "por e-mail")
    is_default = True

    def address(self, contact: Contact) -> str:
        return contact.correo

    def timeout(self, settings: Settings) -> timedelta:
        return timedelta(seconds=settings.ladder_mail_seconds)

    def queue(self, tx: Transaction, services: JobServices, alert: Alert, now: datetime) -> StepRow:
        put(tx, SEND_MAIL, {"step_id": alert.step.id}, key=f"{SEND_MAIL}:{alert.step.id}", urgent=True)
        return alert.step

    def queue_end(self, tx: Transaction, services: JobServices, ended: EndedAlert, now: datetime) -> Send | None:
        if ended.contact is None or not ended.contact.correo:
            return None
        key = mail_key(services.secrets, ended.step.emergency_id, ended.contact.id)
        mail = Mail(ended.contact.correo, ended.title, f"{ended.words}\n", key=f"{key}-fin")
        return lambda: services.mailer.send(mail)

    def job_kinds(self, services: JobServices) -> Sequence[Kind]:
        return [Kind(SEND_MAIL, AlertMails(services).send, attempts=100, longest_wait=URGENT_RETRY)]


class AlertMails(AlertSender[Mail]):
    def written(self, tx: Transaction, step: Step, contact: Contact, text: AlertText, path: str) -> Mail | None:
        if not contact.correo:
            return None
        filled = texts_for(step, text).filled(
            persona=text.person, hora=text.time, lugar=text.where, enlace=f"{self.services.settings.public_url}{path}"
        )
        key = mail_key(self.services.secrets, step.emergency_id, contact.id)
        return Mail(contact.correo, filled.subject, filled.text, key=key)

    def deliver(self, alert: Mail) -> str:
        return self.services.mailer.send(alert)
