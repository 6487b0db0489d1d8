"""How much may still be sent: the platform's limits as buckets that fill again, shared by every process."""

from datetime import datetime, timedelta

from sqlalchemy import Float, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc, insert_new


class Budget(Base):
    __tablename__ = "send_budgets"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    tokens: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime] = mapped_column(Utc)


def book_send(session: Session, name: str, size: float, per_second: float, now: datetime) -> timedelta:
    """Takes one, and says how long to wait before using it. The bucket may owe: each of many who come at once gets a
    turn of its own, and nobody comes back only to find it taken."""
    budget = session.scalars(select(Budget).where(Budget.name == name).with_for_update()).one_or_none()
    if budget is None:
        insert_new(session, Budget, [{"name": name, "tokens": size, "at": now}], Budget.name)
        budget = session.scalars(select(Budget).where(Budget.name == name).with_for_update()).one()
    passed = max(0.0, (now - budget.at).total_seconds())
    budget.tokens = min(size, budget.tokens + passed * per_second) - 1
    budget.at = max(now, budget.at)
    return timedelta(seconds=max(0.0, -budget.tokens / per_second))
