"""Issuing, claiming and retiring codes: printed → claimed → active → lost or retired. A code is no secret.

Of tags that ended only the hash is kept, so that whoever scans one is told so. They open nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, ForeignKey, LargeBinary, String, and_, bindparam, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc, insert_new, partial_index
from ficha.core.errors import FichaError, Source
from ficha.core.ids import CODE_LENGTH, random_code
from ficha.core.transaction import Transaction
from ficha.products.product import (
    IS_LIVE,
    LIVE,
    OWNER,
    LedgerState,
    Product,
    ProductState,
    new_tag,
    tag_hash,
    tag_matches,
    write_code,
)
from ficha.products.statements import insert_code, live_codes

# A tag that is scanned again within this is not written down again.
NOTED_AGAIN_AFTER = timedelta(days=1)


class TagEnd(StrEnum):
    """Why a tag ended. A sticker that staff voided, or whose record was erased, was retired."""

    LOST = "lost"
    RETIRED = "retired"
    REPLACED = "replaced"


class EndedTag(Base):
    """One code may have had several. `record_id` is whose owner is told of a scan: nobody's where the sticker was never
    proven to be somebody's, and none once that record was erased."""

    __tablename__ = "ended_tags"
    __table_args__ = (partial_index("ix_ended_tags_record_id", "record_id", where="record_id IS NOT NULL"),)

    code: Mapped[str] = mapped_column(String(CODE_LENGTH), ForeignKey(Product.code), primary_key=True)
    tag_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    record_id: Mapped[int | None] = mapped_column(BigId)
    why: Mapped[str] = mapped_column(String(10))
    ended_at: Mapped[datetime] = mapped_column(Utc)
    # When a scan of it was last written into the record's log.
    noted_at: Mapped[datetime | None] = mapped_column(Utc)


class UnopenedTag(StrEnum):
    """What a tag is that belongs to its code and opens nothing yet."""

    NEW = "new"  # Printed, and nobody's yet.
    UNCONFIRMED = "unconfirmed"  # Claimed by the code alone, and the mailbox has not confirmed it.


class EndedScan(NamedTuple):
    """A scan of an ended tag, with what is needed to tell its owner."""

    code: str
    tag_hash: bytes
    record_id: int | None
    why: TagEnd
    noted_at: datetime | None

    def is_due(self, now: datetime) -> bool:
        """Whether it is to be written down: there is an owner, and it was not today."""
        is_old = self.noted_at is None or self.noted_at <= now - NOTED_AGAIN_AFTER
        return self.record_id is not None and is_old


# One statement for every tag that opens nothing, so that a wrong tag takes as long as a code that never was.
_ENDED_TAG = and_(EndedTag.code == Product.code, EndedTag.tag_hash == bindparam("shown"))
_KNOWN = (
    select(Product.state, Product.tag_hash, Product.sleeping_tag_hash)
    .add_columns(EndedTag.why, EndedTag.record_id, EndedTag.noted_at)
    .outerjoin(EndedTag, _ENDED_TAG)
    .where(Product.code == bindparam("code"))
)


def unopened_tag(tx: Transaction, code: str, tag: str) -> UnopenedTag | EndedScan | None:
    """What this tag is, which opened nothing; None for a wrong tag and for an unknown code alike."""
    code, shown = code.upper(), tag_hash(tag)
    row = tx.orm.execute(_KNOWN, {"code": code, "shown": shown}).one_or_none()
    if row is None:
        return None
    if row.why is not None:
        return EndedScan(code, shown, row.record_id, TagEnd(row.why), row.noted_at)
    if row.state == ProductState.PRINTED and tag_matches(row.tag_hash, tag):
        return UnopenedTag.NEW
    if row.state in LIVE and tag_matches(row.sleeping_tag_hash, tag):
        return UnopenedTag.UNCONFIRMED
    return None


def keep_ended_tags(tx: Transaction, which: ColumnElement[bool], why: TagEnd, now: datetime) -> None:
    """Call it before the hashes of these stickers go. The tag of an unconfirmed claim ends for nobody: whoever claimed
    it never showed the sticker, and is not told who scans it."""
    shown = func.coalesce(Product.tag_hash, Product.sleeping_tag_hash).label("shown")
    query = select(Product.code, shown, Product.tag_hash, Product.record_id).where(which, shown.is_not(None))
    rows = [
        {
            "code": row.code,
            "tag_hash": row.shown,
            "record_id": None if row.tag_hash is None else row.record_id,
            "why": why,
            "ended_at": now,
        }
        for row in tx.orm.execute(query.order_by(Product.code))
    ]
    insert_new(tx, EndedTag, rows, EndedTag.code)


def mark_noted(tx: Transaction, scan: EndedScan, now: datetime) -> bool:
    """False if another scan of this tag was written down within a day, or if its record was erased meanwhile."""
    is_old = or_(EndedTag.noted_at.is_(None), EndedTag.noted_at <= now - NOTED_AGAIN_AFTER)
    mine = (EndedTag.code == scan.code, EndedTag.tag_hash == scan.tag_hash, EndedTag.record_id == scan.record_id)
    marked = update(EndedTag).where(*mine, is_old).values(noted_at=now).returning(EndedTag.code)
    return tx.orm.execute(marked).one_or_none() is not None


def forget_owner_of_tags(tx: Transaction, record_id: int) -> None:
    """Of a record that is erased: its tags are still known to have ended, but not whose they were."""
    tx.orm.execute(update(EndedTag).where(EndedTag.record_id == record_id).values(record_id=None))


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


def issue_bare_code(tx: Transaction, now: datetime, record_id: int) -> str:
    """A code by which a record is found, and that is on no sticker: it has no tag until its owner asks for one."""
    while True:
        code = random_code()
        if insert_code(tx, code, None, record_id, now):
            return code


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
        issue_bare_code(tx, now, before)  # Nobody is left without a code.


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


def end_codes(
    tx: Transaction, which: ColumnElement[bool], state: ProductState, now: datetime, *, why: TagEnd | None = None
) -> list[str]:
    """Ends these codes as lost or retired, for good: their tags open nothing, and are known to have ended. `why` where
    that is more than the state says."""
    keep_ended_tags(tx, which, why or TagEnd(state.value), now)
    ended = update(Product).where(which).values(state=state, tag_hash=None, sleeping_tag_hash=None, ended_at=now)
    return list(tx.orm.scalars(ended.returning(Product.code)))


def retire_codes(tx: Transaction, record_id: int, now: datetime) -> None:
    """Of a record that is erased: whoever scans one is told that it ended, and nobody is told of the scan."""
    end_codes(tx, Product.record_id == record_id, ProductState.RETIRED, now)
    forget_owner_of_tags(tx, record_id)
