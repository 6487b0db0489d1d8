"""Payments that somebody was told of: each counts once, however often it is told."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BigInteger, String, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.administration.plans import UnknownPlan, plan_named
from ficha.administration.subscriptions import Subscription, activate
from ficha.audit.log import Actor
from ficha.core.db import Base, Utc, insert_new
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction

PAYER = Actor("payment")


class Payment(Base):
    """No foreign key: what was paid is known after the account is gone. Nothing of a card or of a bank is kept."""

    __tablename__ = "payments"

    # As whoever takes the money names it.
    id: Mapped[str] = mapped_column(String(100), primary_key=True)
    subscription_id: Mapped[int] = mapped_column(BigInteger)
    plan: Mapped[str] = mapped_column(String(40))
    periods: Mapped[int]
    received_at: Mapped[datetime] = mapped_column(Utc)
    is_applied: Mapped[bool]


class PaidPeriods(NamedTuple):
    payment_id: str
    subscription_id: int
    plan: str
    periods: int


def take_payment(tx: Transaction, paid: PaidPeriods, now: datetime) -> bool:
    """Activates what was paid for. False if it was told before, or is for a subscription or a plan that nobody knows:
    that is noted, for somebody to look into, and changes nothing."""
    row = paid._asdict() | {"id": paid.payment_id, "received_at": now, "is_applied": False}
    del row["payment_id"]
    if not insert_new(tx, Payment, [row], Payment.id):
        return False
    try:
        activate(
            tx, paid.subscription_id, plan_named(paid.plan), PAYER, now, periods=paid.periods, payment=paid.payment_id
        )
    except (NotFound, UnknownPlan):
        told = {"plan": paid.plan, "periods": paid.periods, "payment": paid.payment_id}
        note_change(tx, PAYER, Subscription.kind, paid.subscription_id, "unmatched", now, after=told)
        return False
    tx.orm.execute(update(Payment).where(Payment.id == paid.payment_id).values(is_applied=True))
    return True
