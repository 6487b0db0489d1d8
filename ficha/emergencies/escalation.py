"""The job that takes the next step of a ladder: what it decides, writes down and puts aside is one transaction."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies.alert_texts import alert
from ficha.emergencies.contacts import Contact, contacts_in, language_of
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.ladder import CallStaff, Channel, Rung, Wait, limit_of, next_move, rungs
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.positions import opened_position
from ficha.emergencies.steps import (
    ContactAnswer,
    Step,
    StepState,
    called_contact,
    called_in,
    last_place,
    steps_of,
    token_for,
)
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.access import FmdNotFound
from ficha.fmd.readable_documents import Documents, chosen_first_name, documents_of, zone_of
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.messages import ContactStopped, queue_message

SEND_MAIL = "emergencia.correo"
LADDER = Actor("ladder")
READ_FROM = ("emergencia", "personal", "preferencia")
# A ladder that should have gone on this long ago has lost its job.
OVERDUE = timedelta(seconds=30)


class Pushes(Protocol):
    """Notifications on people's own devices."""

    def put_aside(self, session: Session, step: Step, contact: Contact, now: datetime) -> bool:
        """In the caller's transaction. False where this contact has no device that we know."""
        ...


class NoPushes:
    """Until there are any."""

    def put_aside(self, session: Session, step: Step, contact: Contact, now: datetime) -> bool:
        return False


@dataclass(frozen=True)
class Escalation:
    database: Database
    keyring: Keyring
    secrets: Secrets
    clock: Clock
    settings: Settings
    patience: Timeouts
    pushes: Pushes

    def climb(self, job: Job) -> None:
        """Takes the step that the job names, if nobody has. One that was killed left nothing, or all of it."""
        with self.database.writing() as session:
            emergency = session.get(Emergency, job.payload["emergency_id"])
            if emergency is None:
                return
            try:
                record = lock_record(session, emergency.record_id)
            except FmdNotFound:  # The person left, and took everything with her.
                return
            session.refresh(emergency)
            if emergency.state != EmergencyState.OPEN or emergency.is_drill:
                return
            if last_place(session, emergency.id) < job.payload["place"]:
                self._go_on(session, emergency, record, self.clock.now())

    def look_after(self, _job: Job) -> None:
        """Every emergency has its next job. This is for the one whose job died."""
        now = self.clock.now()
        with self.database.writing() as session:
            waiting = select(Emergency).where(
                Emergency.state == EmergencyState.OPEN, Emergency.is_drill.is_(False), Emergency.staff_at.is_(None)
            )
            for emergency in session.scalars(waiting.where(Emergency.opened_at < now - OVERDUE)):
                steps = steps_of(session, emergency.id)
                last = steps[-1] if steps else None
                if last is None or last.is_over or last.due_at is None or last.due_at < now - OVERDUE:
                    queue_escalation(session, emergency.id, len(steps) + 1)

    def _go_on(self, session: Session, emergency: Emergency, record: Record, now: datetime) -> None:
        """Past what cannot be gone at all, up to a step that is waited for, or to the end."""
        key = record.open_key(self.keyring)
        documents = documents_of(session, record.id, key, READ_FROM)
        ways = rungs(contacts_in(documents.get("emergencia")))
        refused = {
            contact_id
            for contact_id, called in called_in(session, emergency.id).items()
            if called.answer == ContactAnswer.NO_PUEDO
        }
        steps = steps_of(session, emergency.id)
        while True:
            move = next_move(ways, [step.climbed for step in steps], refused, now)
            if move is None:
                return
            if isinstance(move, Wait):
                queue_escalation(session, emergency.id, len(steps) + 1, at=move.until)
                return
            if steps and steps[-1].ended_at is None:
                steps[-1].ended_at = now  # Its time was over.
            if isinstance(move, CallStaff):
                steps.append(self._call_staff(session, emergency, record, len(steps) + 1, now))
            else:
                steps.append(self._try(session, emergency, record, key, documents, move, len(steps) + 1, now))

    def _try(
        self,
        session: Session,
        emergency: Emergency,
        record: Record,
        key: bytes,
        documents: Documents,
        rung: Rung,
        place: int,
        now: datetime,
    ) -> Step:
        called_contact(session, self.secrets, key, emergency.id, rung.contact, now)
        step = Step(
            emergency_id=emergency.id,
            place=place,
            contact_id=rung.contact.id,
            channel=rung.channel,
            state=StepState.QUEUED,
            started_at=now,
            due_at=now + limit_of(rung.channel, self.patience),
        )
        session.add(step)
        session.flush()
        if not rung.address:
            step.end(StepState.SKIPPED, now, "sin_direccion")
        elif rung.channel is Channel.WHATSAPP:
            self._ask(session, emergency, record, key, documents, rung, step, now)
        elif rung.channel is Channel.CORREO:
            put(session, SEND_MAIL, {"step_id": step.id}, key=f"{SEND_MAIL}:{step.id}", urgent=True)
        elif not self.pushes.put_aside(session, step, rung.contact, now):
            step.end(StepState.SKIPPED, now, "no_disponible")
        if not step.is_over:
            # Somebody is told where the person is: that is written down like any other look.
            what = [f"emergency:{emergency.id}", f"contact:{rung.contact.id}", rung.channel]
            audit.note(session, record.id, LADDER, "contact.alerted", what, now, via=rung.channel)
        publish_change(session, "emergency.changed", emergency, record, now, step=place, channel=rung.channel)
        return step

    def _ask(
        self,
        session: Session,
        emergency: Emergency,
        record: Record,
        key: bytes,
        documents: Documents,
        rung: Rung,
        step: Step,
        now: datetime,
    ) -> None:
        template = alert(
            language_of(rung.contact, documents),
            chosen_first_name(documents),
            emergency.opened_at,
            zone_of(documents),
            opened_position(key, record.id, emergency.position),
            answer_to=f"{emergency.id}:{rung.contact.id}",
            token=token_for(self.secrets, emergency.id, rung.contact.id),
        )
        try:
            message = queue_message(
                session,
                self.keyring,
                self.settings.whatsapp_phone_number_id,
                rung.address,
                template,
                now,
                once=step.name,
                about=step.name,
                expires_at=now + self.patience.message,
                is_urgent=True,
            )
        except ContactStopped:
            step.end(StepState.FAILED, now, "contacto_de_baja")
        else:
            step.message_id = message.id

    def _call_staff(self, session: Session, emergency: Emergency, record: Record, place: int, now: datetime) -> Step:
        step = Step(
            emergency_id=emergency.id,
            place=place,
            channel=Channel.STAFF,
            state=StepState.QUEUED,
            started_at=now,
        )
        session.add(step)
        emergency.staff_at = emergency.staff_at or now
        audit.note(session, record.id, LADDER, "emergency.unanswered", [f"emergency:{emergency.id}"], now)
        publish_change(session, "emergency.changed", emergency, record, now, step=place, channel=Channel.STAFF)
        log().error("emergency.unanswered", emergency_id=emergency.id)
        return step
