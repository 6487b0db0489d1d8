"""Verifying a phone with six digits, sent as a message, or by mail if it cannot be delivered."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.accounts.accounts import Account
from ficha.accounts.jobs import SEND_PHONE_CODE as SEND_BY_MAIL
from ficha.accounts.one_time_codes import Purpose, WrongCode, new_code, spend_code
from ficha.channels.messages import LinkButton, Template
from ficha.channels.services import JobServices
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.statements import message_queued_for
from ficha.messaging.tables import MessageRow, MessageState

SEND = "telefono.codigo"
TEMPLATE = "codigo_verificacion"
ABOUT = "codigo:"
# Nobody waits longer for a code: after this it is sent by mail instead.
SEND_WITHIN = timedelta(minutes=2)


@dataclass(frozen=True)
class PhoneCodes:
    services: JobServices

    def send(self, job: Job) -> None:
        once = f"{SEND}:{job.id}"
        with self.services.database.writing() as tx:
            account = tx.orm.get(Account, job.payload["account_id"])
            if account is None or message_queued_for(tx, once) is not None:
                return
            if account.telefono_e164 is None:
                put(tx, SEND_BY_MAIL, {"account_id": account.id})
                return
            try:
                self.queue(tx, account, Purpose.TELEFONO, account.telefono_e164, once, f"{ABOUT}{account.id}")
            except ContactStopped:
                put(tx, SEND_BY_MAIL, {"account_id": account.id})

    def queue(self, tx: Transaction, account: Account, purpose: Purpose, to: str, once: str, about: str) -> None:
        """Makes a code and queues the message with it. Raises ContactStopped."""
        now, settings = self.services.clock.now(), self.services.settings
        limits = {"minutes": settings.code_minutes, "tries": settings.code_tries}
        codigo = new_code(tx, self.services.secrets, account.id, purpose, to, now, **limits)
        queue_row(
            tx,
            self.services.keyring,
            settings.whatsapp_phone_number_id,
            to,
            Template(TEMPLATE, TEMPLATE_LANGUAGES[account.idioma], body=[codigo], buttons=[LinkButton(0, codigo)]),
            now,
            once=once,
            about=about,
            expires_at=now + SEND_WITHIN,
            is_secret=True,
            is_urgent=True,
        )


def mail_code_if_failed(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """Sends a new code by mail when the message with the code failed."""
    if message.about.startswith(ABOUT) and message.state == MessageState.FAILED:
        account_id = int(message.about.removeprefix(ABOUT))
        put(tx, SEND_BY_MAIL, {"account_id": account_id}, key=f"{SEND_BY_MAIL}:{message.id}")


def verify_phone(tx: Transaction, secrets: Secrets, account_id: int, codigo: str, now: datetime) -> Account:
    target = spend_code(tx, secrets, account_id, Purpose.TELEFONO, codigo, now)
    account = tx.orm.get_one(Account, account_id)
    if target not in (account.telefono_e164, account.correo):  # The number changed after the code was sent.
        raise WrongCode
    account.telefono_verificado_en = now
    account.telefono_verificado_por = "whatsapp" if target == account.telefono_e164 else "correo"
    return account
