"""Who else may open a record: guardians, delegates with an end date, and the institution that enrolled the person."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, ForeignKey, Index, String, bindparam, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.accounts.accounts import Account, account_with
from ficha.accounts.tokens import NOW
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.prepared import Prepared
from ficha.fmd.records import AnyRecord, Record


class GrantKind(StrEnum):
    GUARDIAN = "guardian"
    DELEGATE = "delegate"
    INSTITUTION = "institution"


class Grant(Base):
    __tablename__ = "grants"
    __table_args__ = (Index("ix_grants_record_account", "record_id", "account_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id))
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(12))
    edits: Mapped[bool]
    granted_at: Mapped[datetime] = mapped_column(Utc)
    # Withdrawing moves the end to now: an ended grant and a withdrawn one are the same thing.
    ends_at: Mapped[datetime] = mapped_column(Utc)


def grant_is_live(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    return Grant.ends_at > now


class NobodyThere(FichaError):
    status = 422
    code = "cuenta_desconocida"
    message = "No hay una cuenta con ese correo. La persona debe registrarse primero."
    source = Source("pointer", "/correo")


class OwnGrant(FichaError):
    status = 422
    code = "ya_tiene_acceso"
    message = "Esa cuenta ya es la dueña de la ficha."
    source = Source("pointer", "/correo")


def grant_access(
    session: Session, record: AnyRecord, correo: str, kind: GrantKind, now: datetime, *, ends_at: datetime, edits: bool
) -> tuple[Grant, Account]:
    """A new grant replaces the one the same person had."""
    account = account_with(session, correo)
    if account is None:
        raise NobodyThere
    if account.id == record.account_id:
        raise OwnGrant
    _end(session, record.id, now, Grant.account_id == account.id)
    grant = Grant(record_id=record.id, account_id=account.id, kind=kind, edits=edits, granted_at=now, ends_at=ends_at)
    session.add(grant)
    session.flush()
    return grant, account


def withdraw_access(session: Session, record_id: int, grant_id: int, now: datetime) -> None:
    if not _end(session, record_id, now, Grant.id == grant_id):
        raise NotFound


def live_grants(session: Session, record_id: int, now: datetime) -> list[tuple[Grant, Account]]:
    rows = session.execute(
        select(Grant, Account)
        .join(Account, Account.id == Grant.account_id)
        .where(Grant.record_id == record_id, grant_is_live(now))
        .order_by(Grant.id)
    )
    return [(grant, account) for grant, account in rows]


_GUARDIANS = Prepared(
    select(Grant.account_id).where(
        Grant.record_id == bindparam("record_id"),
        Grant.kind == GrantKind.GUARDIAN,
        grant_is_live(NOW),
    )
)


def owner_and_guardians(session: Session, record: AnyRecord, now: datetime) -> list[int]:
    """The accounts that are told what happens to this record."""
    guardians = [row[0] for row in _GUARDIANS.all(session, record_id=record.id, now=now)]
    return [*([record.account_id] if record.account_id else []), *guardians]


def may_manage(session: Session, record: Record, account_id: int, now: datetime) -> bool:
    """The owner, or a guardian who stands in for her."""
    if record.account_id == account_id:
        return True
    guardian = select(Grant.id).where(
        Grant.record_id == record.id,
        Grant.account_id == account_id,
        Grant.kind == GrantKind.GUARDIAN,
        grant_is_live(now),
    )
    return session.scalar(guardian.limit(1)) is not None


def _end(session: Session, record_id: int, now: datetime, *which: object) -> bool:
    ended = session.scalars(
        update(Grant)
        .where(Grant.record_id == record_id, grant_is_live(now), *which)  # type: ignore[arg-type]
        .values(ends_at=now)
        .returning(Grant.id)
    ).all()
    return bool(ended)
