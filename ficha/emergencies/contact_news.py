"""What those who were alerted are told later, each once: that the emergency is over, and where it is, when that becomes
known after their alert."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import update

from ficha.audit import log as audit
from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.messages import Text
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertSource, alert_source, where_of
from ficha.emergencies.channels.catalog import CHANNEL_BY_NAME
from ficha.emergencies.channels.channel import UNSENT, EndedAlert, Send
from ficha.emergencies.channels.whatsapp import WhatsAppChannel, alert_thread, queue_after_alert
from ficha.emergencies.contacts import contact_with, language_of
from ficha.emergencies.emergency import URGENT_RETRY, Emergency, EmergencyState, Timeouts
from ficha.emergencies.emergency_events import LADDER, TELL_END, TELL_POSITION, lock_record
from ficha.emergencies.relay_sender import NAMELESS, alerts_by_contact
from ficha.emergencies.statements import called_in, has_refused
from ficha.emergencies.steps import LEFT, ContactAnswer, Step, StepRow, step_name
from ficha.fmd.access import FmdNotFound
from ficha.fmd.stored_documents import unfiltered_first_name
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.tables import Message, MessageState
from ficha.messaging.threads import is_open

# How an emergency ended: the title of a mail or notification, and all that is said.
TITLES = {
    EmergencyState.CANCELED: Translated("Falsa alarma: {person}", "False alarm: {person}", "Alarme falso: {person}"),
    EmergencyState.RESOLVED: Translated(
        "Terminó la emergencia de {person}", "The emergency of {person} is over", "Terminou a emergência de {person}"
    ),
}
ENDS = {
    EmergencyState.CANCELED: Translated(
        "Fue una falsa alarma: el aviso por {person} se canceló. No hace falta que haga nada más.",
        "It was a false alarm: the alert about {person} was canceled. There is nothing more you need to do.",
        "Foi um alarme falso: o aviso sobre {person} foi cancelado. Não é preciso fazer mais nada.",
    ),
    EmergencyState.RESOLVED: Translated(
        "La emergencia de {person} terminó. No hace falta que haga nada más.",
        "The emergency of {person} is over. There is nothing more you need to do.",
        "A emergência de {person} terminou. Não é preciso fazer mais nada.",
    ),
}
POSITION = Translated(
    "Ya sabemos dónde está {person}: {position}",
    "We now know where {person} is: {position}",
    "Já sabemos onde {person} está: {position}",
)
# How often an alert that was leaving when the emergency ended is looked at again.
LOOK_AGAIN = timedelta(seconds=15)


def stop_alerts(tx: Transaction, steps: Iterable[StepRow], now: datetime) -> None:
    """What has not left when the emergency ends is not sent any more."""
    ids = [step.message_id for step in steps if step.message_id is not None and step.state in UNSENT]
    if ids:
        tx.orm.execute(
            update(Message)
            .where(Message.id.in_(ids), Message.state == MessageState.QUEUED, Message.in_doubt_at.is_(None))
            .values(expires_at=now),
            execution_options={"synchronize_session": False},
        )


@dataclass(frozen=True)
class ContactNews:
    services: JobServices

    def job_kinds(self) -> list[Kind]:
        return [
            Kind(TELL_END, self.tell_end, attempts=20),
            Kind(TELL_POSITION, self.tell_position, attempts=100, longest_wait=URGENT_RETRY),
        ]

    def tell_end(self, job: Job) -> None:
        """By the way that the alert went: where it frightened somebody, there stands how it ended."""
        send: Send | None = None
        with suppress(FmdNotFound), self.services.database.writing() as tx:
            send = self._queue_end(tx, tx.orm.get_one(Step, job.payload["step_id"]))
        if send is not None:
            with suppress(Refused):
                send()

    def _queue_end(self, tx: Transaction, step: Step) -> Send | None:
        services, now = self.services, self.services.clock.now()
        emergency = tx.orm.get_one(Emergency, step.emergency_id)
        record = lock_record(tx, emergency.record_id)
        tx.orm.refresh(step)
        may_leave = now < (emergency.ended_at or now) + Timeouts.of(services.settings).send_alert
        if step.state in UNSENT and may_leave:
            put(tx, TELL_END, {"step_id": step.id}, at=now + LOOK_AGAIN, key=f"{TELL_END}:{step.id}")
        if step.state not in LEFT or not self._is_to_be_told(tx, step):
            return None
        source = alert_source(tx, services.keyring, emergency, record)
        contact = contact_with(source.documents, step.contact_id)
        language, state = language_of(contact, source.documents), EmergencyState(emergency.state)
        title, words = (
            texts[state].in_language(language).format(person=_person(source, language)) for texts in (TITLES, ENDS)
        )
        ended = EndedAlert(step, record.id, contact, language, title, words)
        return CHANNEL_BY_NAME[step.channel].queue_end(tx, services, ended, now)

    def _is_to_be_told(self, tx: Transaction, step: Step) -> bool:
        """Not who wants no more alerts, nor who was only asked whether she agrees to any and has not answered."""
        contact_id = step.contact_id or ""
        if has_refused(tx, step.emergency_id, contact_id, step.channel):
            return False
        return not step.is_question or called_in(tx, step.emergency_id)[contact_id].answer is not None

    def tell_position(self, job: Job) -> None:
        """To those who were alerted before, whom we may write to freely, and who did not say that they cannot come."""
        given, now = job.payload, self.services.clock.now()
        known_at = datetime.fromisoformat(given["at"])
        with suppress(FmdNotFound), self.services.database.writing() as tx:
            emergency = tx.orm.get_one(Emergency, given["emergency_id"])
            record = lock_record(tx, emergency.record_id)
            tx.orm.refresh(emergency)
            if not emergency.is_live or emergency.is_drill:
                return
            source = alert_source(tx, self.services.keyring, emergency, record)
            called = called_in(tx, emergency.id)
            for contact_id, step in alerts_by_contact(tx, emergency.id).items():
                is_coming_or_silent = called[contact_id].answer != ContactAnswer.NO_PUEDO
                if step.started_at < known_at and is_coming_or_silent:
                    self._tell_position(tx, source, contact_id, step, given["what"], now)

    def _tell_position(
        self, tx: Transaction, source: AlertSource, contact_id: str, step: StepRow, what: str, now: datetime
    ) -> None:
        thread = alert_thread(tx, step)
        if thread is None or not is_open(thread, now):
            return
        if has_refused(tx, step.emergency_id, contact_id, WhatsAppChannel.name):
            return
        language = language_of(contact_with(source.documents, contact_id), source.documents)
        said = POSITION.in_language(language)
        is_queued = queue_after_alert(
            tx,
            self.services.keyring,
            thread,
            step,
            Text(said.format(person=_person(source, language), position=where_of(source, language))),
            now,
            once=f"{step_name(step)}:{what}",
            record_id=source.record.id,
            expires_at=now + Timeouts.of(self.services.settings).send_alert,
            is_urgent=True,
        )
        if is_queued:
            told = [f"emergency:{step.emergency_id}", f"contact:{contact_id}", step.channel]
            audit.note(tx, source.record.id, LADDER, "contact.located", told, now, via=step.channel)


def _person(source: AlertSource, language: str) -> str:
    return unfiltered_first_name(source.documents) or NAMELESS.in_language(language)
