"""Codes that were never given to anybody, and who tries one; and who types the codes of several people."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from sqlalchemy import ForeignKey, LargeBinary, String, delete, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc, insert_new
from ficha.core.ids import CODE_LENGTH
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.events.events import publish
from ficha.fmd.codes import Product, State
from ficha.products.codes import issue_code

# The second person whose code is typed at one address within a day is told to staff: a third is not waited for.
MOST_PEOPLE = 2
REMEMBERED = timedelta(days=1)


class Decoy(Base):
    """Printed nowhere, so whoever shows it was guessing. A product of its own keeps it from being issued."""

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


def make_decoys(session: Session, now: datetime, count: int) -> Iterator[str]:
    """Several for each live code are best: then a guesser meets one of these before the second person."""
    for _ in range(count):
        code = issue_code(session, now).code
        session.execute(
            update(Product).where(Product.code == code).values(state=State.RETIRED, tag_hash=None, ended_at=now)
        )
        session.add(Decoy(code=code, made_at=now, touches=0))
        yield code


def is_decoy(session: Session, code: str) -> bool:
    return session.scalar(select(Decoy.code).where(Decoy.code == code.upper())) is not None


def touch_decoy(session: Session, code: str, now: datetime, *, origin: str) -> bool:
    """Whether it is one. The first touch alarms; the answer to the caller is that of any unknown code."""
    touches = session.scalar(
        update(Decoy)
        .where(Decoy.code == code.upper())
        .values(touches=Decoy.touches + 1, touched_at=func.coalesce(Decoy.touched_at, now))
        .returning(Decoy.touches)
    )
    if touches is None:
        return False
    if touches == 1:
        _alarm(session, "codes.decoy_touched", origin, now)
    return True


def note_typed(session: Session, secrets: Secrets, code: str, now: datetime, *, origin: str) -> int:
    """A live code was typed. How many people's codes this address has typed within a day."""
    address = secrets.keyed_hash("typed-address", _household(origin))
    session.execute(delete(TypedHit).where(TypedHit.address == address, TypedHit.at <= now - REMEMBERED))
    hit = {"address": address, "code": code.upper(), "at": now}
    is_new = bool(insert_new(session, TypedHit, [hit], TypedHit.code))
    people = session.scalar(
        select(func.count(func.distinct(Product.record_id)))
        .join(TypedHit, TypedHit.code == Product.code)
        .where(TypedHit.address == address)
    )
    if is_new and people == MOST_PEOPLE:
        _alarm(session, "codes.typed_by_one_address", origin, now)
    return people or 0


def prune_typed(session: Session, now: datetime) -> None:
    session.execute(delete(TypedHit).where(TypedHit.at <= now - REMEMBERED))


def _alarm(session: Session, kind: str, origin: str, now: datetime) -> None:
    log().error(kind, origin=origin)
    publish(session, kind, {"origin": origin[:60], "at": now.isoformat()}, now, staff=True)


def _household(origin: str) -> str:
    """One IPv6 household has more addresses than there are codes: they count as one."""
    try:
        address = ip_address(origin)
    except ValueError:
        return origin
    return str(address) if address.version == 4 else str(ip_network(f"{address}/64", strict=False))
