"""The platform's limits on sending, as token buckets that all processes share."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from ficha.core.transaction import Transaction
from ficha.messaging.statements import change_budgets, insert_budgets, lock_budgets


class SendLimit(NamedTuple):
    """Up to `size` at once, and `per_second` in the long run."""

    name: str
    size: float
    per_second: float


def reserve_sends(tx: Transaction, sends: Sequence[Sequence[SendLimit]], now: datetime) -> list[timedelta]:
    """For each send: takes a token of each of its limits, and says how long to wait before it is made. A balance may
    become negative: each of many messages at once gets a later time of its own, and none has to try again."""
    limits = {limit.name: limit for send in sends for limit in send}
    known = lock_budgets(tx, limits)
    if missing := [limits[name] for name in sorted(limits.keys() - known.keys())]:
        insert_budgets(tx, [{"name": limit.name, "tokens": limit.size, "at": now} for limit in missing])
        known |= lock_budgets(tx, [limit.name for limit in missing])
    tokens = {name: _tokens(limits[name], left, now - at) for name, (left, at) in known.items()}
    waits = []
    for send in sends:
        for limit in send:
            tokens[limit.name] -= 1
        waits.append(timedelta(seconds=max(0.0, *(-tokens[limit.name] / limit.per_second for limit in send))))
    change_budgets(
        tx, [{"budget": name, "left": left, "moment": max(now, known[name][1])} for name, left in tokens.items()]
    )
    return waits


def _tokens(limit: SendLimit, tokens: float, passed: timedelta) -> float:
    return min(limit.size, tokens + max(0.0, passed.total_seconds()) * limit.per_second)
