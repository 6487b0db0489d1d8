"""The jobs of emergencies: the name of each kind and the function that runs it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.channels.mail import Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies import message_hooks
from ficha.emergencies.answers import LinkUnknown, store_answer, store_call
from ficha.emergencies.asking_back import ask_back, confirm_refusal
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.channel import ChannelServices
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contact_tests import note_test_answer
from ficha.emergencies.escalation import Escalation
from ficha.emergencies.moved_contacts import MovedContacts, on_move
from ficha.emergencies.on_call import OnCall
from ficha.emergencies.opening import ESCALATE
from ficha.emergencies.relay import take_replies
from ficha.emergencies.relay_lines import queue_relay
from ficha.emergencies.relay_sender import RelaySender
from ficha.emergencies.statements import called_in, note_answer
from ficha.emergencies.steps import ContactAnswer
from ficha.emergencies.timeouts import URGENT_RETRY, Timeouts
from ficha.fmd.access import FmdNotFound
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.messages import MessageHooks

RESUME = "emergencia.repaso"
# Few enough that none waits long for the others.
STEPS_AT_ONCE = 16


def hooks(timeouts: Timeouts, secrets: Secrets) -> MessageHooks:
    """What messaging calls when a message changes its state or is answered, and when somebody has another number."""
    return MessageHooks(
        [message_hooks.on_change],
        [lambda tx, reply: message_hooks.on_reply(tx, reply, timeouts)],
        [lambda tx, thread, at, now: message_hooks.on_call(tx, thread, at, now, timeouts)],
        moved=[lambda tx, moved: on_move(tx, moved, secrets)],
    )


@dataclass(frozen=True)
class EmergencyJobs:
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        services = ChannelServices(self.database, self.keyring, self.secrets, self.mailer, self.clock, self.settings)
        escalation = Escalation(services)
        return [
            Kind(
                ESCALATE,
                escalation.take_step,
                attempts=100,
                longest_wait=URGENT_RETRY,
                run_together=escalation.take_steps,
                most_together=STEPS_AT_ONCE,
            ),
            Kind(RESUME, escalation.resume_stalled, attempts=3, every=timedelta(minutes=1)),
            Kind(message_hooks.ANSWER, self.store_answer, attempts=100, longest_wait=URGENT_RETRY),
            OnCall(services).job_kind(),
            RelaySender(services).job_kind(),
            MovedContacts(self.database, self.keyring, self.secrets, self.clock).job_kind(),
            Kind(message_hooks.CALL, self.store_call, attempts=20, longest_wait=URGENT_RETRY),
            *(kind for channel in CHANNELS for kind in channel.job_kinds(services)),
        ]

    def store_call(self, job: Job) -> None:
        given = job.payload
        with suppress(FmdNotFound), self.database.writing() as tx:
            at = datetime.fromisoformat(given["at"])
            store_call(tx, given["emergency_id"], given["contact_id"], at, self.clock.now())

    def store_answer(self, job: Job) -> None:
        """Stores what a contact answered by button or message. The same answer twice changes nothing."""
        given, now = job.payload, self.clock.now()
        answer = ContactAnswer(given["answer"])
        try:
            with self.database.writing() as tx:
                emergency = store_answer(
                    tx,
                    given["emergency_id"],
                    given["contact_id"],
                    answer,
                    given["how"],
                    now,
                    written_at=datetime.fromisoformat(given["at"]),
                )
                contact = given["emergency_id"], given["contact_id"]
                is_refused = given.get("is_refused", False)  # Jobs of the version before do not say it.
                if is_refused:
                    confirm_refusal(tx, self.keyring, self.settings, emergency, given["message_id"], now)
                if emergency.is_drill:  # She quoted a test message, and is asked nothing back.
                    note_test_answer(
                        tx,
                        self.keyring,
                        self.secrets,
                        emergency,
                        given["contact_id"],
                        WhatsAppChannel.name,
                        now,
                        is_refused=is_refused,
                    )
                    return
                note_answer(tx, *contact, WhatsAppChannel.name, now, is_refused=is_refused)
                record = tx.orm.get_one(Record, emergency.record_id)
                take_replies(tx, self.keyring, emergency, record, self.settings.relay_messages, now)
                queue_relay(tx, emergency.id)  # Whoever answered may get all of it.
                # Not if she had said it clearly before.
                if called_in(tx, contact[0])[contact[1]].answer == ContactAnswer.UNCLEAR == answer:
                    ask_back(tx, self.keyring, self.settings, emergency, contact[1], given["message_id"], now)
        except (FmdNotFound, LinkUnknown):
            pass  # The record was erased meanwhile.
