"""The ledger of the inventory: which codes were printed, shipped, claimed or voided, when and by whom."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import CheckConstraint, Index, String, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.ids import CODE_LENGTH
from ficha.core.transaction import Transaction


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
