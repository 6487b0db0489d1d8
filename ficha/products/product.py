"""The table of products: a code that is printed on a sticker, and the tag that only its QR holds; and the ledger of the
inventory: which codes were printed, shipped, claimed or voided, when and by whom."""

import base64
import hmac
import secrets
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String, and_, bindparam, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc, partial_index
from ficha.core.ids import CODE_LENGTH, secret_hash
from ficha.core.transaction import Transaction


class ProductState(StrEnum):
    PRINTED = "printed"
    CLAIMED = "claimed"
    ACTIVE = "active"
    LOST = "lost"
    RETIRED = "retired"


LIVE = (ProductState.CLAIMED, ProductState.ACTIVE)


class Product(Base):
    """Rows are never deleted: that is what keeps a code from being issued twice."""

    __tablename__ = "products"
    __table_args__ = (
        partial_index("ix_products_batch_code", "batch_id", "code", where="batch_id IS NOT NULL"),
        # Few among all that are printed.
        partial_index("ix_products_claimed", "code", where="claimed_at IS NOT NULL"),
        partial_index("ix_products_ended", "code", where="ended_at IS NOT NULL"),
    )

    code: Mapped[str] = mapped_column(String(CODE_LENGTH), primary_key=True)
    # True for a code that an institution issued to the person: the wire's bp_codes.
    is_bp: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(String(10))
    record_id: Mapped[int | None] = mapped_column(ForeignKey("records.id"), index=True)
    # Of the 128 random bits in the sticker's QR. Among the ended tags once the sticker is lost or retired.
    tag_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    # Where the claim is not confirmed yet: what `tag_hash` becomes then. Until then the tag opens nothing.
    sleeping_tag_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    # The batch it was printed with, if it was printed with others.
    batch_id: Mapped[int | None] = mapped_column(BigId)
    issued_at: Mapped[datetime] = mapped_column(Utc)
    claimed_at: Mapped[datetime | None] = mapped_column(Utc)
    ended_at: Mapped[datetime | None] = mapped_column(Utc)
    # What its owner calls it, sealed with the record's key.
    sealed_name: Mapped[bytes | None] = mapped_column(LargeBinary)
    last_scan_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def is_confirmed(self) -> bool:
        return self.sleeping_tag_hash is None


# The sticker that is found by its code, as long as it was neither lost nor retired.
IS_LIVE = Product.state.in_(LIVE)
HAS_LIVE_CODE = and_(Product.code == bindparam("code"), IS_LIVE)


def new_tag() -> str:
    """128 random bits in base32: capitals and digits, so that a QR holds them in few modules."""
    return base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=")


def tag_hash(tag: str) -> bytes:
    return secret_hash(tag.upper())


def tag_matches(stored_hash: bytes | None, tag: str) -> bool:
    """Whether this is the tag of the sticker with that hash, in constant time. An ended sticker has no hash here."""
    return stored_hash is not None and hmac.compare_digest(stored_hash, tag_hash(tag))


class LiveCode(NamedTuple):
    """The code of a record that was neither lost nor retired."""

    code: str
    record_id: int
    is_bp: bool
    tag_hash: bytes | None
    sleeping_tag_hash: bytes | None
    sealed_name: bytes | None

    @property
    def is_confirmed(self) -> bool:
        return self.sleeping_tag_hash is None

    @property
    def is_sticker(self) -> bool:
        """Whether a tag was ever told for it; by the code alone nothing can be scanned."""
        return self.tag_hash is not None or self.sleeping_tag_hash is not None


class LedgerState(StrEnum):
    PRINTED = "printed"
    SHIPPED = "shipped"
    CLAIMED = "claimed"
    VOID = "void"


class LedgerRow(Base):
    """Something that happened to one code, or to all codes of a batch. Rows are only ever added: triggers see to it."""

    __tablename__ = "code_ledger"
    __table_args__ = (
        CheckConstraint("(code IS NULL) <> (batch_id IS NULL)", name="one_of_both"),
        Index("ix_code_ledger_code", "code"),
        Index("ix_code_ledger_batch_id", "batch_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    code: Mapped[str | None] = mapped_column(String(CODE_LENGTH))
    batch_id: Mapped[int | None] = mapped_column(BigId)
    state: Mapped[str] = mapped_column(String(10))
    at: Mapped[datetime] = mapped_column(Utc)
    # `account:7`, `cli`, or `owner` for whoever claimed it: whose code it is stands in the record's own log.
    by: Mapped[str] = mapped_column(String(60))


OWNER = "owner"


def write_code(tx: Transaction, code: str, state: LedgerState, now: datetime, by: str) -> None:
    tx.orm.add(LedgerRow(code=code, state=state, at=now, by=by))


def write_batch(tx: Transaction, batch_id: int, state: LedgerState, now: datetime, by: str) -> None:
    tx.orm.add(LedgerRow(batch_id=batch_id, state=state, at=now, by=by))


def ledger_of(tx: Transaction, code: str, batch_id: int | None) -> list[LedgerRow]:
    """All that happened to a code, alone or with its batch, oldest first."""
    of_batch = [] if batch_id is None else [LedgerRow.batch_id == batch_id]
    query = select(LedgerRow).where(or_(LedgerRow.code == code, *of_batch)).order_by(LedgerRow.id)
    return list(tx.orm.scalars(query))
