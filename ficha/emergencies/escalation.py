"""The jobs that take the steps of a ladder. What one decides, stores and queues is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, select

from ficha.audit import log as audit
from ficha.channels.job_services import JobServices
from ficha.conversations.desk_conversations import put_emergency
from ficha.core.counters import count_step, note_first_step
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertSource, alert_source
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.channel import Alert, LadderChannel
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import Emergency, EmergencyRow, EmergencyState, Timeouts
from ficha.emergencies.emergency_events import LADDER, publish_change
from ficha.emergencies.ladder import CallStaff, PlannedStep, Wait, decide_next, plan_steps
from ficha.emergencies.on_call import OnCall, desk_labels
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.quiet_time import ScanProof, held_until
from ficha.emergencies.reachability import NO_ADDRESS, Reach, reserve_target
from ficha.emergencies.statements import (
    call_staff,
    called_in,
    end_step,
    forget_alert,
    insert_step,
    lock_for_step,
    save_step,
    steps_of,
    store_called,
)
from ficha.emergencies.steps import OVER, STAFF_CHANNEL, ContactAnswer, Step, StepRow, StepState, is_over
from ficha.fmd.records import RecordRow
from ficha.jobs.kinds import Job

# An emergency whose next step is this late has lost its job.
OVERDUE = timedelta(seconds=30)


@dataclass(frozen=True)
class Escalation:
    services: JobServices
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
        taken, now = steps_of(tx, emergency_id), self.services.clock.now()
        if len(taken) < place and (taken or not self._hold_back(tx, emergency, record, proofs, now)):
            self._advance(tx, emergency, record, taken, now)

    def resume_stalled(self, _job: Job) -> None:
        """Queues the next step of emergencies whose job is lost. Every other one has its job already."""
        now = self.services.clock.now()
        with self.services.database.writing() as tx:
            is_done = exists().where(Step.emergency_id == Emergency.id, Step.channel == STAFF_CHANNEL)
            waiting = select(Emergency).where(
                Emergency.state == EmergencyState.OPEN, Emergency.is_drill.is_(False), ~is_done
            )
            for emergency in tx.orm.scalars(waiting.where(Emergency.opened_at < now - OVERDUE)):
                steps = steps_of(tx, emergency.id)
                last = steps[-1] if steps else None
                if last is None or is_over(last) or last.due_at is None or last.due_at < now - OVERDUE:
                    queue_escalation(tx, emergency.id, len(steps) + 1)

    def _hold_back(
        self, tx: Transaction, emergency: EmergencyRow, record: RecordRow, proofs: Sequence[ScanProof], now: datetime
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
        called = called_in(tx, emergency.id) if taken else {}
        refused = {contact_id for contact_id, each in called.items() if each.answer == ContactAnswer.NO_PUEDO}
        # By whatever clock: nobody withdraws after a step that is taken now.
        times = [min(each.withdrew_at, now) for each in called.values() if each.withdrew_at is not None]
        known, steps = set(called), list(taken)
        if not taken and emergency.staff_at is None:
            note_first_step(tx, now - emergency.opened_at)
        if not taken:
            self._tell_desk(tx, emergency, record, now, unanswered=False)
        while True:
            decision = decide_next(planned, steps, refused, now, max(times, default=None))
            if decision is None:
                return
            if isinstance(decision, Wait):
                queue_escalation(tx, emergency.id, len(steps) + 1, at=decision.until)
                return
            if steps and steps[-1].ended_at is None:
                end_step(tx, steps[-1].id, now)  # Its time is over.
            if isinstance(decision, CallStaff):
                is_again = any(step.channel == STAFF_CHANNEL for step in steps)
                step = self._call_staff(tx, emergency, record, len(steps) + 1, now, is_again=is_again)
            else:
                if decision.contact.id not in known:
                    store_called(tx, self.services.secrets, source.key, emergency.id, decision.contact, now)
                    known.add(decision.contact.id)
                step = self._alert_contact(tx, source, decision, len(steps) + 1, now)
            steps.append(step)

    def _alert_contact(
        self, tx: Transaction, source: AlertSource, planned: PlannedStep, place: int, now: datetime
    ) -> StepRow:
        emergency, record, contact = source.emergency, source.record, planned.contact
        channel = next(each for each in self.channels if each.name == planned.channel)
        due_at = now + channel.timeout(self.services.settings)
        new = StepRow(emergency.id, place, channel.name, now, contact.id, due_at=due_at)
        step = self._send(tx, source, planned, channel, insert_step(tx, new), now)
        with tx.together():
            save_step(tx, step)
            if not is_over(step):
                # The contact is told where the person is: that is logged like any other access.
                what = [f"emergency:{emergency.id}", f"contact:{contact.id}", channel.name]
                audit.note(tx, record.id, LADDER, "contact.alerted", what, now, via=channel.name)
        publish_change(tx, "emergency.changed", emergency, record, now, step=place, channel=channel.name)
        count_step(tx, channel.name, is_skipped=step.state == StepState.SKIPPED)
        return step

    def _send(
        self,
        tx: Transaction,
        source: AlertSource,
        planned: PlannedStep,
        channel: LadderChannel,
        step: StepRow,
        now: datetime,
    ) -> StepRow:
        """Queues the alert, or the question whether the contact agrees to get any; else ends the step."""
        if not planned.address:
            return step.ended(StepState.SKIPPED, now, NO_ADDRESS)
        services = self.services
        reach = reserve_target(tx, services.secrets, services.settings, source.emergency, planned, now)
        if reach not in (Reach.ALERT, Reach.QUESTION):
            return step.ended(StepState.SKIPPED, now, reach)
        step = step._replace(is_question=reach is Reach.QUESTION)
        step = channel.queue(tx, services, Alert(source, planned.contact, planned.address, step), now)
        if step.state in OVER:
            forget_alert(tx, step)
        return step

    def _call_staff(
        self, tx: Transaction, emergency: EmergencyRow, record: RecordRow, place: int, now: datetime, *, is_again: bool
    ) -> StepRow:
        """`is_again`: they had been called before somebody said that she comes, who has withdrawn."""
        step = insert_step(tx, StepRow(emergency.id, place, STAFF_CHANNEL, now))
        step = OnCall(self.services).queue(tx, step, now, is_again=is_again)
        save_step(tx, step)
        count_step(tx, STAFF_CHANNEL, is_skipped=step.state == StepState.SKIPPED)
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
