"""Break-glass: a responder who gives a name and a reason sees more for an hour, and the owner is notified."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit import log as audit
from ficha.core.crypto import Keyring, Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.ids import random_text, secret_hash
from ficha.core.plain_names import without_links
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, ScannedFmd
from ficha.fmd.base import Door
from ficha.fmd.records import RECORD_COLUMNS, Record, RecordRow
from ficha.fmd.statements import lock_record_row
from ficha.products.product import IS_LIVE, Product
from ficha.products.scans import scanned

DURATION = timedelta(minutes=60)
SECRET_LENGTH = 43


class BreakGlass(Base):
    """Name and reason are encrypted with the record's key: they may tell what happened to the person."""

    __tablename__ = "broken_glass"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(BigId, index=True)
    code: Mapped[str] = mapped_column(String(6))
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    who: Mapped[bytes] = mapped_column(LargeBinary)
    why: Mapped[bytes] = mapped_column(LargeBinary)
    ends_at: Mapped[datetime] = mapped_column(Utc)


def break_glass(
    tx: Transaction, fmd: ScannedFmd, who: str, why: str, now: datetime, *, origin: str = ""
) -> tuple[str, BreakGlass]:
    """Returns the secret that opens more of the record for an hour, and the row. Locks the record's row."""
    lock_record_row(tx, fmd.record.id)
    secret = random_text(SECRET_LENGTH)
    glass = BreakGlass(
        record_id=fmd.record.id,
        code=fmd.code,
        secret_hash=secret_hash(secret),
        who=seal(fmd.key, who.encode(), f"glass:{fmd.record.id}:who"),
        why=seal(fmd.key, why.encode(), f"glass:{fmd.record.id}:why"),
        ends_at=now + DURATION,
    )
    tx.orm.add(glass)
    tx.orm.flush()
    actor, what = audit.Actor("glass", glass.id), scanned(fmd.code, [])
    audit.note(tx, fmd.record.id, actor, "glass.broken", what, now, via="tag", origin=origin)
    return secret, glass


def open_with_secret(tx: Transaction, keyring: Keyring, secret: str, now: datetime) -> ScannedFmd:
    """The record that the glass was broken for. Raises FmdNotFound after the hour, or if the sticker has ended."""
    row = tx.orm.execute(
        select(BreakGlass.id, BreakGlass.code, *RECORD_COLUMNS)
        .join(BreakGlass, BreakGlass.record_id == Record.id)
        .join(Product, Product.code == BreakGlass.code)
        .where(BreakGlass.secret_hash == secret_hash(secret), BreakGlass.ends_at > now)
        .where(IS_LIVE, Product.tag_hash.is_not(None), Record.erased_at.is_(None))
    ).one_or_none()
    if row is None:
        raise FmdNotFound
    glass_id, code, record = row[0], row[1], RecordRow._make(row[2:])
    plain = ScannedFmd(record, record.open_key(keyring), code, Door.R, audit.Actor("tag"))
    return replace(plain, door=Door.B, actor=audit.Actor("glass", glass_id))


def erase_glass(tx: Transaction, record_id: int) -> None:
    """Names and reasons go with the record that they opened."""
    tx.orm.execute(delete(BreakGlass).where(BreakGlass.record_id == record_id))


@dataclass(frozen=True)
class Identity:
    """Who broke the glass and why, in words that are fit for a mail. Both empty where they do not open."""

    who: str
    why: str


def broken_between(tx: Transaction, record_id: int, first_id: int, until: datetime) -> list[BreakGlass]:
    """The glass of this record that was broken from that row on and up to that moment."""
    query = select(BreakGlass).where(
        BreakGlass.record_id == record_id, BreakGlass.id >= first_id, BreakGlass.ends_at <= until + DURATION
    )
    return list(tx.orm.scalars(query.order_by(BreakGlass.id)))


def identity_of(glass: BreakGlass, key: bytes) -> Identity:
    """`key` is the record's: with the glass of another record nothing opens."""
    try:
        who, why = (
            unseal(key, sealed, f"glass:{glass.record_id}:{name}").decode()
            for name, sealed in (("who", glass.who), ("why", glass.why))
        )
    except Tampered:
        return Identity("", "")
    return Identity(without_links(who), without_links(why))


def glass_ends_at(tx: Transaction, glass_id: int) -> datetime | None:
    """When the hour ends; None if there is no such row."""
    return tx.orm.scalar(select(BreakGlass.ends_at).where(BreakGlass.id == glass_id))
