"""Changes that people make to their own account; a new clave: asked for by mail, or changed."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.exc import IntegrityError

from ficha.accounts.accounts import Account, CorreoTaken, Idioma, account_with
from ficha.accounts.jobs import SEND_CLAIM, SEND_CLAVE_CHANGED, SEND_RECOVERY, put_correo_changed
from ficha.accounts.one_time_codes import Purpose, end_mailed_codes, end_recovery, spend_link
from ficha.accounts.tokens import Caller, Unauthenticated, revoke_all
from ficha.core.phones import one_spelling, to_e164
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put


@dataclass(frozen=True)
class AccountChanges:
    nombre: str
    cod_telefono: str
    telefono: str
    idioma: Idioma
    correo: str | None = None
    clave_hash: str | None = None


def change_account(tx: Transaction, secrets: Secrets, caller: Caller, changes: AccountChanges) -> Account:
    """Raises CorreoTaken if another account has the new correo, Unauthenticated if this one was erased meanwhile."""
    account = tx.orm.get(Account, caller.account_id)
    if account is None:  # Erased after the caller's token was checked.
        raise Unauthenticated
    account.nombre = changes.nombre
    change_phone(account, changes.cod_telefono, changes.telefono)
    account.idioma = changes.idioma
    if changes.clave_hash is not None:
        change_clave(tx, account, changes.clave_hash, keep_token=caller.token_id)
    if changes.correo is not None:
        change_correo(tx, secrets, account, changes.correo)
    return account


def change_phone(account: Account, cod_telefono: str, telefono: str) -> None:
    """Another number must be verified again. Raises ValueError if the number cannot be dialled."""
    e164 = to_e164(cod_telefono, telefono)
    if one_spelling(e164) != one_spelling(account.telefono_e164 or ""):
        account.telefono_verificado_en = account.telefono_verificado_por = None
    account.cod_telefono, account.telefono, account.telefono_e164 = cod_telefono, telefono, e164


def change_correo(tx: Transaction, secrets: Secrets, account: Account, correo: str) -> None:
    """It must be verified again. The one before is told, and what was mailed there proves nothing any more: a sticker
    that waits for its mailbox waits for this one. Raises CorreoTaken, after which `tx` is to be rolled back."""
    if correo_key(correo) != account.correo_key:
        account.correo_verificado_en = None
        # Asked first: PostgreSQL writes the correo of a refused change to its own log.
        if account_with(tx, correo) is not None:
            raise CorreoTaken
        put_correo_changed(tx, secrets, account.id, account.correo)
        if Purpose.ETIQUETA in end_mailed_codes(tx, account.id):
            put(tx, SEND_CLAIM, {"account_id": account.id})
    account.correo, account.correo_key = correo, correo_key(correo)
    try:
        tx.orm.flush()
    except IntegrityError:  # The other of two at once.
        raise CorreoTaken from None


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
    """Ends every other session, because one of them may be the reason for the change, and a link that was mailed to
    choose another clave. Codes and links that prove something else go on."""
    account.clave_hash = clave_hash
    end_recovery(tx, account.id)
    revoke_all(tx, account.id, but=keep_token)
    put(tx, SEND_CLAVE_CHANGED, {"account_id": account.id})
