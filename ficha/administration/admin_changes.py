"""The log of what administrators changed: who, when, what, before and after. Never medical data, never a secret."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit.log import Actor
from ficha.core.db import Base, BigId, Json, Utc
from ficha.core.transaction import Transaction

# An operator at the command line: whoever can run it has the database anyway.
OPERATOR = Actor("operator")


class AdminChange(Base):
    """No foreign keys: the log outlives what it speaks of."""

    __tablename__ = "admin_changes"
    __table_args__ = (Index("ix_admin_changes_kind_target", "kind", "target"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    actor: Mapped[str] = mapped_column(String(60))
    # What was changed: service, navigation_button, project, institution, institution_token, institution_role, role,
    # sign, advice…
    kind: Mapped[str] = mapped_column(String(40))
    target: Mapped[str] = mapped_column(String(120))
    action: Mapped[str] = mapped_column(String(20))
    before: Mapped[dict[str, Any]] = mapped_column(Json)
    after: Mapped[dict[str, Any]] = mapped_column(Json)


def note_change(
    tx: Transaction,
    actor: Actor,
    kind: str,
    target: str | int,
    action: str,
    now: datetime,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """In the transaction of the change itself: neither is there without the other."""
    tx.orm.add(
        AdminChange(
            at=now,
            actor=str(actor),
            kind=kind,
            target=str(target),
            action=action,
            before=dict(before or {}),
            after=dict(after or {}),
        )
    )


def admin_changes(
    tx: Transaction, *, before_id: int, limit: int, kind: str | None = None, target: str | None = None
) -> list[AdminChange]:
    """A page of the log, newest first, below the id `before_id`; all of it, or of one kind, or of one thing."""
    query = select(AdminChange).where(AdminChange.id < before_id)
    if kind is not None:
        query = query.where(AdminChange.kind == kind)
    if target is not None:
        query = query.where(AdminChange.target == target)
    return list(tx.orm.scalars(query.order_by(AdminChange.id.desc()).limit(limit)))
