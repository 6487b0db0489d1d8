"""Stickers marked lost by a mailed link: who asks names a correo or a code, and learns nothing by it."""

from collections.abc import Sequence
from datetime import datetime

from ficha.accounts.accounts import account_with
from ficha.accounts.jobs import SEND_LOST
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.ids import CODE_LENGTH
from ficha.core.transaction import Transaction
from ficha.fmd.record_codes import CodeEnded, CodeUnknown, end_code, leave_a_code
from ficha.fmd.records import Record
from ficha.jobs.queue import put
from ficha.products.product import Product, ProductState


def ask_for_lost_link(tx: Transaction, given: str) -> None:
    """The same work whether or not there is such an account: the job finds out. A code leads to its owner's mailbox."""
    account_id = None
    if "@" in given:
        account = account_with(tx, given)
        account_id = account.id if account else None
    elif len(given) == CODE_LENGTH:
        product = tx.orm.get(Product, given.upper())
        record = tx.orm.get(Record, product.record_id) if product and product.record_id else None
        account_id = record.account_id if record else None
    put(tx, SEND_LOST, {"account_id": account_id})


def mark_lost(tx: Transaction, caller: Caller, codes: Sequence[str], now: datetime) -> list[str]:
    """Those of these codes that are the caller's and still open something. A record of which all ended gets a code."""
    gone, records = [], set()
    for code in codes:
        try:
            product, record = end_code(tx, caller, code, ProductState.LOST, now)
        except (CodeUnknown, CodeEnded):
            continue
        gone.append(product.code)
        records.add(record.id)
    for record_id in sorted(records):
        leave_a_code(tx, record_id, Actor("account", caller.account_id), now)
    return gone
