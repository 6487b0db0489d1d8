"""Institutions: who enrols people. Each has one service account, whose tokens are its key to the API."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Caller
from ficha.administration.resources import has_letters
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction


class Institution(Base):
    __tablename__ = "institutions"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # In the address of its operation: /v1/{slug}/user.
    slug: Mapped[str] = mapped_column(String(60), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    # Its service account: what people consent to is a grant to this account.
    account_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="SET NULL"), unique=True)
    is_active: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(Utc)


class InstitutionFacts(NamedTuple):
    """An institution as plain values, which the ORM does not follow."""

    id: int
    slug: str
    name: str
    account_id: int | None
    is_active: bool


class InstitutionUnknown(FichaError):
    """There is none of that name, it is closed, or it is another's than the caller's: one answer."""

    status = 404
    code = "institucion_desconocida"
    message = "No hay una institución con ese nombre, o usted no actúa por ella."


_FACTS = select(*(Institution.__table__.c[name] for name in InstitutionFacts._fields))


def institution_with(tx: Transaction, slug: str) -> InstitutionFacts:
    """Open or closed, for operators and administrators. Raises InstitutionUnknown."""
    row = tx.orm.execute(_FACTS.where(Institution.slug == slug)).one_or_none()
    if row is None:
        raise InstitutionUnknown
    return InstitutionFacts._make(row)


def institution_of(tx: Transaction, caller: Caller, slug: str) -> InstitutionFacts:
    """The open institution of that name, whose service account the caller is. Raises InstitutionUnknown."""
    if not caller.acts_for_institution:
        raise InstitutionUnknown
    is_own = (Institution.slug == slug, Institution.account_id == caller.account_id, Institution.is_active)
    row = tx.orm.execute(_FACTS.where(*is_own)).one_or_none()
    if row is None:
        raise InstitutionUnknown
    return InstitutionFacts._make(row)


def institutions(tx: Transaction, *, after: int = 0, limit: int, search: str = "") -> Sequence[Institution]:
    """All of them, for administrators, by number above `after`; with `search`, those with these letters."""
    query = select(Institution).where(Institution.id > after).order_by(Institution.id).limit(limit)
    if search:
        query = query.where(has_letters(search, Institution.name, Institution.slug))
    return tx.orm.scalars(query).all()


def institution_values(row: Institution) -> dict[str, Any]:
    """What the log of changes tells of it."""
    return {"slug": row.slug, "name": row.name, "is_active": row.is_active}
