"""Alerts as WhatsApp messages, with buttons to answer and the contact's own link."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from ficha.channels.job_services import JobServices
from ficha.channels.messages import Button, LinkButton, Template, Text
from ficha.core.crypto import Keyring
from ficha.core.settings import Settings
from ficha.core.text_types import one_line
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertText, alert_text
from ficha.emergencies.channels.channel import Alert, EndedAlert, Send
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.steps import AnyStep, ContactAnswer, StepRow, StepState, link_for, step_name
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Kind
from ficha.messaging.failures import TEMPLATE_LANGUAGES, pending_template
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.tables import Message, Thread
from ficha.messaging.threads import address_of

ALERT_TEMPLATE = "alerta_emergencia"
QUESTION_TEMPLATE = "pregunta_contacto"
TEST_TEMPLATE = "prueba_contacto"


class WhatsAppChannel:
    name = "whatsapp"
    words = Translated("por WhatsApp", "by WhatsApp", "pelo WhatsApp")
    is_default = True

    def address(self, contact: Contact) -> str:
        return contact.phone

    def timeout(self, settings: Settings) -> timedelta:
        return timedelta(seconds=settings.ladder_whatsapp_seconds)

    def queue(self, tx: Transaction, services: JobServices, alert: Alert, now: datetime) -> StepRow:
        """Fails the step if the contact asked for no more messages."""
        step, contact, emergency_id = alert.step, alert.contact, alert.source.emergency.id
        text = alert_text(alert.source, contact, services.settings.time_zone)
        link = link_for(services.secrets, emergency_id, contact.id, self.name)
        if text.is_test:
            template = question_template(text, link, TEST_TEMPLATE)
        elif step.is_question:
            template = question_template(text, link)
        else:
            template = alert_template(text, answer_to=f"{emergency_id}:{contact.id}", token=link)
        try:
            message_id = queue_row(
                tx,
                services.keyring,
                services.settings.whatsapp_phone_number_id,
                alert.address,
                template,
                now,
                once=step_name(step),
                about=step_name(step),
                record_id=alert.source.record.id,
                expires_at=now + Timeouts.of(services.settings).send_alert,
                is_urgent=True,
                is_said_once=True,
            )
        except ContactStopped:
            return step.ended(StepState.FAILED, now, "contacto_de_baja")
        return step._replace(message_id=message_id)

    def queue_end(self, tx: Transaction, services: JobServices, ended: EndedAlert, now: datetime) -> Send | None:
        """In the thread of the alert; after the 24 hours by the template for any text."""
        thread, text = alert_thread(tx, ended.step), Text(ended.words)
        if thread is not None:
            queue_after_alert(
                tx,
                services.keyring,
                thread,
                ended.step,
                text,
                now,
                fallback=pending_template(text, ended.language),
                once=f"{step_name(ended.step)}:fin",
                record_id=ended.record_id,
                expires_at=now + Timeouts.of(services.settings).link,
            )
        return None

    def job_kinds(self, services: JobServices) -> Sequence[Kind]:
        """None: messaging sends its messages, and message_hooks.py is called when their states change."""
        return []


def alert_thread(tx: Transaction, step: AnyStep) -> Thread | None:
    """The thread that the step's alert went to, and not the one of her number now."""
    alert = tx.orm.get(Message, step.message_id)
    return None if alert is None else tx.orm.get_one(Thread, alert.thread_id)


def queue_after_alert(
    tx: Transaction, keyring: Keyring, thread: Thread, step: AnyStep, text: Text, now: datetime, **options: Any
) -> bool:
    """An answer to it is an answer to the alert. Whether it was queued: it is not for who asked for no more."""
    try:
        queue_row(tx, keyring, thread.phone_number_id, address_of(thread), text, now, about=step_name(step), **options)
    except ContactStopped:
        return False
    return True


def alert_template(text: AlertText, answer_to: str, token: str) -> Template:
    """`answer_to` names emergency and contact in what the buttons send back."""
    return Template(
        ALERT_TEMPLATE,
        TEMPLATE_LANGUAGES[text.language],
        body=[one_line(value) for value in (text.person, text.time, text.where)],
        buttons=[
            Button(0, f"{ContactAnswer.VOY}:{answer_to}"),
            Button(1, f"{ContactAnswer.NO_PUEDO}:{answer_to}"),
            LinkButton(2, token),
        ],
    )


def question_template(text: AlertText, token: str, name: str = QUESTION_TEMPLATE) -> Template:
    """Whether the contact agrees to get alerts, or got this test; the page behind the link takes the answer, and shows
    the emergency or the drill."""
    return Template(
        name, TEMPLATE_LANGUAGES[text.language], body=[one_line(text.person)], buttons=[LinkButton(0, token)]
    )
