"""The last step of the ladder: the team on call is told, by mail and by WhatsApp, at the addresses in the settings.

What it gets is the number of the emergency and where to open it: who looks there is logged, and nothing about the
person is in the message. The step is stored as sent once a server, or the help desk, has taken the first of
them, and is over when somebody at the desk takes it up.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select

from ficha.accounts.accounts import Account
from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.mail import Mail
from ficha.channels.messages import Template
from ficha.conversations.desk_conversations import EMERGENCY_LABEL, PLACED
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import NO_TEAM, TAKEN_UP
from ficha.emergencies.emergency import ABOUT, URGENT_RETRY, Emergency, Timeouts
from ficha.emergencies.emergency_events import lock_record, publish_change, publish_step
from ficha.emergencies.statements import step_of_message
from ficha.emergencies.steps import STAFF_CHANNEL, Step, StepRow, StepState, step_name
from ficha.fmd.access import FmdNotFound
from ficha.fmd.grants import Grant, GrantKind, OwnedRecord
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.tables import Message, MessageRow, MessageState, Thread

SEND_MAIL = "emergencia.guardia"
# What the messages to all but the first number are about: no step shows what became of them.
FURTHER_NUMBER = "guardia:"
TEMPLATE = "alerta_guardia"
SUBJECT = "Emergencia {}: nadie de la familia ha respondido"
AGAIN_SUBJECT = "Emergencia {}: quien iba ya no puede ir"
AGAIN_TEXT = (
    "Quien había dicho que iba a la emergencia {} ya no puede, y no hay nadie más a quien avisar.\n\n"
    "Ábrala aquí; lo que se abre queda registrado:\n\n{}\n"
)
TEXT = (
    "Nadie de la familia ha respondido a la emergencia {}, o no hay a quién avisar.\n\n"
    "Ábrala aquí; lo que se abre queda registrado:\n\n{}\n"
)


@dataclass(frozen=True)
class OnCall:
    services: JobServices

    def queue(self, tx: Transaction, step: StepRow, now: datetime, *, is_again: bool) -> StepRow:
        """Queues what goes to the team. Where there is none, and no desk either, the step says so: it is in
        the queue of staff, which nobody may be looking at."""
        about = f"{step.emergency_id}:{step.place}" if is_again else str(step.emergency_id)
        settings = self.services.settings
        for index in range(len(settings.on_call_mails)):
            payload = {"emergency_id": step.emergency_id, "step_id": step.id, "place": index, "is_again": is_again}
            put(tx, SEND_MAIL, payload, key=f"{SEND_MAIL}:{step.id}:{index}", urgent=True)
        for index, phone in enumerate(settings.on_call_phones):
            message_id = self._queue_message(tx, step, f"guardia:{about}:{index}", index, phone, now)
            if index == 0:  # Its states are the step's.
                step = step._replace(message_id=message_id)
        has_anybody = settings.on_call_mails or settings.on_call_phones or settings.bridges_conversations
        if not has_anybody:
            return step.ended(StepState.SKIPPED, now, NO_TEAM)
        return step

    def _queue_message(
        self, tx: Transaction, step: StepRow, once: str, index: int, phone: str, now: datetime
    ) -> int | None:
        """None if they asked for no more messages."""
        services = self.services
        body = [str(step.emergency_id), self._link(step.emergency_id)]
        try:
            return queue_row(
                tx,
                services.keyring,
                services.settings.whatsapp_phone_number_id,
                phone,
                Template(TEMPLATE, TEMPLATE_LANGUAGES["es"], body=body),
                now,
                once=once,
                about=step_name(step) if index == 0 else f"{FURTHER_NUMBER}{index}",
                expires_at=now + Timeouts.of(services.settings).send_alert,
                is_urgent=True,
                is_said_once=True,
            )
        except ContactStopped:
            log().error("on_call.stopped", index=index)
            return None

    def job_kind(self) -> Kind:
        return Kind(SEND_MAIL, self.send_mail, attempts=100, longest_wait=URGENT_RETRY)

    def send_mail(self, job: Job) -> None:
        """May run twice: both mails carry one Message-ID."""
        emergency_id, index = int(job.payload["emergency_id"]), int(job.payload["place"])
        addresses = self.services.settings.on_call_mails
        if index >= len(addresses):
            return  # The list is shorter now.
        is_again = bool(job.payload["is_again"])
        subject, text = (AGAIN_SUBJECT, AGAIN_TEXT) if is_again else (SUBJECT, TEXT)
        text = text.format(emergency_id, self._link(emergency_id))
        key = f"guardia-{emergency_id}-{index}" + (f"-{job.payload['step_id']}" if is_again else "")
        try:
            self.services.mailer.send(Mail(addresses[index], subject.format(emergency_id), text, key=key))
        except Refused:
            log().error("on_call.refused", by="mail", index=index)
            self._note(int(job.payload["step_id"]), is_sent=False)
            return
        self._note(int(job.payload["step_id"]), is_sent=True)

    def _note(self, step_id: int, *, is_sent: bool) -> None:
        """What one mailbox took stands, whatever became of the others."""
        now = self.services.clock.now()
        with self.services.database.writing() as tx:
            step = tx.orm.get_one(Step, step_id, with_for_update=True)
            if step.sent_at is not None or step.reason == TAKEN_UP:
                return
            if is_sent:
                step.state, step.sent_at, step.ended_at, step.reason = StepState.SENT, now, None, None
            else:
                step.end(StepState.FAILED, now, "rechazado")
            publish_step(tx, step, now)

    def _link(self, emergency_id: int) -> str:
        return f"{self.services.settings.public_url}/admin/emergencias/{emergency_id}"


def log_refused_message(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """Called when a message changes its state: one to the team that nobody gets must be noticed."""
    if message.state != MessageState.FAILED or message.replaced_by is not None:
        return
    index = message.about.removeprefix(FURTHER_NUMBER) if message.about.startswith(FURTHER_NUMBER) else "0"
    if index == "0":
        found = step_of_message(tx, message.id) if message.about.startswith(ABOUT) else None
        if found is None or found[0].channel != STAFF_CHANNEL:
            return
    log().error("on_call.refused", by="whatsapp", index=int(index))


def on_agent(tx: Transaction, emergency_id: int, act: str, now: datetime) -> None:
    """`placed`: it stands before the team on call, so what we send them has arrived. `answered`: somebody has taken it
    up, which ends the step, and so does `resolved`, that they closed their conversation; the emergency itself is closed
    by whoever is responsible for it."""
    emergency = tx.orm.get(Emergency, emergency_id)
    if emergency is None:
        return
    try:
        record = lock_record(tx, emergency.record_id)
    except FmdNotFound:  # The record was erased, and the emergency ended with it.
        return
    called = select(Step).where(Step.emergency_id == emergency_id, Step.channel == STAFF_CHANNEL)
    newest = called.order_by(Step.place.desc()).limit(1).with_for_update()
    step = tx.orm.scalar(newest.execution_options(populate_existing=True))
    if step is None or not _changes(step, act, now):
        return
    publish_change(tx, "emergency.changed", emergency, record, now, step=step.place, channel=STAFF_CHANNEL, desk=act)


def _changes(step: Step, act: str, now: datetime) -> bool:
    if step.reason == TAKEN_UP:
        return False
    if act == PLACED:
        if step.delivered_at is not None:
            return False
        step.state, step.delivered_at, step.sent_at = StepState.DELIVERED, now, step.sent_at or now
        step.ended_at = step.reason = None  # Where a message to the team had failed.
        return True
    step.read_at = step.read_at or now
    step.end(StepState.READ, now, TAKEN_UP)
    return True


def desk_labels(tx: Transaction, record: OwnedRecord, now: datetime) -> list[str]:
    """The owner's language, and the institutions that the record belongs to."""
    account = None if record.account_id is None else tx.orm.get(Account, record.account_id)
    labels = [] if account is None else [account.idioma]
    return labels + _institutions(tx, Grant.record_id == record.id, now)


