"""Who else may open a record: guardians, delegates with an end date, and the institution that enrolled the person."""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    and_,
    bindparam,
    cast,
    delete,
    func,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.accounts.caller_selects import NOW
from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record, records_of


class GrantKind(StrEnum):
    GUARDIAN = "guardian"
    DELEGATE = "delegate"
    INSTITUTION = "institution"


# The kind of an invitation that hands the record over: it never lets anybody in, so it is no GrantKind.
HANDOVER = "owner"


class GrantState(StrEnum):
    """`waiting`: somebody accepted that the record is handed over to her, and its owner has not confirmed it. `held`:
    somebody could open the record before it was handed over, and its new owner has not said yet whether she stays."""

    INVITED = "invited"
    WAITING = "waiting"
    ACCEPTED = "accepted"
    HELD = "held"


# Nobody accepted it, its owner did not confirm who accepted it, or its new owner kept nobody within this: it is over.
ACCEPTED_WITHIN = CONFIRMED_WITHIN = timedelta(days=14)
KEPT_WITHIN = timedelta(days=30)


# The end of what lasts until somebody ends it. Its giver is reminded of it each year.
UNTIL_ENDED = datetime(9000, 1, 1, tzinfo=UTC)
REMINDED_EVERY = timedelta(days=365)


def end_of(ends_at: datetime | None) -> datetime | None:
    """None for what lasts until it is ended."""
    return None if ends_at is None or ends_at >= UNTIL_ENDED else ends_at


class Grant(Base):
    """Without an account it is an invitation that nobody has accepted yet, and opens nothing."""

    __tablename__ = "grants"
    __table_args__ = (Index("ix_grants_record_account", "record_id", "account_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id))
    account_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    kind: Mapped[str] = mapped_column(String(12))
    edits: Mapped[bool]
    granted_at: Mapped[datetime] = mapped_column(Utc)
    # Withdrawing moves the end to now: an ended grant and a withdrawn one are the same thing.
    ends_at: Mapped[datetime] = mapped_column(Utc)
    # The grant of the guardian who gave it; none where the owner did. It ends with that one, and never later.
    given_by: Mapped[int | None] = mapped_column(ForeignKey("grants.id", ondelete="CASCADE"), index=True)
    # Of an invitation: the correo or the number that is invited, sealed with the record's key, and the hash of what the
    # link holds.
    sealed_address: Mapped[bytes | None] = mapped_column("sealed_correo", LargeBinary)
    token_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32), unique=True)
    # Of an invitation: the account that gave it, which counts only while that may give it.
    offered_by: Mapped[int | None] = mapped_column(BigId)
    # Of a hand-over: the account that accepted it, and when. It opens nothing before the owner has confirmed it.
    taken_by: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    taken_at: Mapped[datetime | None] = mapped_column(Utc)
    # Of one that a hand-over ended: when it will end if the new owner keeps it.
    held_until: Mapped[datetime | None] = mapped_column(Utc)
    # Of an invitation: when its mail or message could not be delivered.
    undelivered_at: Mapped[datetime | None] = mapped_column(Utc)
    # Of one that lasts until it is ended: when the owner was last reminded of it.
    reminded_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def end(self) -> datetime | None:
        """When it ends, or will end if it is kept; None if it lasts until it is ended."""
        return end_of(self.held_until or self.ends_at)

    @property
    def state(self) -> GrantState:
        if self.held_until is not None:
            return GrantState.HELD
        if self.account_id is not None:
            return GrantState.ACCEPTED
        return GrantState.INVITED if self.taken_by is None else GrantState.WAITING


Moment = datetime | ColumnElement[datetime]


def grant_is_live(now: Moment) -> ColumnElement[bool]:
    return Grant.ends_at > now


def can_be_accepted(now: datetime) -> ColumnElement[bool]:
    """An invitation that nobody has accepted and that is not over."""
    is_new = and_(Grant.taken_by.is_(None), Grant.granted_at > now - ACCEPTED_WITHIN)
    return and_(Grant.account_id.is_(None), is_new, grant_is_live(now))


def can_be_confirmed(now: datetime) -> ColumnElement[bool]:
    """A hand-over that somebody accepted, and that waits for the owner."""
    return waits_since(now - CONFIRMED_WITHIN, now)


def can_be_kept(now: datetime) -> ColumnElement[bool]:
    """One that a hand-over ended, and of which the new owner has not decided."""
    return held_since(now - KEPT_WITHIN, now)


def waits_since(then: Moment, now: Moment) -> ColumnElement[bool]:
    return and_(Grant.account_id.is_(None), Grant.taken_at > then, grant_is_live(now))


def held_since(then: Moment, now: Moment) -> ColumnElement[bool]:
    return and_(Grant.held_until > now, Grant.ends_at > then)


