"""What a channel of the ladder offers, what it is given to alert a contact, and the job that sends an alert where no
state comes back later."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, Protocol, TypeVar

from ficha.channels.errors import CannotBeBuilt, Refused, RetryLater
from ficha.channels.job_services import JobServices
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertSource, AlertText, alert_source, alert_text
from ficha.emergencies.contacts import Contact, contact_with
from ficha.emergencies.emergency import Emergency, EmergencyState, Timeouts
from ficha.emergencies.emergency_events import publish_step
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.statements import forget_alert
from ficha.emergencies.steps import Step, StepRow, StepState, link_for
from ficha.fmd.records import Record
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import GiveUp, Job, Kind


@dataclass(frozen=True)
class Alert:
    """One contact to alert by one step."""

    source: AlertSource
    contact: Contact
    address: str
    step: StepRow


@dataclass(frozen=True)
class EndedAlert:
    """An alert whose emergency is over. `contact` is as the record has it now, if it still has it; `title` and `words`
    say how it ended, in the contact's language."""

    step: Step
    record_id: int
    contact: Contact | None
    language: str
    title: str
    words: str


# Sends one message. Raises Refused or RetryLater; twice is known as the same where it arrives.
Send = Callable[[], object]


class LadderChannel(Protocol):
    # Stored with the step, and what `canales` of a contact says.
    name: str
    # How it is named in a sentence about the alert's progress.
    words: Translated
    # Tried where the contact chose no channel; a contact with an address for one of these counts as reachable.
    is_default: bool

    def address(self, contact: Contact) -> str:
        """Empty where the contact has none: the step is skipped then."""

    def timeout(self, settings: Settings) -> timedelta:
        """How long an answer is waited for before the next step."""

    def queue(self, tx: Transaction, services: JobServices, alert: Alert, now: datetime) -> StepRow:
        """Queues the alert in the caller's transaction. The step with the message's id, or ended if it cannot be
        sent."""

    def queue_end(self, tx: Transaction, services: JobServices, ended: EndedAlert, now: datetime) -> Send | None:
        """Queues in the caller's transaction what tells this contact that the emergency is over, or returns what sends
        it after that transaction. None also where there is nowhere to send it."""

    def job_kinds(self, services: JobServices) -> Sequence[Kind]:
        """The jobs of its own that this channel needs."""


UNSENT = (StepState.QUEUED, StepState.SENDING)
T = TypeVar("T")


@dataclass(frozen=True)
class AlertSender(ABC, Generic[T]):
    """It stores before the call that it is under way, and after it that it was sent. A call whose end was not stored is
    made again: an alert that is lost is worse than one that comes twice. Both carry one name, by which mailboxes and
    devices know them as the same. Once the step is stored as sent, nothing sends it again."""

    services: JobServices

    @abstractmethod
    def written(self, tx: Transaction, step: Step, contact: Contact, text: AlertText, path: str) -> T | None:
        """The alert, or its question, for this contact; `path` leads to the page to answer. None if there is nowhere to
        send it."""

    @abstractmethod
    def deliver(self, alert: T) -> str:
        """The provider's id for it. Raises Refused or RetryLater."""

    def send(self, job: Job) -> None:
        """Sends the alert of the job's step, unless it was sent or the emergency is no longer open."""
        database, clock = self.services.database, self.services.clock
        step_id = int(job.payload["step_id"])
        with database.writing() as tx:
            alert = self._prepare(tx, step_id, clock.now())
        if alert is None:
            return
        try:
            provider_id = self.deliver(alert)
        except Refused as refusal:
            with database.writing() as tx:
                self._fail(tx, tx.orm.get_one(Step, step_id, with_for_update=True), "rechazado")
            if isinstance(refusal, CannotBeBuilt):  # The ladder goes on; this job is kept for us to look at.
                raise GiveUp(str(refusal)) from refusal
            return
        except RetryLater:
            with database.writing() as tx:
                tx.orm.get_one(Step, step_id, with_for_update=True).state = StepState.QUEUED
            raise  # The job is tried again by itself, until the alert is too old.
        with database.writing() as tx:
            step = tx.orm.get_one(Step, step_id, with_for_update=True)
            step.state, step.sent_at, step.provider_id = StepState.SENT, clock.now(), provider_id
            publish_step(tx, step, self.services.clock.now())

    def _prepare(self, tx: Transaction, step_id: int, now: datetime) -> T | None:
        """The alert of the step, which is stored as sending; None and an ended step if it is not to be sent."""
        services = self.services
        step = tx.orm.get(Step, step_id, with_for_update=True)
        if step is None or step.state not in UNSENT:
            return None
        emergency = tx.orm.get_one(Emergency, step.emergency_id)
        record = tx.orm.get_one(Record, emergency.record_id)
        is_wanted = emergency.is_live if emergency.is_drill else emergency.state == EmergencyState.OPEN
        if not is_wanted or record.erased_at is not None:
            step.end(StepState.SKIPPED, now, "terminada")  # Somebody answered meanwhile.
            return None
        if now >= step.started_at + Timeouts.of(services.settings).send_alert:
            self._fail(tx, step, "vencido")
            return None
        source = alert_source(tx, services.keyring, emergency, record)
        contact = contact_with(source.documents, step.contact_id)
        alert = None
        if contact is not None:
            link = link_for(services.secrets, emergency.id, contact.id, step.channel)
            text = alert_text(source, contact, services.settings.time_zone)
            alert = self.written(tx, step, contact, text, f"/a/{link}")
        if alert is None:
            self._fail(tx, step, "sin_direccion")
            return None
        step.state = StepState.SENDING
        return alert

    def _fail(self, tx: Transaction, step: Step, reason: str) -> None:
        step.end(StepState.FAILED, self.services.clock.now(), reason)
        forget_alert(tx, step)
        queue_escalation(tx, step.emergency_id, step.place + 1)
        publish_step(tx, step, self.services.clock.now())
