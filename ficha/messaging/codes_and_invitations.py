"""Messages to a number that was not proven yet: six digits to verify a phone, by mail if they cannot be delivered, and
the invitation to a record (`fmd/invitations.py`), whose link is made when it is queued."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.accounts.accounts import Account
from ficha.accounts.jobs import SEND_PHONE_CODE as SEND_BY_MAIL
from ficha.accounts.one_time_codes import Purpose, WrongCode, new_code, spend_code
from ficha.channels.job_services import JobServices
from ficha.channels.messages import LinkButton, Template
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.invitations import SEND_NUMBER_CODE, InvitationUnknown, invitation_by_id, new_token, note_delivery
from ficha.fmd.mail_texts import words_of
from ficha.jobs.kinds import GiveUp, Job
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.message_content import erase_messages_about
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.statements import message_queued_for
from ficha.messaging.tables import MessageRow, MessageState
from ficha.messaging.threads import accounts_by_number, digits_of

SEND_TO_PHONE = "telefono.codigo"
CODE_TEMPLATE = "codigo_verificacion"
ABOUT_CODE = "codigo:"
# Nobody waits longer for a code: after this it is sent by mail instead.
SEND_WITHIN = timedelta(minutes=2)


@dataclass(frozen=True)
class PhoneCodes:
    services: JobServices

    def send(self, job: Job) -> None:
        once = f"{SEND_TO_PHONE}:{job.id}"
        with self.services.database.writing() as tx:
            account = tx.orm.get(Account, job.payload["account_id"])
            if account is None or message_queued_for(tx, once) is not None:
                return
            if account.telefono_e164 is None:
                put(tx, SEND_BY_MAIL, {"account_id": account.id})
                return
            try:
                self.queue(tx, account, Purpose.TELEFONO, account.telefono_e164, once, f"{ABOUT_CODE}{account.id}")
            except ContactStopped:
                put(tx, SEND_BY_MAIL, {"account_id": account.id})

    def queue(self, tx: Transaction, account: Account, purpose: Purpose, to: str, once: str, about: str) -> None:
        """Makes a code and queues the message with it. Raises ContactStopped."""
        now, settings = self.services.clock.now(), self.services.settings
        minutes, tries = settings.code_minutes, settings.code_tries
        codigo = new_code(tx, self.services.secrets, account.id, purpose, to, now, minutes=minutes, tries=tries)
        queue_row(
            tx,
            self.services.keyring,
            settings.whatsapp_phone_number_id,
            to,
            Template(CODE_TEMPLATE, TEMPLATE_LANGUAGES[account.idioma], body=[codigo], buttons=[LinkButton(0, codigo)]),
            now,
            once=once,
            about=about,
            expires_at=now + SEND_WITHIN,
            is_secret=True,
            is_urgent=True,
        )


def mail_code_if_failed(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """Sends a new code by mail when the message with the code failed."""
    if message.about.startswith(ABOUT_CODE) and message.state == MessageState.FAILED:
        account_id = int(message.about.removeprefix(ABOUT_CODE))
        put(tx, SEND_BY_MAIL, {"account_id": account_id}, key=f"{SEND_BY_MAIL}:{message.id}")


def verify_phone(tx: Transaction, secrets: Secrets, account_id: int, codigo: str, now: datetime) -> Account:
    target = spend_code(tx, secrets, account_id, Purpose.TELEFONO, codigo, now)
    account = tx.orm.get_one(Account, account_id)
    if target not in (account.telefono_e164, account.correo):  # The number changed after the code was sent.
        raise WrongCode
    account.telefono_verificado_en = now
    account.telefono_verificado_por = "whatsapp" if target == account.telefono_e164 else "correo"
    return account


def note_invitation_delivery(tx: Transaction, message: MessageRow, now: datetime) -> None:
    """Whoever invited sees whether what we sent to that number arrived."""
    if not message.about.startswith(ABOUT_INVITATION) or message.replaced_by is not None:
        return
    has_arrived = message.state in (MessageState.DELIVERED, MessageState.READ)
    if has_arrived or message.state == MessageState.FAILED:
        note_delivery(tx, int(message.about.rpartition(":")[2]), None if has_arrived else now)


INVITATION_TEMPLATE = "invitacion_ficha"
ABOUT_INVITATION = "acceso:"


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
                INVITATION_TEMPLATE,
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
                    about=f"{ABOUT_INVITATION}{found.record.id}:{grant_id}",
                    record_id=found.record.id,
                    is_secret=True,
                )
            except ContactStopped:  # The inviter is shown that it did not arrive.
                found.grant.token_hash, found.grant.undelivered_at = None, now

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
            about = f"{ABOUT_INVITATION}{found.record.id}:{found.grant.id}"
            try:
                self.codes.queue(tx, account, Purpose.INVITACION, found.address, once, about)
            except ContactStopped as stopped:
                raise GiveUp(stopped.code) from stopped


def erase_invitation_messages(tx: Transaction, record_id: int) -> None:
    """Of an erased record: one that has not left yet is not sent any more."""
    erase_messages_about(tx, [f"{ABOUT_INVITATION}{record_id}"])
