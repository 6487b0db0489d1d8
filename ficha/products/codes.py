"""Issuing, claiming and retiring codes: printed → claimed → active → lost or retired. A code is no secret."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, or_, select, update

from ficha.core.db import insert_new
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_code
from ficha.core.transaction import Transaction
from ficha.products.ended_tags import TagEnd, forget_owner_of_tags, keep_ended_tags
from ficha.products.ledger import OWNER, LedgerState, write_code
from ficha.products.product import IS_LIVE, Product, ProductState, new_tag, tag_hash
from ficha.products.statements import insert_code, live_codes


class CodeNotFree(FichaError):
    """Unknown and already claimed look the same."""

    status = 404
    code = "codigo_no_disponible"
    message = "Ese código no existe o ya pertenece a una ficha. Revise lo impreso en la etiqueta."
    source = Source("pointer", "/product_code")


@dataclass(frozen=True)
class IssuedCode:
    """A new code and its tag, of which only the hash is stored."""

    code: str
    tag: str


def issue_code(
    tx: Transaction, now: datetime, *, record_id: int | None = None, new_code: Callable[[], str] = random_code
) -> IssuedCode:
    """Stores a code that was never issued before: claimed if it is for a record, else printed."""
    while True:
        code, tag = new_code(), new_tag()
        if insert_code(tx, code, tag_hash(tag), record_id, now):
            return IssuedCode(code, tag)


def issue_bp_codes(tx: Transaction, record_ids: Sequence[int], now: datetime) -> dict[int, str]:
    """A code that an institution issues, for each of these records, which hold data already. It has no tag: as long as
    nobody asks for one, it opens the door of the typed code and no other."""
    issued: dict[int, str] = {}
    waiting = list(record_ids)
    while waiting:
        # Two equal ones of this list meet in the dictionary; one that was issued before is not inserted.
        tried = {random_code(): record_id for record_id in waiting}
        values = {"is_bp": True, "state": ProductState.ACTIVE, "issued_at": now, "claimed_at": now}
        rows = [values | {"code": code, "record_id": record_id} for code, record_id in tried.items()]
        for row in insert_new(tx, Product, rows, Product.code):
            issued[tried[row.code]] = row.code
        waiting = [record_id for record_id in waiting if record_id not in issued]
    return issued


def claim_code(tx: Transaction, code: str, record_id: int, now: datetime, *, tag: str | None = None) -> None:
    """Gives a printed code to the record; raises CodeNotFree. It is one statement, so of many at once one succeeds.

    Whoever shows the tag has the sticker. By the code alone, which can be guessed or read over a shoulder, the claim
    waits for `confirm_claims`: its tag sleeps, and whoever shows the tag meanwhile gets the sticker."""
    mine = update(Product).where(Product.code == code.upper())
    given = {"state": ProductState.CLAIMED, "record_id": record_id, "claimed_at": now}
    if tag is None:
        mine = mine.where(Product.state == ProductState.PRINTED)
        mine = mine.values(given | {"sleeping_tag_hash": Product.tag_hash, "tag_hash": None})
        before = None
    else:
        shown = tag_hash(tag)
        is_printed = and_(Product.state == ProductState.PRINTED, Product.tag_hash == shown)
        mine = mine.where(or_(is_printed, and_(IS_LIVE, Product.sleeping_tag_hash == shown)))
        mine = mine.values(given | {"sleeping_tag_hash": None, "tag_hash": shown})
        before = tx.orm.scalar(select(Product.record_id).where(Product.code == code.upper()).with_for_update())
    if tx.orm.execute(mine.returning(Product.code)).one_or_none() is None:
        raise CodeNotFree
    write_code(tx, code.upper(), LedgerState.CLAIMED, now, OWNER)
    if before is not None and before != record_id and not live_codes(tx, [before]):
        issue_code(tx, now, record_id=before)  # Nobody is left without a code.


def confirm_claims(tx: Transaction, record_id: int) -> list[str]:
    """Wakes the tags of the record's stickers that were claimed by their code alone. Returns their codes."""
    return list(
        tx.orm.scalars(
            update(Product)
            .where(Product.record_id == record_id, Product.sleeping_tag_hash.is_not(None), IS_LIVE)
            .values(tag_hash=Product.sleeping_tag_hash, sleeping_tag_hash=None)
            .returning(Product.code)
        )
    )


def retire_codes(tx: Transaction, record_id: int, now: datetime) -> None:
    """Of a record that is erased: whoever scans one is told that it ended, and nobody is told of the scan."""
    is_mine = Product.record_id == record_id
    keep_ended_tags(tx, is_mine, TagEnd.RETIRED, now)
    forget_owner_of_tags(tx, record_id)
    tx.orm.execute(
        update(Product)
        .where(is_mine)
        .values(state=ProductState.RETIRED, tag_hash=None, sleeping_tag_hash=None, ended_at=now)
    )
