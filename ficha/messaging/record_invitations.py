"""The messages to a number that is invited to a record (`fmd/invitations.py`): the invitation, whose link is made when
it is queued, and the code with which whoever accepts proves the number."""

from dataclasses import dataclass

from ficha.accounts.accounts import Account
from ficha.accounts.one_time_codes import Purpose
from ficha.channels.messages import LinkButton, Template
from ficha.channels.services import JobServices
from ficha.core.transaction import Transaction
from ficha.fmd.invitation_words import words_of
from ficha.fmd.invitations import SEND_NUMBER_CODE, InvitationUnknown, invitation_by_id, new_token
from ficha.jobs.kinds import GiveUp, Job
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.message_content import erase_messages_about
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.phone_codes import PhoneCodes
from ficha.messaging.statements import message_queued_for
from ficha.messaging.threads import accounts_by_number, digits_of

TEMPLATE = "invitacion_ficha"
ABOUT = "acceso:"


@dataclass(frozen=True)
class RecordInvitations:
    services: JobServices
    codes: PhoneCodes

    def send(self, job: Job) -> None:
        """Nothing is sent if it was withdrawn meanwhile. Locks the grant's row, and queues and makes the link in one
        transaction: one that has a link was sent already, and a new link would kill that one."""
        now, grant_id = self.services.clock.now(), int(job.payload["grant_id"])
        with self.services.database.writing() as tx:
            try:
                found = invitation_by_id(tx, self.services.keyring, grant_id, now)
            except InvitationUnknown:
                return
            tx.orm.refresh(found.grant, with_for_update=True)
            if found.grant.token_hash is not None:
                return
            owners = accounts_by_number(tx, [digits_of(found.address)])
            invited = tx.orm.get(Account, next(iter(owners.values()))) if owners else None
            words = words_of(tx, found, invited)
            template = Template(
                TEMPLATE,
                TEMPLATE_LANGUAGES[words.idioma],
                body=[words.quien, words.persona],
                buttons=[LinkButton(0, new_token(found.grant))],
            )
            try:
                queue_row(
                    tx,
                    self.services.keyring,
                    self.services.settings.whatsapp_phone_number_id,
                    found.address,
                    template,
                    now,
                    about=f"{ABOUT}{found.record.id}:{grant_id}",
                    record_id=found.record.id,
                    is_secret=True,
                )
            except ContactStopped as stopped:
                raise GiveUp(stopped.code) from stopped

    def send_code(self, job: Job) -> None:
        """To the number that was invited, for the account that accepts. It never goes by mail instead: that would prove
        another thing."""
        now, once = self.services.clock.now(), f"{SEND_NUMBER_CODE}:{job.id}"
        with self.services.database.writing() as tx:
            account = tx.orm.get(Account, job.payload["account_id"])
            if account is None or message_queued_for(tx, once) is not None:
                return
            try:
                found = invitation_by_id(tx, self.services.keyring, int(job.payload["grant_id"]), now)
            except InvitationUnknown:
                return
            about = f"{ABOUT}{found.record.id}:{found.grant.id}"
            try:
                self.codes.queue(tx, account, Purpose.INVITACION, found.address, once, about)
            except ContactStopped as stopped:
                raise GiveUp(stopped.code) from stopped


def erase_invitation_messages(tx: Transaction, record_id: int) -> None:
    """Of an erased record: one that has not left yet is not sent any more."""
    erase_messages_about(tx, [f"{ABOUT}{record_id}"])
