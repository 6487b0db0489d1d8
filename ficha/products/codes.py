"""Codes on stickers and cards: issued once, claimed once. A code is a name, not a secret."""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.ids import CODE_LENGTH, random_code
from ficha.fmd.records import Record


class State(StrEnum):
    PRINTED = "printed"
    CLAIMED = "claimed"
    ACTIVE = "active"
    LOST = "lost"
    RETIRED = "retired"


class Product(Base):
    """Rows are never deleted: that is what keeps a code from being issued twice."""

    __tablename__ = "products"

    code: Mapped[str] = mapped_column(String(CODE_LENGTH), primary_key=True)
    # True for a code that an institution issued to the person: the wire's bp_codes.
    is_bp: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(String(10))
    record_id: Mapped[int | None] = mapped_column(ForeignKey(Record.id), index=True)
    issued_at: Mapped[datetime] = mapped_column(Utc)
    claimed_at: Mapped[datetime | None] = mapped_column(Utc)


LIVE = (State.CLAIMED, State.ACTIVE)


class CodeNotFree(FichaError):
    """Unknown and already claimed look the same."""

    status = 404
    code = "codigo_no_disponible"
    message = "Ese código no existe o ya pertenece a una ficha. Revise lo impreso en la etiqueta."
    source = Source("pointer", "/product_code")


def issue_code(session: Session, now: datetime, *, record_id: int | None = None) -> Product:
    """A code nobody ever had: printed when it belongs to no record yet, claimed when it does."""
    while True:
        product = Product(
            code=random_code(),
            state=State.PRINTED if record_id is None else State.CLAIMED,
            record_id=record_id,
            issued_at=now,
            claimed_at=None if record_id is None else now,
        )
        try:
            with session.begin_nested():
                session.add(product)
                session.flush()
            return product
        except IntegrityError:
            continue


def issue_codes(session: Session, now: datetime, count: int) -> Iterator[Product]:
    for _ in range(count):
        yield issue_code(session, now)


def claim_code(session: Session, code: str, record_id: int, now: datetime) -> None:
    """One statement decides, so of fifty at once exactly one wins."""
    claimed = session.execute(
        update(Product)
        .where(Product.code == code.upper(), Product.state == State.PRINTED)
        .values(state=State.CLAIMED, record_id=record_id, claimed_at=now)
        .returning(Product.code)
    ).one_or_none()
    if claimed is None:
        raise CodeNotFree


def retire_codes(session: Session, record_id: int) -> None:
    session.execute(update(Product).where(Product.record_id == record_id).values(state=State.RETIRED))


def live_codes(session: Session, record_ids: list[int]) -> list[Product]:
    return list(
        session.scalars(
            select(Product)
            .where(Product.record_id.in_(record_ids), Product.state.in_(LIVE))
            .order_by(Product.claimed_at, Product.code)
        )
    )
