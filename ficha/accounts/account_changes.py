"""Changes that people make to their own account."""

from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError

from ficha.accounts.accounts import Account, CorreoTaken, Idioma
from ficha.accounts.recovery import change_clave
from ficha.accounts.tokens import Caller, Unauthenticated
from ficha.core.phones import to_e164
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction


@dataclass(frozen=True)
class Changes:
    nombre: str
    cod_telefono: str
    telefono: str
    idioma: Idioma
    correo: str | None = None
    clave_hash: str | None = None


def change_account(tx: Transaction, caller: Caller, changes: Changes) -> Account:
    """Raises CorreoTaken if another account has the new correo, Unauthenticated if this one was erased meanwhile."""
    account = tx.orm.get(Account, caller.account_id)
    if account is None:  # Erased after the caller's token was checked.
        raise Unauthenticated
    account.nombre = changes.nombre
    account.cod_telefono, account.telefono = changes.cod_telefono, changes.telefono
    e164 = to_e164(changes.cod_telefono, changes.telefono)
    if e164 != account.telefono_e164:
        account.telefono_verificado_en = account.telefono_verificado_por = None
    account.telefono_e164 = e164
    account.idioma = changes.idioma
    if changes.clave_hash is not None:
        change_clave(tx, account, changes.clave_hash, keep_token=caller.token_id)
    if changes.correo is not None and correo_key(changes.correo) != account.correo_key:
        account.correo_verificado_en = None
    if changes.correo is not None:
        account.correo, account.correo_key = changes.correo, correo_key(changes.correo)
    try:
        tx.orm.flush()
    except IntegrityError:
        raise CorreoTaken from None
    return account