def thread_labels(tx: Transaction, thread: Thread, now: datetime) -> list[str]:
    """The person's language and the institutions of her records; for whoever was alerted, those of the emergency."""
    account = None if thread.account_id is None else tx.orm.get(Account, thread.account_id)
    labels = []
    if account is not None:
        hers = Grant.record_id.in_(select(Record.id).where(Record.account_id == account.id))
        labels = [account.idioma, *_institutions(tx, hers, now)]
    emergency = _emergency_of(tx, thread)
    if emergency is not None and emergency.is_live:
        about_it = desk_labels(tx, tx.orm.get_one(Record, emergency.record_id), now)
        labels = [EMERGENCY_LABEL, *labels, *(label for label in about_it if label not in labels)]
    return labels


def _emergency_of(tx: Transaction, thread: Thread) -> Emergency | None:
    """The last one that this thread was alerted to."""
    ours = select(Message.about).where(Message.thread_id == thread.id, Message.is_ours, Message.about.like(f"{ABOUT}%"))
    about = tx.orm.scalar(ours.order_by(Message.id.desc()).limit(1))
    return None if about is None else tx.orm.get(Emergency, int(about.split(":")[1]))


def _institutions(tx: Transaction, which: ColumnElement[bool], now: datetime) -> list[str]:
    live = (Grant.kind == GrantKind.INSTITUTION, Grant.ends_at > now, Grant.account_id.is_not(None))
    found = select(Grant.account_id).where(which, *live).distinct().order_by(Grant.account_id)
    return [f"institucion-{number}" for number in tx.orm.scalars(found)]
