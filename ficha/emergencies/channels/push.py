"""Alerts as notifications on a contact's own devices: those of the account whose proven phone or correo is the
contact's. It says what a message says, and can be read by the device alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.job_services import JobServices
from ficha.channels.webpush import Device, DeviceGone, PushMessage, WebPush
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.devices.devices import accounts_reached_by, devices_of, forget_device
from ficha.emergencies.alert_texts import AlertText
from ficha.emergencies.channels.channel import Alert, AlertSender, EndedAlert, Send
from ficha.emergencies.channels.mail import texts_for
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import URGENT_RETRY, Timeouts
from ficha.emergencies.steps import Step, StepRow, StepState, link_for, step_name
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Kind
from ficha.jobs.queue import put

SEND_PUSH = "emergencia.push"
# What follows the title, which is the subject of the mail.
BODY = Translated(
    "Alguien pidió avisarle a las {hora}. Lugar: {lugar}. Toque para responder.",
    "Somebody asked us to tell you at {hora}. Place: {lugar}. Tap to answer.",
    "Alguém pediu para avisar você às {hora}. Local: {lugar}. Toque para responder.",
)
QUESTION_BODY = Translated("Toque para responder.", "Tap to answer.", "Toque para responder.")


class PushChannel:
    name = "push"
    words = Translated("por notificación", "by notification", "por notificação")
    is_default = False

    def address(self, contact: Contact) -> str:
        return contact.phone or contact.correo

    def timeout(self, settings: Settings) -> timedelta:
        return timedelta(seconds=settings.ladder_push_seconds)

    def queue(self, tx: Transaction, services: JobServices, alert: Alert, now: datetime) -> StepRow:
        """Skips the step if the contact has no device: the next one is taken at once."""
        if not accounts_reached_by(tx, alert.contact.phone, alert.contact.correo):
            return alert.step.ended(StepState.SKIPPED, now, "no_disponible")
        put(tx, SEND_PUSH, {"step_id": alert.step.id}, key=f"{SEND_PUSH}:{alert.step.id}", urgent=True)
        return alert.step

    def queue_end(self, tx: Transaction, services: JobServices, ended: EndedAlert, now: datetime) -> Send | None:
        """In place of the alert, where the device still shows that."""
        found = (
            devices_of(tx, accounts_reached_by(tx, ended.contact.phone, ended.contact.correo)) if ended.contact else []
        )
        if ended.contact is None or not found:
            return None
        path = f"/a/{link_for(services.secrets, ended.step.emergency_id, ended.contact.id, self.name)}"
        notification = PushMessage(ended.title, ended.words, path, tag=step_name(ended.step), lang=ended.language)
        alert = DeviceAlert(notification, {each.id: each.opened(services.secrets) for each in found})
        return lambda: AlertPushes(services).deliver(alert)

    def job_kinds(self, services: JobServices) -> Sequence[Kind]:
        return [Kind(SEND_PUSH, AlertPushes(services).send, attempts=100, longest_wait=URGENT_RETRY)]


@dataclass(frozen=True)
class DeviceAlert:
    """One notification, and by their ids the devices that get it."""

    notification: PushMessage
    devices: dict[int, Device]


class AlertPushes(AlertSender[DeviceAlert]):
    def written(self, tx: Transaction, step: Step, contact: Contact, text: AlertText, path: str) -> DeviceAlert | None:
        found = devices_of(tx, accounts_reached_by(tx, contact.phone, contact.correo))
        if not found:
            return None
        title = texts_for(step, text).subject.format(persona=text.person)
        body = (QUESTION_BODY if step.is_question or text.is_test else BODY).in_language(text.language)
        notification = PushMessage(
            title, body.format(hora=text.time, lugar=text.where), path, tag=step_name(step), lang=text.language
        )
        return DeviceAlert(notification, {each.id: each.opened(self.services.secrets) for each in found})

    def deliver(self, alert: DeviceAlert) -> str:
        """One device that got it is enough. If none did, it is tried again as long as any may be reached later."""
        services = self.services
        push = WebPush(services.settings, services.secrets, services.clock)
        lifetime = Timeouts.of(services.settings).send_alert
        accepted, later = [], None
        for subscription_id, device in alert.devices.items():
            try:
                accepted.append(push.send(device, alert.notification, lifetime, urgent=True))
            except DeviceGone:
                with services.database.writing() as tx:
                    forget_device(tx, subscription_id)
            except Refused:
                continue
            except RetryLater as error:
                later = error
        if not accepted:
            raise later or Refused("no device took it")
        return accepted[0]
