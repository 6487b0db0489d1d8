"""The jobs that take the steps of a ladder. What one decides, stores and queues is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, select

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.conversations.bridge_jobs import put_emergency
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_targets import Reach, forget_alert, reserve_target
from ficha.emergencies.alert_texts import AlertSource, alert_source
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.channel import Alert, ChannelServices, LadderChannel
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.desk_answers import desk_labels
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.ladder import STAFF_CHANNEL, CallStaff, PlannedStep, TakenStep, Wait, decide_next, plan_steps
from ficha.emergencies.on_call import OnCall
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.quiet_time import ScanProof, held_until
from ficha.emergencies.step_rows import (
    AnswerRow,
    EmergencyRow,
    StepRow,
    answers_of,
    call_staff,
    end_step,
    insert_step,
    lock_for_step,
    save_step,
    taken_steps,
)
from ficha.emergencies.steps import OVER, ContactAnswer, NewStep, Step, StepState, steps_of, store_called
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import RecordRow
from ficha.jobs.kinds import Job

LADDER = Actor("ladder")
# An emergency whose next step is this late has lost its job.
OVERDUE = timedelta(seconds=30)


@dataclass(frozen=True)
class Escalation:
    services: ChannelServices
    channels: Sequence[LadderChannel] = CHANNELS

    def take_step(self, job: Job) -> None:
        self.take_steps([job])

    def take_steps(self, jobs: Sequence[Job]) -> None:
        """Takes the steps that these jobs name, without those that were taken and emergencies that are no longer open.
        All are one transaction, whose end is what a single step costs most for."""
        with self.services.database.writing() as tx:
            for job in jobs:
                joined_by = job.payload.get("joined_by")
                proofs = [ScanProof(*joined_by)] if joined_by else []
                self._take_step(tx, job.payload["emergency_id"], job.payload["place"], proofs)

    def _take_step(self, tx: Transaction, emergency_id: int, place: int, proofs: Sequence[ScanProof]) -> None:
        locked = lock_for_step(tx, emergency_id)
        if locked is None:  # The record was erased, and the emergency ended with it.
            return
        emergency, record = locked
        if emergency.state != EmergencyState.OPEN or emergency.is_drill:
            return
        taken, now = taken_steps(tx, emergency_id), self.services.clock.now()
        if len(taken) < place and (taken or not self._hold_back(tx, emergency, record, proofs, now)):
            self._advance(tx, emergency, record, taken, now)

    def resume_stalled(self, _job: Job) -> None:
        """Queues the next step of emergencies whose job is lost. Every other one has its job already."""
        now = self.services.clock.now()
        with self.services.database.writing() as tx:
            is_done = exists().where(Step.emergency_id == Emergency.id, Step.channel == STAFF_CHANNEL)
            waiting = select(Emergency).where(
                Emergency.state == EmergencyState.OPEN,
                Emergency.is_drill.is_(False),
                ~is_done,
            )
            for emergency in tx.orm.scalars(waiting.where(Emergency.opened_at < now - OVERDUE)):
                steps = steps_of(tx, emergency.id)
                last = steps[-1] if steps else None
                if last is None or last.is_over or last.due_at is None or last.due_at < now - OVERDUE:
                    queue_escalation(tx, emergency.id, len(steps) + 1)

    def _hold_back(
        self,
        tx: Transaction,
        emergency: EmergencyRow,
        record: RecordRow,
        proofs: Sequence[ScanProof],
        now: datetime,
    ) -> bool:
        """Whoever opens and cancels in a loop alerts nobody anew. It may be true all the same: staff sees it now."""
        quiet = Timeouts.of(self.services.settings).quiet
        until = held_until(tx, emergency, quiet, now, *proofs)
        if until is None:
            return False
        queue_escalation(tx, emergency.id, 1, at=until)
        if emergency.staff_at is None:
            emergency = emergency._replace(staff_at=now)
            call_staff(tx, emergency.id, now)
            audit.note(tx, record.id, LADDER, "emergency.slowed", [f"emergency:{emergency.id}"], now)
            publish_change(tx, "emergency.changed", emergency, record, now)
        return True

    def _advance(
        self, tx: Transaction, emergency: EmergencyRow, record: RecordRow, taken: list[StepRow], now: datetime
    ) -> None:
        """Takes steps until one has to be waited for, or none is left. A step that is skipped is not waited for."""
        source = alert_source(tx, self.services.keyring, emergency, record)
        planned = plan_steps(contacts_in(source.documents.get("emergencia")), self.channels)
        called = answers_of(tx, emergency.id) if taken else {}
        refused = {contact_id for contact_id, said in called.items() if said.answer == ContactAnswer.NO_PUEDO}
        withdrew_at = max((said.withdrew_at for said in called.values() if said.withdrew_at is not None), default=None)
        steps = [_taken(step, withdrew_at) for step in taken]
        # The last step, unless it has ended: it ends when the next one is taken.
        unended = taken[-1].id if taken and taken[-1].ended_at is None else None
        if not taken:
            self._tell_desk(tx, emergency, record, now, unanswered=False)
        while True:
            decision = decide_next(planned, steps, refused, now)
            if decision is None:
                return
            if isinstance(decision, Wait):
                queue_escalation(tx, emergency.id, len(steps) + 1, at=decision.until)
                return
            if unended is not None:
                end_step(tx, unended, now)  # Its time is over.
            if isinstance(decision, CallStaff):
                is_again = any(step.channel == STAFF_CHANNEL for step in steps)
                step = self._call_staff(tx, emergency, record, len(steps) + 1, now, is_again=is_again)
            else:
                if decision.contact.id not in called:
                    store_called(tx, self.services.secrets, source.key, emergency.id, decision.contact, now)
                    called[decision.contact.id] = AnswerRow()
                step = self._alert_contact(tx, source, decision, len(steps) + 1, now)
            steps.append(TakenStep(step.contact_id, step.channel, step.is_over, step.due_at))
            unended = step.id if step.ended_at is None else None

    def _alert_contact(
        self, tx: Transaction, source: AlertSource, planned: PlannedStep, place: int, now: datetime
    ) -> NewStep:
        emergency, record, contact = source.emergency, source.record, planned.contact
        channel = next(each for each in self.channels if each.name == planned.channel)
        step = NewStep(
            emergency_id=emergency.id,
            place=place,
            contact_id=contact.id,
            channel=channel.name,
            started_at=now,
            due_at=now + channel.timeout(self.services.settings),
        )
        insert_step(tx, step)
        self._send(tx, source, planned, channel, step, now)
        with tx.together():
            save_step(tx, step)
            if not step.is_over:
                # The contact is told where the person is: that is logged like any other access.
                what = [f"emergency:{emergency.id}", f"contact:{contact.id}", channel.name]
                audit.note(tx, record.id, LADDER, "contact.alerted", what, now, via=channel.name)
        publish_change(tx, "emergency.changed", emergency, record, now, step=place, channel=channel.name)
        return step

    def _send(
        self,
        tx: Transaction,
        source: AlertSource,
        planned: PlannedStep,
        channel: LadderChannel,
        step: NewStep,
        now: datetime,
    ) -> None:
        """Queues the alert, or the question whether the contact agrees to get any; else ends the step."""
        if not planned.address:
            step.end(StepState.SKIPPED, now, "sin_direccion")
            return
        services, contact = self.services, planned.contact
        reach = reserve_target(
            tx,
            services.secrets,
            services.settings,
            source.emergency,
            contact.id,
            channel.name,
            planned.address,
            now,
        )
        if reach not in (Reach.ALERT, Reach.QUESTION):
            step.end(StepState.SKIPPED, now, reach)
            return
        step.is_question = reach is Reach.QUESTION
        channel.queue(tx, services, Alert(source, contact, planned.address, step), now)
        if step.state in OVER:
            forget_alert(tx, step)

    def _call_staff(
        self, tx: Transaction, emergency: EmergencyRow, record: RecordRow, place: int, now: datetime, *, is_again: bool
    ) -> NewStep:
        """`is_again`: they had been called before somebody said that she comes, who has withdrawn."""
        step = NewStep(emergency_id=emergency.id, place=place, channel=STAFF_CHANNEL, started_at=now)
        insert_step(tx, step)
        OnCall(self.services).queue(tx, step, now, is_again=is_again)
        save_step(tx, step)
        emergency = emergency._replace(staff_at=emergency.staff_at or now)
        call_staff(tx, emergency.id, emergency.staff_at or now)
        audit.note(tx, record.id, LADDER, "emergency.unanswered", [f"emergency:{emergency.id}"], now)
        publish_change(tx, "emergency.changed", emergency, record, now, step=place, channel=STAFF_CHANNEL)
        self._tell_desk(tx, emergency, record, now, unanswered=True, again=place if is_again else 0)
        log().error("emergency.unanswered", emergency_id=emergency.id)
        return step

    def _tell_desk(
        self,
        tx: Transaction,
        emergency: EmergencyRow,
        record: RecordRow,
        now: datetime,
        *,
        unanswered: bool,
        again: int = 0,
    ) -> None:
        if self.services.settings.bridges_conversations:
            labels = desk_labels(tx, record, now)
            put_emergency(tx, emergency.id, labels, unanswered=unanswered, again=again)


def _taken(step: StepRow, withdrew_at: datetime | None) -> TakenStep:
    is_over = step.ended_at is not None or step.state in OVER
    is_outdated = withdrew_at is not None and withdrew_at > step.started_at
    return TakenStep(step.contact_id, step.channel, is_over, step.due_at, is_outdated)
