"""Subscriptions: one for an account, with a plan and a state that changes by known steps only."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction


class SubscriptionState(StrEnum):
    TRIAL = "trial"
    ACTIVE = "active"
    PAST_DUE = "past_due"
    CANCELED = "canceled"
    EXPIRED = "expired"


ACTIVE, PAST_DUE = SubscriptionState.ACTIVE, SubscriptionState.PAST_DUE
CANCELED, EXPIRED = SubscriptionState.CANCELED, SubscriptionState.EXPIRED
STEPS: Mapping[SubscriptionState, frozenset[SubscriptionState]] = {
    SubscriptionState.TRIAL: frozenset({ACTIVE, CANCELED, EXPIRED}),
    ACTIVE: frozenset({PAST_DUE, CANCELED}),
    PAST_DUE: frozenset({ACTIVE, CANCELED, EXPIRED}),
    CANCELED: frozenset(),
    EXPIRED: frozenset(),
}


class Subscription(Base):
    __tablename__ = "subscriptions"

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(String(10), index=True)
    started_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime] = mapped_column(Utc)
    # Of a trial.
    ends_at: Mapped[datetime | None] = mapped_column(Utc)

    def state_at(self, now: datetime) -> SubscriptionState:
        """A trial expires by itself."""
        if self.state == SubscriptionState.TRIAL and self.ends_at is not None and self.ends_at <= now:
            return EXPIRED
        return SubscriptionState(self.state)


class AlreadySubscribed(FichaError):
    status = 409
    code = "ya_suscrito"
    message = "Esta cuenta ya tiene una suscripción en curso. Cámbiela o cancélela."


class IllegalStep(FichaError):
    status = 409
    code = "paso_no_permitido"
    message = "La suscripción no puede pasar de su estado actual a ese."
    source = Source("pointer", "/state")


def subscription_of(tx: Transaction, account_id: int, *, locks: bool = False) -> Subscription:
    """Raises NotFound."""
    query = select(Subscription).where(Subscription.account_id == account_id)
    found = tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()
    if found is None:
        raise NotFound
    return found


def subscribe(tx: Transaction, account_id: int, plan: str, now: datetime, *, trial_days: int) -> Subscription:
    """Begins with a trial; whoever had one begins anew without. Raises AlreadySubscribed."""
    try:
        found = subscription_of(tx, account_id, locks=True)
    except NotFound:
        ends_at = now + timedelta(days=trial_days)
        found = Subscription(account_id=account_id, state=SubscriptionState.TRIAL, ends_at=ends_at)
        tx.orm.add(found)
    else:
        if STEPS[found.state_at(now)]:
            raise AlreadySubscribed
        found.state, found.ends_at = ACTIVE, None
    found.plan, found.started_at, found.changed_at = plan, now, now
    try:
        tx.orm.flush()
    except IntegrityError:  # The other of two at once.
        raise AlreadySubscribed from None
    return found


def change_subscription(
    tx: Transaction,
    account_id: int,
    now: datetime,
    *,
    state: SubscriptionState | None = None,
    plan: str | None = None,
) -> Subscription:
    """The state it is in already is no step. Raises NotFound or IllegalStep, also for a plan of one that is over."""
    found = subscription_of(tx, account_id, locks=True)
    at_present = found.state_at(now)
    wanted = at_present if state is None else state
    if wanted is not at_present and wanted not in STEPS[at_present]:
        raise IllegalStep
    if plan is not None and not STEPS[at_present]:
        raise IllegalStep
    found.plan = found.plan if plan is None else plan
    if wanted is not at_present:
        found.state, found.ends_at = wanted, None
    found.changed_at = now
    tx.orm.flush()
    return found


def subscriptions(
    tx: Transaction, *, after: int = 0, limit: int, state: SubscriptionState | None = None
) -> Sequence[tuple[Subscription, Account]]:
    """For administrators: by account, above `after`."""
    query = select(Subscription, Account).join(Account, Account.id == Subscription.account_id)
    query = query.where(Subscription.account_id > after)
    if state is not None:
        query = query.where(Subscription.state == state)
    rows = tx.orm.execute(query.order_by(Subscription.account_id).limit(limit))
    return [(subscription, account) for subscription, account in rows]
