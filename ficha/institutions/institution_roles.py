"""The people who work at an institution, and as what. A role there opens nothing of any other institution."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.db import Base, Utc
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.institutions.institution import Institution, InstitutionFacts

KIND = "institution_role"


class PlaceRole(StrEnum):
    """What somebody is within one institution; `Role` is what an account is in the whole service."""

    ADMIN = "admin"  # Gives and takes these roles, and its tokens.
    STAFF = "staff"  # Enrols people and sees the list: no medical data.
    MEDICAL = "medical"  # Also opens the records whose owners let the institution see them.


class InstitutionRole(Base):
    __tablename__ = "institution_roles"

    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id, ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(10))
    granted_at: Mapped[datetime] = mapped_column(Utc)


def give_place(
    tx: Transaction, institution: InstitutionFacts, account_id: int, role: PlaceRole, actor: Actor, now: datetime
) -> None:
    """In the place of the role that the person had there. The same again changes nothing. Raises NotFound if there is
    no such account."""
    if tx.orm.get(Account, account_id) is None:
        raise NotFound
    found = tx.orm.get(InstitutionRole, (institution.id, account_id), with_for_update=True)
    before = None if found is None else found.role
    if before == role:
        return
    if found is None:
        found = InstitutionRole(institution_id=institution.id, account_id=account_id, granted_at=now)
        tx.orm.add(found)
    found.role, found.granted_at = role, now
    tx.orm.flush()
    _note(tx, institution, account_id, "granted", actor, now, before, role)


def take_place(tx: Transaction, institution: InstitutionFacts, account_id: int, actor: Actor, now: datetime) -> None:
    """Raises NotFound if the person has no role there."""
    found = tx.orm.get(InstitutionRole, (institution.id, account_id), with_for_update=True)
    if found is None:
        raise NotFound
    before = found.role
    tx.orm.delete(found)
    tx.orm.flush()
    _note(tx, institution, account_id, "withdrawn", actor, now, before, None)


def people_of(tx: Transaction, institution_id: int) -> Sequence[tuple[Account, InstitutionRole]]:
    rows = tx.orm.execute(
        select(Account, InstitutionRole)
        .join(InstitutionRole, InstitutionRole.account_id == Account.id)
        .where(InstitutionRole.institution_id == institution_id)
        .order_by(Account.id)
    )
    return [(account, role) for account, role in rows]


def places_of(tx: Transaction, account_id: int) -> Sequence[tuple[Institution, PlaceRole]]:
    """The open institutions where this account has a role."""
    rows = tx.orm.execute(
        select(Institution, InstitutionRole.role)
        .join(InstitutionRole, InstitutionRole.institution_id == Institution.id)
        .where(InstitutionRole.account_id == account_id, Institution.is_active)
        .order_by(Institution.id)
    )
    return [(institution, PlaceRole(role)) for institution, role in rows]


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
