"""A new clave: asked for by mail, or changed."""

from datetime import datetime

from ficha.accounts.accounts import Account, account_with
from ficha.accounts.jobs import SEND_CLAVE_CHANGED, SEND_RECOVERY
from ficha.accounts.one_time_codes import Purpose, spend_link
from ficha.accounts.tokens import revoke_all
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put


def ask_for_new_clave(tx: Transaction, correo: str) -> None:
    """The same work whether or not the correo has an account: the job finds out."""
    account = account_with(tx, correo)
    put(tx, SEND_RECOVERY, {"account_id": account.id if account else None})


def reset_clave(tx: Transaction, secrets: Secrets, token: str, clave_hash: str, now: datetime) -> str:
    """Returns the account's correo. Raises LinkExpired if the link of the mail was used or is too old."""
    account = spend_link(tx, secrets, Purpose.CLAVE, token, now)
    change_clave(tx, account, clave_hash, keep_token=None)
    return account.correo


def change_clave(tx: Transaction, account: Account, clave_hash: str, *, keep_token: int | None) -> None:
    """Ends every other session, because one of them may be the reason for the change."""
    account.clave_hash = clave_hash
    revoke_all(tx, account.id, but=keep_token)
    put(tx, SEND_CLAVE_CHANGED, {"account_id": account.id})
