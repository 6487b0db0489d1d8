"""The last step of the ladder: the team on call is told, by mail and by WhatsApp, at the addresses in the settings.

What it gets is the number of the emergency and where to open it: who looks there is logged, and nothing about the
person is in the message. The step is stored as sent once a server, or the help desk, has taken the first of
them, and is over when somebody at the desk takes it up.
"""

from dataclasses import dataclass
from datetime import datetime

from ficha.channels.errors import Refused
from ficha.channels.mail import Mail
from ficha.channels.messages import Template
from ficha.channels.services import JobServices
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import NO_TEAM, TAKEN_UP
from ficha.emergencies.emergency import URGENT_RETRY, Timeouts
from ficha.emergencies.emergency_events import publish_step
from ficha.emergencies.steps import Step, StepRow, StepState, step_name
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, queue_row

SEND_MAIL = "emergencia.guardia"
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
                about=step_name(step) if index == 0 else "",
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
        is_again = bool(job.payload.get("is_again"))  # Jobs of the version before do not say it.
        subject, text = (AGAIN_SUBJECT, AGAIN_TEXT) if is_again else (SUBJECT, TEXT)
        text = text.format(emergency_id, self._link(emergency_id))
        key = f"guardia-{emergency_id}-{index}" + (f"-{job.payload['step_id']}" if is_again else "")
        try:
            self.services.mailer.send(Mail(addresses[index], subject.format(emergency_id), text, key=key))
        except Refused:
            log().error("on_call.refused", index=index)
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
