"""The prepared statements of Health Links: finding one by its secret, opening it, and noting who did."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, and_, bindparam, case, exists, insert, or_, select, update

from ficha.accounts.caller_selects import NOW
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.exchange.health_links.links import HealthLink
from ficha.exchange.health_links.openings import HealthLinkOpening
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import RECORD_COLUMNS, Record, RecordRow


class LinkRow(NamedTuple):
    """What opening needs of a link."""

    link_id: int
    secret_hash: bytes
    sealed_key: bytes
    has_passcode: bool
    attempts_left: int
    once: bool
    long_term: bool
    direct: bool
    openings: int


class CountedTry(NamedTuple):
    attempts_left: int
    is_right: bool


_LINK_COLUMNS = [HealthLink.id.label("link_id"), *(getattr(HealthLink, name) for name in LinkRow._fields[1:])]
# Who gave it is still the owner, or still her guardian by the same grant.
_MAY_BE_GIVEN = or_(
    and_(HealthLink.given_by.is_(None), HealthLink.created_by == Record.account_id),
    exists().where(Grant.id == HealthLink.given_by, Grant.kind == GrantKind.GUARDIAN, grant_is_live(NOW)),
)
_found = (
    select(*_LINK_COLUMNS, *RECORD_COLUMNS)
    .join(Record, Record.id == HealthLink.record_id)
    .where(
        HealthLink.ended_at.is_(None),
        HealthLink.ends_at > NOW,
        HealthLink.attempts_left > 0,
        Record.erased_at.is_(None),
        _MAY_BE_GIVEN,
    )
)
_LINK_BY_SECRET = Prepared(_found.where(HealthLink.secret_hash == bindparam("secret_hash")))
_LINK_BY_ID = Prepared(_found.where(HealthLink.id == bindparam("link_id")))

# One statement both counts and decides, so that of any number of tries at once each is counted before another one is
# looked at, and one that may be opened once is opened once.
_links: Any = HealthLink.__table__
_given = bindparam("tried", type_=LargeBinary(32))
_is_right = _links.c.passcode_hash == _given
_TRY_TO_OPEN = Prepared(
    update(_links)
    .where(
        _links.c.id == bindparam("link_id"),
        _links.c.ended_at.is_(None),
        _links.c.attempts_left > 0,
        or_(_links.c.once.is_(False), _links.c.openings == 0),
    )
    .values(
        attempts_left=_links.c.attempts_left - case((_is_right, 0), else_=1),
        openings=_links.c.openings + case((_is_right, 1), else_=0),
        opened_at=case((_is_right, NOW), else_=_links.c.opened_at),
    )
    .returning(_links.c.attempts_left, case((_is_right, 1), else_=0).label("is_right")),
    row=CountedTry,
)
_INSERT_OPENING = Prepared(insert(HealthLinkOpening), ("link_id", "at", "sealed_recipient"))


def link_by_secret(tx: Transaction, secret_hash: bytes, now: datetime) -> tuple[LinkRow, RecordRow] | None:
    """The link and its record, if it may be opened by whoever knows this secret."""
    return _link_and_record(tx.first(_LINK_BY_SECRET, secret_hash=secret_hash, now=now))


def link_by_id(tx: Transaction, link_id: int, now: datetime) -> tuple[LinkRow, RecordRow] | None:
    """The same, for one that was opened and that is asked for a file of it."""
    return _link_and_record(tx.first(_LINK_BY_ID, link_id=link_id, now=now))


def _link_and_record(row: Any) -> tuple[LinkRow, RecordRow] | None:
    count = len(LinkRow._fields)
    return None if row is None else (LinkRow(*row[:count]), RecordRow(*row[count:]))


def try_to_open(tx: Transaction, link_id: int, tried: bytes, now: datetime) -> CountedTry | None:
    """Counts an opening or a wrong passcode; None if it opens no more."""
    counted: CountedTry | None = tx.first(_TRY_TO_OPEN, link_id=link_id, tried=tried, now=now)
    return counted


def insert_opening(tx: Transaction, link_id: int, at: datetime, sealed_recipient: bytes) -> None:
    tx.run(_INSERT_OPENING, link_id=link_id, at=at, sealed_recipient=sealed_recipient)
