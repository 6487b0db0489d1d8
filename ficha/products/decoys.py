"""Codes that were never given to anybody, and who tries one; and who types the codes of several people."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address, ip_network

from sqlalchemy import ForeignKey, LargeBinary, String, bindparam, delete, func, or_, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc, insert_new
from ficha.core.ids import CODE_LENGTH
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.events.events import publish
from ficha.products.codes import issue_code
from ficha.products.product import Product, ProductState

# The second person whose code is typed at one address within a day is told to staff: a third is not waited for.
MOST_PEOPLE = 2
REMEMBERED = timedelta(days=1)


class Guessing(StrEnum):
    """What gave somebody away who guesses codes. The values are kinds of events, and of log lines."""

    DECOY = "codes.decoy_touched"
    PEOPLE = "codes.typed_by_one_address"


class Decoy(Base):
    """Printed nowhere, so whoever shows it was guessing. A product of its own keeps it from being issued.

    `touched_at` is when it last alarmed.
    """

    __tablename__ = "decoy_codes"

    code: Mapped[str] = mapped_column(String(CODE_LENGTH), ForeignKey(Product.code), primary_key=True)
    made_at: Mapped[datetime] = mapped_column(Utc)
    touched_at: Mapped[datetime | None] = mapped_column(Utc)
    touches: Mapped[int]


class TypedHit(Base):
    """A live code typed at an address. The address is hashed: it is only ever compared."""

    __tablename__ = "typed_hits"

    address: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    code: Mapped[str] = mapped_column(String(CODE_LENGTH), primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc, index=True)


_TOUCH = (
    update(Decoy.__table__)  # type: ignore[arg-type]
    .where(Decoy.__table__.c.code == bindparam("typed"))
    .values(touches=Decoy.__table__.c.touches + 1)
    .returning(Decoy.__table__.c.touches)
)


def make_decoys(session: Session, now: datetime, count: int) -> Iterator[str]:
    """Several for each live code are best: then a guesser meets one of these before the second person."""
    for _ in range(count):
        code = issue_code(session, now).code
        session.execute(
            update(Product).where(Product.code == code).values(state=ProductState.RETIRED, tag_hash=None, ended_at=now)
        )
        session.add(Decoy(code=code, made_at=now, touches=0))
        yield code


def is_decoy(session: Session, code: str) -> bool:
    return session.scalar(select(Decoy.code).where(Decoy.code == code.upper())) is not None


def watch_typed_code(
    session: Session, secrets: Secrets, code: str, now: datetime, *, origin: str, is_live: bool
) -> Guessing | None:
    """Somebody typed this code. The alarm that was raised for it, if one was."""
    if is_live:
        return note_typed(session, secrets, code, now, origin=origin)
    return touch_decoy(session, code, now, origin=origin)


def touch_decoy(session: Session, code: str, now: datetime, *, origin: str) -> Guessing | None:
    """The first touch alarms, and the first a day after it last did. The caller gets what any unknown code gets."""
    code = code.upper()
    # Every code that opens nothing passes here: on the bare table, for the ORM's own way takes several times as long.
    touched = session.connection().execute(_TOUCH, {"typed": code}).one_or_none()
    if touched is None:
        return None
    is_over = or_(Decoy.touched_at.is_(None), Decoy.touched_at <= now - REMEMBERED)
    is_news = session.scalar(
        update(Decoy).where(Decoy.code == code, is_over).values(touched_at=now).returning(Decoy.code)
    )
    return _alarm(session, Guessing.DECOY, origin, now) if is_news else None


def note_typed(session: Session, secrets: Secrets, code: str, now: datetime, *, origin: str) -> Guessing | None:
    """A live code was typed: the second person's within a day alarms."""
    address = secrets.keyed_hash("typed-address", address_group(origin))
    _take_turn(session, address)
    session.execute(delete(TypedHit).where(TypedHit.address == address, TypedHit.at <= now - REMEMBERED))
    before = _people(session, address)
    insert_new(session, TypedHit, [{"address": address, "code": code.upper(), "at": now}], TypedHit.code)
    if before < MOST_PEOPLE <= _people(session, address):
        return _alarm(session, Guessing.PEOPLE, origin, now)
    return None


def prune_typed(session: Session, now: datetime) -> None:
    session.execute(delete(TypedHit).where(TypedHit.at <= now - REMEMBERED))


def _people(session: Session, address: bytes) -> int:
    """How many people's codes were typed there. Somebody may have several."""
    found = session.scalar(
        select(func.count(func.distinct(Product.record_id)))
        .join(TypedHit, TypedHit.code == Product.code)
        .where(TypedHit.address == address)
    )
    return found or 0


def _take_turn(session: Session, address: bytes) -> None:
    """One after another: two at once from one address would each see only themselves, and neither alarm."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(int.from_bytes(address[:8], signed=True))))


def _alarm(session: Session, kind: Guessing, origin: str, now: datetime) -> Guessing:
    """From where is in the log, which operators read; an event holds no more than when."""
    log().error(kind.value, origin=origin[:60])
    publish(session, kind.value, {"at": now.isoformat()}, now, staff=True)
    return kind


def address_group(origin: str) -> str:
    """One IPv6 household has more addresses than there are codes: they count as one."""
    try:
        address = ip_address(origin)
    except ValueError:
        return origin
    return str(address) if address.version == 4 else str(ip_network(f"{address}/64", strict=False))