def live_grant_of(tx: Transaction, record_id: int, account_id: int, now: datetime) -> Grant | None:
    query = select(Grant).where(Grant.record_id == record_id, Grant.account_id == account_id, grant_is_live(now))
    return tx.orm.scalars(query.limit(1)).one_or_none()


def live_grants(tx: Transaction, record_id: int, now: datetime) -> list[tuple[Grant, Account | None]]:
    """Who may open the record, and pending invitations: with the account of each, which an invitation has only once
    somebody has accepted a hand-over."""
    return _with_accounts(
        tx,
        Grant.record_id == record_id,
        or_(and_(Grant.account_id.is_not(None), grant_is_live(now)), can_be_accepted(now), can_be_confirmed(now)),
    )


def held_grants(tx: Transaction, record_id: int, now: datetime) -> list[tuple[Grant, Account | None]]:
    """Who could open the record before it was handed over, for its new owner to decide."""
    return _with_accounts(tx, Grant.record_id == record_id, can_be_kept(now))


def _with_accounts(tx: Transaction, *which: ColumnElement[bool]) -> list[tuple[Grant, Account | None]]:
    whose = func.coalesce(Grant.account_id, Grant.taken_by)
    rows = tx.orm.execute(
        select(Grant, Account).outerjoin(Account, Account.id == whose).where(*which).order_by(Grant.id)
    )
    return [(grant, account) for grant, account in rows]


def to_be_reminded(tx: Transaction, now: datetime) -> dict[int, list[int]]:
    """By record: the grants of people that last until they are ended, of which nobody was reminded for a year."""
    since = func.coalesce(Grant.reminded_at, Grant.granted_at)
    lasting = and_(Grant.account_id.is_not(None), Grant.ends_at >= UNTIL_ENDED, Grant.kind != GrantKind.INSTITUTION)
    found: dict[int, list[int]] = {}
    query = select(Grant.record_id, Grant.id).where(lasting, since <= now - REMINDED_EVERY).order_by(Grant.id)
    for record_id, grant_id in tx.orm.execute(query):
        found.setdefault(record_id, []).append(grant_id)
    return found


class OwnedRecord(Protocol):
    """What of a record says whom it belongs to."""

    @property
    def id(self) -> int: ...
    @property
    def account_id(self) -> int | None: ...


GUARDIANS = select(Grant.account_id).where(
    Grant.kind == GrantKind.GUARDIAN, Grant.account_id.is_not(None), grant_is_live(NOW)
)
# The accounts that are told what happens to a record, which may have no owner.
_owner_id = cast(bindparam("owner_id", type_=BigId), BigId)
OWNER_AND_GUARDIANS: CompoundSelect[tuple[int]] = union_all(
    select(_owner_id.label("account_id")).where(_owner_id.is_not(None)),
    GUARDIANS.where(Grant.record_id == bindparam("record_id"), Grant.account_id.is_distinct_from(_owner_id)),
)


def may_manage(tx: Transaction, record: Record, account_id: int, now: datetime) -> bool:
    """The owner, or a guardian who stands in for her."""
    if record.account_id == account_id:
        return True
    grant = live_grant_of(tx, record.id, account_id, now)
    return grant is not None and grant.kind == GrantKind.GUARDIAN


def managed_records(tx: Transaction, account_id: int, now: datetime) -> list[Record]:
    """Those of which `may_manage` is true, the account's own first, the oldest first."""
    guarded = select(Grant.record_id).where(
        Grant.account_id == account_id, Grant.kind == GrantKind.GUARDIAN, grant_is_live(now)
    )
    theirs = select(Record).where(Record.id.in_(guarded), Record.erased_at.is_(None)).order_by(Record.created_at)
    return [*records_of(tx, account_id), *tx.orm.scalars(theirs)]


def live_grants_of_people(tx: Transaction, record_id: int, now: datetime) -> set[int]:
    """The ids of those that an account has, institutions apart."""
    is_persons = and_(Grant.account_id.is_not(None), Grant.kind != GrantKind.INSTITUTION)
    return set(tx.orm.scalars(select(Grant.id).where(Grant.record_id == record_id, is_persons, grant_is_live(now))))


def end_grants(tx: Transaction, record_id: int, now: datetime, *which: ColumnElement[bool]) -> bool:
    """Ends these grants of the record, and with them all that was given onward by them. False if none was live."""
    ended = tx.orm.scalars(
        update(Grant)
        .where(Grant.record_id == record_id, grant_is_live(now), *which)
        .values(ends_at=now)
        .returning(Grant.id)
    ).all()
    if ended:
        end_grants(tx, record_id, now, Grant.given_by.in_(ended))
    return bool(ended)


def erase_grants(tx: Transaction, record_id: int) -> None:
    """Of an erased record, with the correos and numbers of its invitations."""
    tx.orm.execute(delete(Grant).where(Grant.record_id == record_id))
