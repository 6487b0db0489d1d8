"""What is left of Health Links when they are over: their keys go at once, what they were is shown for a year."""

from datetime import datetime

from sqlalchemy import delete, func, or_, select, update

from ficha.core.transaction import Transaction
from ficha.exchange.health_links.links import SHOWN_FOR, HealthLink
from ficha.exchange.health_links.openings import MOST_KEPT, HealthLinkOpening


def prune_health_links(tx: Transaction, now: datetime) -> None:
    over = or_(HealthLink.ended_at <= now - SHOWN_FOR, HealthLink.ends_at <= now - SHOWN_FOR)
    tx.orm.execute(delete(HealthLink).where(over))
    expired = update(HealthLink).where(HealthLink.ends_at <= now, HealthLink.sealed_key.is_not(None))
    tx.orm.execute(expired.values(ended_at=HealthLink.ends_at, sealed_key=None))
    rank = func.row_number().over(partition_by=HealthLinkOpening.link_id, order_by=HealthLinkOpening.id.desc())
    ranked = select(HealthLinkOpening.id, rank.label("rank")).subquery()
    too_many = select(ranked.c.id).where(ranked.c.rank > MOST_KEPT)
    tx.orm.execute(delete(HealthLinkOpening).where(HealthLinkOpening.id.in_(too_many)))
