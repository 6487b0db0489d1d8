"""Alerts as notifications on a contact's own devices. No device can be registered yet, so its steps are skipped."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ficha.core.settings import Settings
from ficha.emergencies.channels.channel import Alert, ChannelServices
from ficha.emergencies.contacts import Contact
from ficha.emergencies.steps import StepState
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Kind


class PushChannel:
    name = "push"
    words = Translated("por notificación", "by notification", "por notificação")
    is_default = False

    def address(self, contact: Contact) -> str:
        return contact.phone

    def timeout(self, settings: Settings) -> timedelta:
        return timedelta(seconds=settings.ladder_push_seconds)

    def queue(self, session: Session, services: ChannelServices, alert: Alert, now: datetime) -> None:
        alert.step.end(StepState.SKIPPED, now, "no_disponible")

    def job_kinds(self, services: ChannelServices) -> Sequence[Kind]:
        return []
