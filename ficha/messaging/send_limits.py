"""The platform's limits on sending, as token buckets that all processes share."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from sqlalchemy import Float, String, Table, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, Utc
from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.transaction import Transaction


class SendBudget(Base):
    __tablename__ = "send_budgets"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    tokens: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime] = mapped_column(Utc)


budgets = cast(Table, SendBudget.__table__)
# In one order, so that two who reserve sends to the same people do not wait for each other.
FIND = Prepared(select(budgets).where(one_of(budgets.c.name, "names")).order_by(budgets.c.name).with_for_update())
CHANGE = Prepared(
    update(budgets)
    .where(budgets.c.name == bindparam("budget"))
    .values(tokens=bindparam("left"), at=bindparam("moment"))
)


class SendLimit(NamedTuple):
    """Up to `size` at once, and `per_second` in the long run."""

    name: str
    size: float
    per_second: float


def reserve_sends(tx: Transaction, sends: Sequence[Sequence[SendLimit]], now: datetime) -> list[timedelta]:
    """For each send: takes a token of each of its limits, and says how long to wait before it is made. A balance may
    become negative: each of many messages at once gets a later time of its own, and none has to try again."""
    limits = {limit.name: limit for send in sends for limit in send}
    known = _lock(tx, list(limits))
    if missing := [limits[name] for name in sorted(limits.keys() - known.keys())]:
        rows = [{"name": limit.name, "tokens": limit.size, "at": now} for limit in missing]
        tx.run_many(insert_if_new(tx.dialect.name, budgets, ("name", "tokens", "at")), rows)
        known |= _lock(tx, [limit.name for limit in missing])
    tokens = {name: _tokens(limits[name], budget.tokens, now - budget.at) for name, budget in known.items()}
    waits = []
    for send in sends:
        for limit in send:
            tokens[limit.name] -= 1
        waits.append(timedelta(seconds=max(0.0, *(-tokens[limit.name] / limit.per_second for limit in send))))
    tx.run_many(
        CHANGE, [{"budget": name, "left": left, "moment": max(now, known[name].at)} for name, left in tokens.items()]
    )
    return waits


def _lock(tx: Transaction, names: Sequence[str]) -> dict[str, SendBudget]:
    return {budget.name: budget for budget in tx.all(FIND, names=names)}


def _tokens(limit: SendLimit, tokens: float, passed: timedelta) -> float:
    return min(limit.size, tokens + max(0.0, passed.total_seconds()) * limit.per_second)
