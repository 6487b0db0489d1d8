"""Codes that an institution issues to its people, the wire's `bp_codes`: thousands at once, none twice."""

from collections.abc import Sequence
from datetime import datetime

from ficha.core.db import insert_new
from ficha.core.ids import random_code
from ficha.core.transaction import Transaction
from ficha.products.product import Product, ProductState


def issue_bp_codes(tx: Transaction, record_ids: Sequence[int], now: datetime) -> dict[int, str]:
    """A new code for each of these records, which hold data already. It has no tag: as long as nobody asks for one, it
    opens the door of the typed code and no other."""
    issued: dict[int, str] = {}
    waiting = list(record_ids)
    while waiting:
        # Two equal ones of this list meet in the dictionary; one that was issued before is not inserted.
        tried = {random_code(): record_id for record_id in waiting}
        rows = [
            {
                "code": code,
                "is_bp": True,
                "state": ProductState.ACTIVE,
                "record_id": record_id,
                "issued_at": now,
                "claimed_at": now,
            }
            for code, record_id in tried.items()
        ]
        for row in insert_new(tx, Product, rows, Product.code):
            issued[tried[row.code]] = row.code
        waiting = [record_id for record_id in waiting if record_id not in issued]
    return issued
