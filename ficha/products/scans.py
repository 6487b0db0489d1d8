"""Scans of stickers: which one was scanned, as the log tells it, and when each was last scanned."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, or_, update

from ficha.audit.log import LoggedFact
from ficha.core.db import Base
from ficha.core.given_rows import given_rows, rows_value
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.products.product import Product

# What an entry of the log says besides the models: by which sticker the record was opened, and by which version of the
# rules the page was made that the reader saw.
SCANNED = "code:"
RULES = "rules:"

_products = Base.metadata.tables[Product.__tablename__]
_last_scan = _products.c.last_scan_at
_SCANNED_AT = Prepared(
    update(_products)
    .where(_products.c.code == bindparam("scanned"), or_(_last_scan.is_(None), _last_scan < bindparam("at")))
    .values(last_scan_at=bindparam("at")),
    only="sqlite",
)
_given = given_rows({"scanned": _products.c.code.type, "at": _last_scan.type})
_ALL_SCANNED_AT = Prepared(
    update(_products)
    .where(_products.c.code == _given.c.scanned, or_(_last_scan.is_(None), _last_scan < _given.c.at))
    .values(last_scan_at=_given.c.at),
    only="postgresql",
)


def scanned(code: str, models: Sequence[str], rules: str = "") -> list[str]:
    """What is noted of an opening by this sticker; `rules` where a page was shown that follows them."""
    return [f"{SCANNED}{code.upper()}", *([f"{RULES}{rules}"] if rules else []), *models]


def scanned_code(what: Sequence[str]) -> str:
    """Empty in entries from before stickers were noted, and where there was none."""
    return next((name.removeprefix(SCANNED) for name in what if name.startswith(SCANNED)), "")


def note_scans(tx: Transaction, facts: Sequence[LoggedFact]) -> None:
    """In the transaction that writes these entries to the log: the page of a sticker waits for nothing."""
    newest: dict[str, datetime] = {}
    for fact in facts:
        code = scanned_code(fact.what)
        if code and (code not in newest or newest[code] < fact.at):
            newest[code] = fact.at
    rows = [{"scanned": code, "at": at} for code, at in sorted(newest.items())]
    if rows and tx.is_sqlite:
        tx.run_many(_SCANNED_AT, rows)
    elif rows:
        tx.run(_ALL_SCANNED_AT, rows=rows_value(rows))
