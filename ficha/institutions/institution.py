"""Institutions: who enrols people. Each has one service account, whose tokens are its key to the API, and people who
work there; a role there opens nothing of any other institution."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ColumnExpressionArgument, ForeignKey, String, bindparam, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Caller
from ficha.administration.admin_changes import note_change
from ficha.administration.resources import has_letters
from ficha.audit.log import Actor
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.prepared import Prepared
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


def facts_of(row: Institution) -> InstitutionFacts:
    return InstitutionFacts(row.id, row.slug, row.name, row.account_id, row.is_active)


class InstitutionUnknown(FichaError):
    """There is none of that name, it is closed, or it is another's than the caller's: one answer."""

    status = 404
    code = "institucion_desconocida"
    message = "No hay una institución con ese nombre, o usted no actúa por ella."


_FACTS = select(*(Institution.__table__.c[name] for name in InstitutionFacts._fields))


def institution_with(tx: Transaction, slug: str) -> InstitutionFacts:
    """Open or closed, for operators and administrators. Raises InstitutionUnknown."""
    return _found(tx, Institution.slug == slug)


def institution_of(tx: Transaction, caller: Caller, slug: str) -> InstitutionFacts:
    """The open institution of that name, whose service account the caller is. Raises InstitutionUnknown."""
    if not caller.acts_for_institution:
        raise InstitutionUnknown
    return _found(tx, Institution.slug == slug, Institution.account_id == caller.account_id, Institution.is_active)


def _found(tx: Transaction, *which: ColumnExpressionArgument[bool]) -> InstitutionFacts:
    row = tx.orm.execute(_FACTS.where(*which)).one_or_none()
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


KIND = "institution_role"


class InstitutionRole(StrEnum):
    """What somebody is within one institution; `Role` is what an account is in the whole service."""

    ADMIN = "admin"  # Gives and takes these roles, and its tokens.
    STAFF = "staff"  # Enrols people and sees the list: no medical data.
    MEDICAL = "medical"  # Also opens the records whose owners let the institution see them.


class InstitutionWorker(Base):
    __tablename__ = "institution_roles"

    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id, ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(10))
    granted_at: Mapped[datetime] = mapped_column(Utc)


def give_institution_role(
    tx: Transaction, institution: InstitutionFacts, account_id: int, role: InstitutionRole, actor: Actor, now: datetime
) -> None:
    """Instead of the role that the person had there. The same again changes nothing. Raises NotFound if there is
    no such account."""
    if tx.orm.get(Account, account_id) is None:
        raise NotFound
    found = tx.orm.get(InstitutionWorker, (institution.id, account_id), with_for_update=True)
    before = None if found is None else found.role
    if before == role:
        return
    if found is None:
        found = InstitutionWorker(institution_id=institution.id, account_id=account_id, granted_at=now)
        tx.orm.add(found)
    found.role, found.granted_at = role, now
    tx.orm.flush()
    _note(tx, institution, account_id, "granted", actor, now, before, role)


def take_institution_role(
    tx: Transaction, institution: InstitutionFacts, account_id: int, actor: Actor, now: datetime
) -> None:
    """Raises NotFound if the person has no role there."""
    found = tx.orm.get(InstitutionWorker, (institution.id, account_id), with_for_update=True)
    if found is None:
        raise NotFound
    before = found.role
    tx.orm.delete(found)
    tx.orm.flush()
    _note(tx, institution, account_id, "withdrawn", actor, now, before, None)


def people_of(tx: Transaction, institution_id: int) -> Sequence[tuple[Account, InstitutionWorker]]:
    rows = tx.orm.execute(
        select(Account, InstitutionWorker)
        .join(InstitutionWorker, InstitutionWorker.account_id == Account.id)
        .where(InstitutionWorker.institution_id == institution_id)
        .order_by(Account.id)
    )
    return [(account, role) for account, role in rows]


# Every page of a family asks it.
_WITH_ROLE = Prepared(
    _FACTS.add_columns(InstitutionWorker.__table__.c.role)
    .join(InstitutionWorker, InstitutionWorker.institution_id == Institution.id)
    .where(InstitutionWorker.account_id == bindparam("account"), Institution.is_active)
    .order_by(Institution.id)
)


def institutions_with_role(tx: Transaction, account_id: int) -> Sequence[tuple[InstitutionFacts, InstitutionRole]]:
    """The open institutions where this account has a role."""
    rows = tx.all(_WITH_ROLE, account=account_id)
    return [(InstitutionFacts._make(facts), InstitutionRole(role)) for *facts, role in rows]


def institution_with_role(tx: Transaction, account_id: int, slug: str) -> tuple[InstitutionFacts, InstitutionRole]:
    """The open institution of that name, where the account has a role. Raises InstitutionUnknown."""
    for institution, role in institutions_with_role(tx, account_id):
        if institution.slug == slug:
            return institution, role
    raise InstitutionUnknown


def _note(
    tx: Transaction,
    institution: InstitutionFacts,
    account_id: int,
    action: str,
    actor: Actor,
    now: datetime,
    before: str | None,
    after: str | None,
) -> None:
    target = f"{institution.slug}/account:{account_id}"
    note_change(tx, actor, KIND, target, action, now, before={"role": before}, after={"role": after})
