"""Batches of codes to be printed. Of two machines that make codes at once, none issues what the other has issued.

The tags of a batch are sealed until its sheet was fetched and confirmed, at most seven days; then they are destroyed.
Only a tag's hash is stored elsewhere (decision 24). The tag of a sticker that somebody has claimed is told to nobody.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, Select, String, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Keyring, new_key, seal, unseal
from ficha.core.db import Base, BigId, Utc, insert_new
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_code
from ficha.core.secrets import HasDataKey
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.products.product import LedgerState, Product, ProductState, new_tag, tag_hash, write_batch


class SealedTags(Base):
    """Codes and tags of a part of a batch, which is one sheet. `start` is how many codes of the batch came before."""

    __tablename__ = "sealed_tags"

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"), primary_key=True)
    start: Mapped[int] = mapped_column(primary_key=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    fetched_at: Mapped[datetime | None] = mapped_column(Utc)


def seal_tags(tx: Transaction, key: bytes, batch_id: int, start: int, tags: Mapping[str, str]) -> None:
    lines = "\n".join(f"{code} {tag}" for code, tag in tags.items())
    tx.orm.add(SealedTags(batch_id=batch_id, start=start, sealed=seal(key, lines.encode(), _bound_to(batch_id, start))))


def parts_of(tx: Transaction, batch_id: int) -> list[int]:
    """Where each part of the batch starts."""
    query = select(SealedTags.start).where(SealedTags.batch_id == batch_id).order_by(SealedTags.start)
    return list(tx.orm.scalars(query))


def opened_part(tx: Transaction, key: bytes, batch_id: int, start: int) -> dict[str, str]:
    """The codes of one part that nobody has claimed, with their tags."""
    sealed = tx.orm.scalar(_sealed(batch_id, start))
    return {} if sealed is None else _unclaimed(tx, dict(_pairs(key, batch_id, start, sealed)))


def opened_tags(tx: Transaction, key: bytes, batch_id: int, codes: Iterable[str]) -> dict[str, str]:
    """The tags of those of the codes that belong to the batch and that nobody has claimed."""
    wanted = set(codes)
    found: dict[str, str] = {}
    for start in parts_of(tx, batch_id):  # One by one: a large batch has many.
        sealed = tx.orm.scalar(_sealed(batch_id, start))
        found |= {code: tag for code, tag in _pairs(key, batch_id, start, sealed or b"") if code in wanted}
    return _unclaimed(tx, found)


def mark_fetched(tx: Transaction, batch_id: int, start: int, now: datetime) -> None:
    part = tx.orm.get(SealedTags, (batch_id, start))
    if part is not None:
        part.fetched_at = now


def count_unfetched(tx: Transaction, batch_id: int) -> int:
    query = select(func.count()).select_from(SealedTags)
    return tx.orm.scalar(query.where(SealedTags.batch_id == batch_id, SealedTags.fetched_at.is_(None))) or 0


def delete_tags(tx: Transaction, batch_id: int) -> None:
    tx.orm.execute(delete(SealedTags).where(SealedTags.batch_id == batch_id))


def _sealed(batch_id: int, start: int) -> Select[bytes]:
    return select(SealedTags.sealed).where(SealedTags.batch_id == batch_id, SealedTags.start == start)


def _pairs(key: bytes, batch_id: int, start: int, sealed: bytes) -> Iterator[tuple[str, str]]:
    """None where the part was destroyed meanwhile."""
    if not sealed:
        return
    for line in unseal(key, sealed, _bound_to(batch_id, start)).decode().splitlines():
        code, _, tag = line.partition(" ")
        yield code, tag


def _unclaimed(tx: Transaction, tags: dict[str, str]) -> dict[str, str]:
    printed = select(Product.code).where(Product.code.in_(tags), Product.state == ProductState.PRINTED)
    return {code: tags[code] for code in sorted(tx.orm.scalars(printed))}


def _bound_to(batch_id: int, start: int) -> str:
    return f"batch:{batch_id}:{start}"


# How many codes one transaction makes: whoever else writes to SQLite waits for no more than these.
CODES_AT_ONCE = 1000
FILL_BATCH = "lotes.completar"


class Batch(HasDataKey, Base):
    """`made` codes of `count` exist. Its key seals the tags until the sheet is confirmed, and is then destroyed."""

    __tablename__ = "batches"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    label: Mapped[str] = mapped_column(String(80))
    count: Mapped[int]
    made: Mapped[int]
    made_at: Mapped[datetime] = mapped_column(Utc)
    made_by: Mapped[str] = mapped_column(String(60))
    # When the tags are destroyed whether the sheet was confirmed or not.
    tags_until: Mapped[datetime] = mapped_column(Utc, index=True)
    confirmed_at: Mapped[datetime | None] = mapped_column(Utc)
    confirmed_by: Mapped[str | None] = mapped_column(String(60))

    @property
    def key_bound_to(self) -> str:
        return f"batch:{self.id}"

    @property
    def has_tags(self) -> bool:
        return self.wrapped_key is not None


class NewCodes(NamedTuple):
    """Codes that were made, with their tags, and how many the batch still lacks."""

    tags: dict[str, str]
    left: int


class BatchUnknown(FichaError):
    status = 404
    code = "lote_desconocido"
    message = "No hay un lote con ese número."


class TooManyCodes(FichaError):
    status = 422
    code = "lote_demasiado_grande"
    message = "Un lote no puede tener tantos códigos. Pida menos, o haga varios lotes."
    source = Source("pointer", "/count")


def make_batch(
    tx: Transaction,
    keyring: Keyring,
    count: int,
    now: datetime,
    *,
    by: str,
    label: str,
    largest: int,
    tag_days: float,
) -> Batch:
    """The first codes at once, the rest by a job. Raises TooManyCodes beyond `largest`."""
    if count > largest:
        raise TooManyCodes
    batch = open_batch(tx, keyring, count, now, by=by, tag_days=tag_days, label=label)
    left = batch.count
    while left and batch.made < CODES_AT_ONCE:  # More than once only if a code had been issued before.
        left = add_codes(tx, keyring, batch.id, now, most=CODES_AT_ONCE - batch.made).left
    if left:
        put(tx, FILL_BATCH, {"batch_id": batch.id}, key=f"{FILL_BATCH}:{batch.id}")
    return batch


def batch_with(tx: Transaction, batch_id: int, *, locks: bool = False) -> Batch:
    """Raises BatchUnknown."""
    query = select(Batch).where(Batch.id == batch_id)
    batch = tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()
    if batch is None:
        raise BatchUnknown
    return batch


def open_batch(
    tx: Transaction, keyring: Keyring, count: int, now: datetime, *, by: str, tag_days: float, label: str = ""
) -> Batch:
    """A batch without codes yet. Its tags are kept sealed for at most `tag_days`."""
    batch = Batch(label=label, count=count, made=0, made_at=now, made_by=by, tags_until=now + timedelta(days=tag_days))
    tx.orm.add(batch)
    tx.orm.flush()
    batch.store_key(keyring, new_key())
    write_batch(tx, batch.id, LedgerState.PRINTED, now, by)
    return batch


def add_codes(
    tx: Transaction,
    keyring: Keyring,
    batch_id: int,
    now: datetime,
    *,
    most: int = CODES_AT_ONCE,
    new_code: Callable[[], str] = random_code,
) -> NewCodes:
    """Makes up to `most` of the codes that the batch still lacks. Fewer are made if some had been issued before: the
    caller asks again, in another transaction, until none is left.

    Codes are inserted in their order, once a transaction, so that two who draw the same codes never wait for each
    other. Where the tags were destroyed already, no more are made.
    """
    batch = batch_with(tx, batch_id, locks=True)
    if not batch.has_tags:
        return NewCodes({}, 0)
    fresh = {new_code(): new_tag() for _ in range(min(most, batch.count - batch.made))}
    rows = [
        {
            "code": code,
            "is_bp": False,
            "state": ProductState.PRINTED,
            "tag_hash": tag_hash(fresh[code]),
            "issued_at": now,
            "batch_id": batch_id,
        }
        for code in sorted(fresh)
    ]
    made = {code: fresh[code] for (code,) in insert_new(tx, Product, rows, Product.code)}
    if made:
        seal_tags(tx, batch.open_key(keyring), batch_id, batch.made, made)
        batch.made += len(made)
    return NewCodes(made, batch.count - batch.made)
