"""The jobs of an emergency together: what each kind is called, and who does it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ficha.channels.mail import Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies import message_hooks
from ficha.emergencies.alert_mail import AlertMails
from ficha.emergencies.answers import LinkUnknown, take_answer
from ficha.emergencies.escalation import SEND_MAIL, Escalation, NoPushes, Pushes
from ficha.emergencies.opening import ESCALATE
from ficha.emergencies.steps import ContactAnswer
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.access import FmdNotFound
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.messages import MessageHooks

LOOK_AFTER = "emergencia.repaso"
# Somebody is waiting: a try that failed on our side is made again soon.
SOON = timedelta(seconds=10)


def hooks(patience: Timeouts) -> MessageHooks:
    """What messaging tells us of our messages and their answers."""
    return MessageHooks(
        [message_hooks.on_change],
        [lambda session, reply: message_hooks.on_reply(session, reply, patience)],
    )


@dataclass(frozen=True)
class EmergencyJobs:
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings
    pushes: Pushes = field(default_factory=NoPushes)

    def kinds(self) -> list[Kind]:
        patience = Timeouts.of(self.settings)
        climber = Escalation(
            self.database, self.keyring, self.secrets, self.clock, self.settings, patience, self.pushes
        )
        mails = AlertMails(self.database, self.keyring, self.secrets, self.mailer, self.clock, self.settings, patience)
        return [
            Kind(ESCALATE, climber.climb, attempts=100, longest_wait=SOON),
            Kind(LOOK_AFTER, climber.look_after, attempts=3, every=timedelta(minutes=1)),
            Kind(SEND_MAIL, mails.send, attempts=100, longest_wait=SOON),
            Kind(message_hooks.ANSWER, self.take_answer, attempts=100, longest_wait=SOON),
        ]

    def take_answer(self, job: Job) -> None:
        """What a contact pressed or wrote. The same answer twice is one."""
        said = job.payload
        try:
            with self.database.writing() as session:
                take_answer(
                    session,
                    said["emergency_id"],
                    said["contact_id"],
                    ContactAnswer(said["answer"]),
                    said["how"],
                    datetime.fromisoformat(said["at"]),
                )
        except (FmdNotFound, LinkUnknown):
            pass  # The record was erased meanwhile.
