"""The platform's limits on sending, as token buckets that all processes share."""

from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import Float, String, Table, bindparam, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Utc, insert_new
from ficha.core.prepared import Prepared


class SendBudget(Base):
    __tablename__ = "send_budgets"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    tokens: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime] = mapped_column(Utc)


budgets = cast(Table, SendBudget.__table__)
THIS = budgets.c.name == bindparam("budget")
FIND = Prepared(select(budgets.c.tokens, budgets.c.at).where(THIS).with_for_update())
CHANGE = Prepared(update(budgets).where(THIS).values(tokens=bindparam("left"), at=bindparam("moment")))


def reserve_send(session: Session, name: str, size: float, per_second: float, now: datetime) -> timedelta:
    """Takes one token and returns how long to wait before sending. The balance may become negative: each of many
    messages at once gets a later time of its own, and none has to try again."""
    budget = FIND.first(session, budget=name)
    if budget is None:
        insert_new(session, SendBudget, [{"name": name, "tokens": size, "at": now}], SendBudget.name)
        budget = FIND.first(session, budget=name)
    passed = max(0.0, (now - budget.at).total_seconds())
    tokens = min(size, budget.tokens + passed * per_second) - 1
    CHANGE.run(session, budget=name, left=tokens, moment=max(now, budget.at))
    return timedelta(seconds=max(0.0, -tokens / per_second))
