"""The prepared statements of products: storing a code, activating codes, and when stickers were last scanned."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import bindparam, or_, select, update

from ficha.core.db import Base
from ficha.core.list_parameters import one_of, rows_value, table_of_rows
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.transaction import Transaction
from ficha.products.product import IS_LIVE, LiveCode, Product, ProductState

_OF_NEW_CODE = ("code", "is_bp", "state", "record_id", "tag_hash", "issued_at", "claimed_at")
_products = Base.metadata.tables[Product.__tablename__]
_ACTIVATE_CODES = Prepared(
    update(_products)
    .where(_products.c.record_id == bindparam("record"), _products.c.state == ProductState.CLAIMED)
    .values(state=ProductState.ACTIVE)
)
_last_scan = _products.c.last_scan_at
_SCANNED_AT = Prepared(
    update(_products)
    .where(_products.c.code == bindparam("scanned"), or_(_last_scan.is_(None), _last_scan < bindparam("at")))
    .values(last_scan_at=bindparam("at")),
    only="sqlite",
)
_given = table_of_rows({"scanned": _products.c.code.type, "at": _last_scan.type})
_ALL_SCANNED_AT = Prepared(
    update(_products)
    .where(_products.c.code == _given.c.scanned, or_(_last_scan.is_(None), _last_scan < _given.c.at))
    .values(last_scan_at=_given.c.at),
    only="postgresql",
)
_LIVE_CODES = Prepared(
    select(*(_products.c[name] for name in LiveCode._fields))
    .where(one_of(_products.c.record_id, "records"), IS_LIVE)
    .order_by(_products.c.claimed_at, _products.c.code),
    row=LiveCode,
)


def live_codes(tx: Transaction, record_ids: list[int]) -> list[LiveCode]:
    return tx.all(_LIVE_CODES, records=record_ids)


def insert_code(tx: Transaction, code: str, tag_hash: bytes | None, record_id: int | None, now: datetime) -> bool:
    """Claimed if it is for a record, else printed. False if the code was issued before."""
    return bool(
        tx.changed(
            insert_if_new(tx.dialect.name, _products, _OF_NEW_CODE),
            code=code,
            is_bp=False,
            state=ProductState.PRINTED if record_id is None else ProductState.CLAIMED,
            record_id=record_id,
            tag_hash=tag_hash,
            issued_at=now,
            claimed_at=None if record_id is None else now,
        )
    )


def activate_codes(tx: Transaction, record_id: int) -> None:
    """A claimed code becomes active when its record has data."""
    tx.run(_ACTIVATE_CODES, record=record_id)


def set_last_scans(tx: Transaction, scans: Mapping[str, datetime]) -> None:
    """By code; a later scan that was noted already stays."""
    rows = [{"scanned": code, "at": at} for code, at in sorted(scans.items())]
    if rows and tx.is_sqlite:
        tx.run_many(_SCANNED_AT, rows)
    elif rows:
        tx.run(_ALL_SCANNED_AT, rows=rows_value(rows))
