"""Opening a record: it is never without a code. Registration, a further record of a family, and handing over do it."""

from datetime import datetime

from ficha.accounts.accounts import lock_account
from ficha.audit import log as audit
from ficha.audit.chain import CHAIN_START
from ficha.core.crypto import Keyring, new_key
from ficha.core.errors import FichaError
from ficha.core.ids import random_number
from ficha.core.transaction import Transaction
from ficha.fmd.records import RecordRow, key_place_of, records_of
from ficha.fmd.statements import insert_record
from ficha.products.codes import claim_code, issue_code


class TooManyRecords(FichaError):
    status = 409
    code = "demasiadas_fichas"
    message = "Su cuenta llegó al máximo de fichas. Borre o entregue una, o escríbanos para ampliarlo."


def check_room_for_record(tx: Transaction, account_id: int, most: int) -> None:
    """Locks the account: records are added to it by one at a time. Raises TooManyRecords."""
    lock_account(tx, account_id)
    if len(records_of(tx, account_id)) >= most:
        raise TooManyRecords


def open_record(
    tx: Transaction,
    account_id: int,
    relacion: str,
    keyring: Keyring,
    now: datetime,
    *,
    product_code: str | None = None,
    product_tag: str | None = None,
) -> RecordRow:
    """An empty record of this account with the printed code, or with a new one. Raises CodeNotFree."""
    record = _create_record(tx, account_id, relacion, keyring, now)
    if product_code is None:
        issue_code(tx, now, record_id=record.id)
    else:
        claim_code(tx, product_code, record.id, now, tag=product_tag)
    return record


def _create_record(tx: Transaction, account_id: int, relacion: str, keyring: Keyring, now: datetime) -> RecordRow:
    """Empty, with a key of its own."""
    while True:
        number = random_number()
        wrapped = keyring.wrap(new_key(), key_place_of(number))
        record = RecordRow(number, account_id, relacion, "general", 0, 0, now, None, wrapped.key_id, wrapped.sealed)
        if insert_record(tx, record):  # Else the number is taken: one in two thousand million.
            audit.note(tx, record.id, audit.Actor("account", account_id), "record.created", [], now, after=CHAIN_START)
            return record
