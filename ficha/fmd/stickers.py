"""What the owner calls a sticker (helmet, wheelchair), sealed with the record's key for it may tell much; and stickers
marked lost by a mailed link: who asks for that names a correo or a code, and learns nothing by it."""

from collections.abc import Sequence
from datetime import datetime

from ficha.accounts.accounts import account_with
from ficha.accounts.jobs import SEND_LOST
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.ids import CODE_LENGTH
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.record_codes import CodeEnded, CodeUnknown, end_code, leave_a_code
from ficha.fmd.records import Record
from ficha.jobs.queue import put
from ficha.products.product import LiveCode, Product, ProductState

MOST_LETTERS = 40


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


def name_sticker(tx: Transaction, fmd: OpenFmd, code: str, name: str) -> None:
    """An empty name takes the one it has away. Raises MayNotManage, or CodeUnknown for one that is not the record's."""
    fmd.must_manage()
    product = tx.orm.get(Product, code.upper())
    if product is None or product.record_id != fmd.id:
        raise CodeUnknown
    words = " ".join(name.split())[:MOST_LETTERS]
    product.sealed_name = seal(fmd.key, words.encode("utf-8", "replace"), _place(product)) if words else None


def sticker_name(product: Product | LiveCode, key: bytes) -> str:
    """Empty where it has none. `key` is the record's."""
    if product.sealed_name is None:
        return ""
    try:
        return unseal(key, product.sealed_name, _place(product)).decode()
    except Tampered:
        return ""


def _place(product: Product | LiveCode) -> str:
    return f"product:{product.code}:name"
