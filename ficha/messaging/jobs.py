"""The jobs of messaging: each kind and what runs it."""

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy.orm import joinedload

from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.messenger import Messenger
from ficha.core.log import log
from ficha.fmd.invitations import INVITE_BY_MESSAGE, SEND_NUMBER_CODE
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.codes_and_invitations import (
    SEND_TO_PHONE,
    PhoneCodes,
    RecordInvitations,
    mail_code_if_failed,
    note_invitation_delivery,
)
from ficha.messaging.failures import FailureHandler
from ficha.messaging.file_transfers import FileTransfers
from ficha.messaging.files import FETCH, FORWARD
from ficha.messaging.incoming_messages import IncomingMessages
from ficha.messaging.joined_threads import JOIN, ThreadJoiner
from ficha.messaging.message_sender import CALLS_AT_ONCE, MessageSender
from ficha.messaging.messages import MARK_READ, SEND, MessageHooks
from ficha.messaging.notification_processor import NotificationProcessor
from ficha.messaging.notifications import PROCESS
from ficha.messaging.platform_account import SYNC, save_templates
from ficha.messaging.tables import Message


@dataclass(frozen=True)
class MessagingJobs(JobServices):
    messenger: Messenger
    hooks: MessageHooks

    def kinds(self) -> list[Kind]:
        hooks = replace(
            self.hooks, state_changed=[mail_code_if_failed, note_invitation_delivery, *self.hooks.state_changed]
        )
        failures = FailureHandler(self.keyring, hooks, self.messenger.window_closed_code)
        incoming = IncomingMessages(self.keyring, failures)
        processor = NotificationProcessor(self, self.messenger, incoming)
        sender = MessageSender(self, self.messenger, failures)
        joiner = ThreadJoiner(self, hooks)
        transfers = FileTransfers(self, self.messenger)
        codes = PhoneCodes(self)
        invitations = RecordInvitations(self, codes)
        return [
            # Every notification puts a job. `every` is for one whose job was lost with its process.
            Kind(
                PROCESS, processor.process, attempts=50, longest_wait=timedelta(seconds=30), every=timedelta(minutes=1)
            ),
            # Refusals of the platform do not count as attempts here, only failures on our side.
            Kind(
                SEND,
                sender.deliver,
                attempts=50,
                longest_wait=timedelta(minutes=1),
                run_together=sender.deliver_together,
                most_together=CALLS_AT_ONCE,
            ),
            Kind(JOIN, joiner.join),
            Kind(FETCH, transfers.fetch_file, attempts=20),
            Kind(FORWARD, transfers.forward_upload, attempts=20),
            Kind(MARK_READ, self.mark_read, attempts=8),
            Kind(SYNC, self.sync_templates, attempts=3, every=timedelta(hours=1)),
            Kind(SEND_TO_PHONE, codes.send, attempts=6),
            Kind(INVITE_BY_MESSAGE, invitations.send, attempts=6),
            Kind(SEND_NUMBER_CODE, invitations.send_code, attempts=6),
        ]

    def mark_read(self, job: Job) -> None:
        """Marks a message as read on the platform. Doing it twice does no harm."""
        with self.database.reading() as tx:
            message = tx.orm.get(Message, job.payload["message_id"], options=[joinedload(Message.thread)])
        if message is None or message.provider_id is None:
            return
        try:
            self.messenger.mark_read(message.provider_id, number_id=message.thread.phone_number_id)
        except Refused as refusal:  # Too old, or unknown there: nobody waits for it.
            log().info("whatsapp.not_marked_read", message_id=message.id, error=type(refusal).__name__)

    def sync_templates(self, _job: Job) -> None:
        found = self.messenger.account.templates()
        with self.database.writing() as tx:
            save_templates(tx, found, self.clock.now())
