"""The tags of a batch, sealed until its sheet was fetched and confirmed, at most seven days; then destroyed.

Only a tag's hash is stored elsewhere (decision 24). The tag of a sticker that somebody has claimed is told to nobody.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, Select, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, Utc
from ficha.core.transaction import Transaction
from ficha.products.product import Product, ProductState


class SealedTags(Base):
    """Codes and tags of a part of a batch, which is one sheet. `start` is how many codes of the batch came before."""

    __tablename__ = "sealed_tags"

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"), primary_key=True)
    start: Mapped[int] = mapped_column(primary_key=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    fetched_at: Mapped[datetime | None] = mapped_column(Utc)


def seal_tags(tx: Transaction, key: bytes, batch_id: int, start: int, tags: Mapping[str, str]) -> None:
    lines = "\n".join(f"{code} {tag}" for code, tag in tags.items())
    tx.orm.add(SealedTags(batch_id=batch_id, start=start, sealed=seal(key, lines.encode(), _place(batch_id, start))))


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
    for line in unseal(key, sealed, _place(batch_id, start)).decode().splitlines():
        code, _, tag = line.partition(" ")
        yield code, tag


def _unclaimed(tx: Transaction, tags: dict[str, str]) -> dict[str, str]:
    printed = select(Product.code).where(Product.code.in_(tags), Product.state == ProductState.PRINTED)
    return {code: tags[code] for code in sorted(tx.orm.scalars(printed))}


def _place(batch_id: int, start: int) -> str:
    return f"batch:{batch_id}:{start}"
