"""Who opened a Health Link, and when, in the opener's own words: nobody has checked them."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, delete, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.exchange.health_links.links import SHOWN_FOR, HealthLink

# Of each link; a program that polls for a year would fill the disk. How many there were is in the link, and each is in
# the record's log.
MOST_KEPT = 100
RECIPIENT_LETTERS = 200


class HealthLinkOpening(Base):
    __tablename__ = "health_link_openings"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    link_id: Mapped[int] = mapped_column(ForeignKey(HealthLink.id, ondelete="CASCADE"), index=True)
    at: Mapped[datetime] = mapped_column(Utc)
    # With the record's key: it may say where the person is treated.
    sealed_recipient: Mapped[bytes] = mapped_column(LargeBinary)

    def recipient(self, record_key: bytes) -> str:
        """Empty where it does not open."""
        try:
            return unseal(record_key, self.sealed_recipient, _sealing_context(self.link_id)).decode()
        except Tampered:
            return ""


def sealed_recipient(record_key: bytes, link_id: int, recipient: str) -> bytes:
    return seal(record_key, recipient.encode(), _sealing_context(link_id))


def openings_of(tx: Transaction, link_ids: Iterable[int]) -> dict[int, list[HealthLinkOpening]]:
    """By link, the newest first."""
    found: dict[int, list[HealthLinkOpening]] = {}
    query = select(HealthLinkOpening).where(HealthLinkOpening.link_id.in_(list(link_ids)))
    for opening in tx.orm.scalars(query.order_by(HealthLinkOpening.id.desc())):
        found.setdefault(opening.link_id, []).append(opening)
    return found


def prune_health_links(tx: Transaction, now: datetime) -> None:
    """What is over: its keys go at once, what it was is shown for a year. Of each link, MOST_KEPT openings stay."""
    over = or_(HealthLink.ended_at <= now - SHOWN_FOR, HealthLink.ends_at <= now - SHOWN_FOR)
    tx.orm.execute(delete(HealthLink).where(over))
    expired = update(HealthLink).where(HealthLink.ends_at <= now, HealthLink.sealed_key.is_not(None))
    tx.orm.execute(expired.values(ended_at=HealthLink.ends_at, sealed_key=None))
    rank = func.row_number().over(partition_by=HealthLinkOpening.link_id, order_by=HealthLinkOpening.id.desc())
    ranked = select(HealthLinkOpening.id, rank.label("rank")).subquery()
    too_many = select(ranked.c.id).where(ranked.c.rank > MOST_KEPT)
    tx.orm.execute(delete(HealthLinkOpening).where(HealthLinkOpening.id.in_(too_many)))


def _sealing_context(link_id: int) -> str:
    return f"health link:{link_id}:recipient"
