"""Six digits that prove that somebody reads her correo."""

from datetime import datetime

from ficha.accounts.accounts import Account
from ficha.accounts.one_time_codes import Purpose, WrongCode, spend_code
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction


def verify_correo(tx: Transaction, secrets: Secrets, account_id: int, code: str, now: datetime) -> Account:
    """Raises WrongCode."""
    target = spend_code(tx, secrets, account_id, Purpose.CORREO, code, now)
    account = tx.orm.get_one(Account, account_id)
    if correo_key(target) != account.correo_key:  # The correo changed after the code was sent.
        raise WrongCode
    account.correo_verificado_en = now
    return account
