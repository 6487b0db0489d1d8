"""The platform's limits on sending, as token buckets that all processes share."""

from datetime import datetime, timedelta

from sqlalchemy import Float, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc, insert_new


class SendBudget(Base):
    __tablename__ = "send_budgets"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    tokens: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime] = mapped_column(Utc)


def reserve_send(session: Session, name: str, size: float, per_second: float, now: datetime) -> timedelta:
    """Takes one token and returns how long to wait before sending. The balance may become negative: each of many
    messages at once gets a later time of its own, and none has to try again."""
    budget = session.scalars(select(SendBudget).where(SendBudget.name == name).with_for_update()).one_or_none()
    if budget is None:
        insert_new(session, SendBudget, [{"name": name, "tokens": size, "at": now}], SendBudget.name)
        budget = session.scalars(select(SendBudget).where(SendBudget.name == name).with_for_update()).one()
    passed = max(0.0, (now - budget.at).total_seconds())
    budget.tokens = min(size, budget.tokens + passed * per_second) - 1
    budget.at = max(now, budget.at)
    return timedelta(seconds=max(0.0, -budget.tokens / per_second))
