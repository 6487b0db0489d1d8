"""Subscriptions: one for an account, with a plan and a state that changes by known steps only, by time too. An owner
asks for a plan and cancels; only an administrator or a payment makes one active, and nobody her own."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, ForeignKey, String, and_, case, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.administration.admin_changes import note_change
from ficha.administration.plans import BASE, PLANS, Allowance, SubscriptionPlan, plan_named
from ficha.administration.resources import DeclaredResource
from ficha.audit.log import Actor
from ficha.core.db import Base, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.text_types import Keyword
from ficha.core.transaction import Transaction
from ficha.events.publish import publish

# How long somebody whose period is over may still pay before her plan ends.
GRACE = timedelta(days=14)
CHANGED = "subscription.changed"


class SubscriptionState(StrEnum):
    REQUESTED = "requested"
    TRIAL = "trial"
    ACTIVE = "active"
    PAST_DUE = "past_due"
    CANCELED = "canceled"
    EXPIRED = "expired"


REQUESTED, TRIAL = SubscriptionState.REQUESTED, SubscriptionState.TRIAL
ACTIVE, PAST_DUE = SubscriptionState.ACTIVE, SubscriptionState.PAST_DUE
CANCELED, EXPIRED = SubscriptionState.CANCELED, SubscriptionState.EXPIRED
# After one of these another may be asked for.
OVER = frozenset({CANCELED, EXPIRED})
STEPS: Mapping[SubscriptionState, frozenset[SubscriptionState]] = {
    REQUESTED: frozenset({ACTIVE, CANCELED}),
    TRIAL: frozenset({ACTIVE, CANCELED, EXPIRED}),
    ACTIVE: frozenset({PAST_DUE, CANCELED}),
    PAST_DUE: frozenset({ACTIVE, CANCELED, EXPIRED}),
    # Whoever pays after the end gets what she paid for.
    CANCELED: frozenset({ACTIVE}),
    EXPIRED: frozenset({ACTIVE}),
}


class Subscription(Base):
    __tablename__ = "subscriptions"
    kind: ClassVar[str] = "subscription"

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(40))
    asked_plan: Mapped[str | None] = mapped_column(
        String(40), doc="Another plan that the owner asked for; it counts once it was paid for or staff gave it."
    )
    state: Mapped[str] = mapped_column(
        String(10),
        index=True,
        doc="requested, trial, active, past_due, canceled or expired.",
        info={"kind": SubscriptionState},
    )
    started_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime | None] = mapped_column(Utc, doc="When the trial or the paid period ends.")
    # When her trial began: she has one, whatever the plan.
    trial_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def resource_id(self) -> int:
        return self.account_id

    def state_at(self, now: datetime) -> SubscriptionState:
        """Time ends a trial, and what was paid for; the job that writes it down may come later. As `_state_at` asks it
        of the database."""
        state = SubscriptionState(self.state)
        if self.ends_at is None or now < self.ends_at:
            return state
        if state is TRIAL or (state in (ACTIVE, PAST_DUE) and now >= self.ends_at + GRACE):
            return EXPIRED
        return PAST_DUE if state is ACTIVE else state

    def counts_at(self, now: datetime) -> bool:
        """Whether its plan allows anything: what was given lasts to its end, also after it was canceled."""
        state = self.state_at(now)
        if state is CANCELED:
            return self.ends_at is not None and now < self.ends_at
        return state in (TRIAL, ACTIVE, PAST_DUE)


def _state_at(now: datetime) -> ColumnElement[str]:
    """What `state_at` says, for a query."""
    state, ends_at = Subscription.state, Subscription.ends_at
    return case(
        (and_(state == TRIAL, ends_at <= now), EXPIRED.value),
        (and_(state.in_((ACTIVE, PAST_DUE)), ends_at <= now - GRACE), EXPIRED.value),
        (and_(state == ACTIVE, ends_at <= now), PAST_DUE.value),
        else_=state,
    )


class ChangedSubscription(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    state: SubscriptionState | None = Field(
        None, strict=False, description="The state it goes to; an illegal step is 409.", examples=["canceled"]
    )
    plan: Keyword | None = Field(None, description="Another plan, while it is under way.")


class AlreadySubscribed(FichaError):
    status = 409
    code = "ya_suscrito"
    message = "Esta cuenta ya tiene una suscripción en curso. Cámbiela o cancélela."


class IllegalStep(FichaError):
    status = 409
    code = "paso_no_permitido"
    message = "La suscripción no puede pasar de su estado actual a ese."
    source = Source("pointer", "/state")


class OwnSubscription(FichaError):
    """Also for an administrator: another one gives it to her."""

    status = 403
    code = "suscripcion_propia"
    message = "Nadie activa su propia suscripción: la activa el pago, u otra persona del equipo."
    source = Source("pointer", "/state")


def allowance(tx: Transaction, account_id: int, now: datetime) -> Allowance:
    """What the account may have when it makes something new."""
    found = tx.orm.get(Subscription, account_id)
    if found is None or not found.counts_at(now) or found.plan not in PLANS:
        return BASE.allows
    return PLANS[found.plan].allows


def subscription_of(tx: Transaction, account_id: int, *, locks: bool = False) -> Subscription:
    """Raises NotFound."""
    query = select(Subscription).where(Subscription.account_id == account_id)
    if locks:
        query = query.with_for_update().execution_options(populate_existing=True)
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        raise NotFound
    return found


def subscribe(tx: Transaction, account_id: int, plan_name: str, now: datetime) -> Subscription:
    """The owner asks for a plan: it begins with its trial if it has one and she had none before, else it waits to be
    paid for. Raises AlreadySubscribed or UnknownPlan."""
    plan, before = plan_named(plan_name), {}
    try:
        found = subscription_of(tx, account_id, locks=True)
    except NotFound:
        found = Subscription(account_id=account_id, trial_at=None)
        tx.orm.add(found)
    else:
        if found.state_at(now) not in OVER:
            raise AlreadySubscribed
        before = _values(found, found.state_at(now))
    found.plan, found.asked_plan, found.started_at, found.changed_at = plan.name, None, now, now
    found.state, found.ends_at = REQUESTED, None
    if plan.trial_days and found.trial_at is None:
        found.state, found.trial_at, found.ends_at = TRIAL, now, now + timedelta(days=plan.trial_days)
    try:
        tx.orm.flush()
    except IntegrityError:  # The other of two at once.
        raise AlreadySubscribed from None
    return _changed(tx, found, before, Actor("account", account_id), now)


def change_own(
    tx: Transaction,
    account_id: int,
    now: datetime,
    *,
    state: SubscriptionState | None = None,
    plan: str | None = None,
) -> Subscription:
    """The owner cancels, or asks for another plan, which counts once it was paid for. The state it is in already is no
    step. Raises NotFound, UnknownPlan, OwnSubscription, or IllegalStep, also for a plan of one that is over."""
    found = subscription_of(tx, account_id, locks=True)
    at_present = found.state_at(now)
    before = _values(found, at_present)
    if state is not None and state is not at_present:
        _check_step(at_present, state)
        if state is not CANCELED:
            raise OwnSubscription
        found.state, found.asked_plan = CANCELED, None
    if plan is not None:
        if at_present in OVER or found.state == CANCELED:
            raise IllegalStep
        if plan != found.plan:
            plan_named(plan)
        if at_present is REQUESTED:
            found.plan = plan
        else:
            found.asked_plan = plan if plan != found.plan else None
    return _changed(tx, found, before, Actor("account", account_id), now)


def activate(
    tx: Transaction,
    account_id: int,
    plan: SubscriptionPlan,
    actor: Actor,
    now: datetime,
    *,
    periods: int = 1,
    **noted: str,
) -> Subscription:
    """Active for so many periods of the plan: behind what is left of the same one, else from now. What is `noted`
    stands in its history. Raises NotFound or OwnSubscription."""
    found = subscription_of(tx, account_id, locks=True)
    _must_not_be_own(actor, account_id)
    at_present = found.state_at(now)
    before = _values(found, at_present)
    goes_on = found.plan == plan.name and found.counts_at(now) and found.ends_at is not None
    begins = found.ends_at if goes_on and found.ends_at is not None else now
    if at_present in OVER or at_present is REQUESTED:
        found.started_at = now
    found.state, found.plan = ACTIVE, plan.name
    found.ends_at = begins + periods * timedelta(days=plan.period_days)
    found.asked_plan = None if found.asked_plan == plan.name else found.asked_plan
    return _changed(tx, found, before, actor, now, **noted)


def extend(tx: Transaction, account_id: int, actor: Actor, now: datetime) -> Subscription:
    """One period more of its own plan. Raises what `activate` raises, or UnknownPlan."""
    return activate(tx, account_id, plan_named(subscription_of(tx, account_id).plan), actor, now)


def put_subscription(
    tx: Transaction, name: str, fields: ChangedSubscription, actor: Actor, now: datetime
) -> tuple[Subscription, bool]:
    """An administrator changes that of an account, by the known steps. The state it is in already is no step. Raises
    NotFound, UnknownPlan, OwnSubscription, or IllegalStep, also for a plan of one that is over."""
    account_id = int(name)
    found = subscription_of(tx, account_id, locks=True)
    at_present = found.state_at(now)
    wanted = at_present if fields.state is None else fields.state
    is_new_plan = fields.plan not in (None, found.plan)
    if wanted is not at_present:
        _check_step(at_present, wanted)
        if wanted is ACTIVE:
            return activate(tx, account_id, plan_named(fields.plan or found.plan), actor, now), False
    if is_new_plan and wanted in OVER:
        raise IllegalStep
    before = _values(found, at_present)
    if is_new_plan:
        _must_not_be_own(actor, account_id)
        found.plan = plan_named(fields.plan or "").name
        found.asked_plan = None
    if wanted is not at_present:
        found.state = wanted
        if wanted is not CANCELED:  # What was given is over; after a cancellation it lasts to its end.
            found.ends_at = now
    return _changed(tx, found, before, actor, now), False


def write_down_ends(tx: Transaction, now: datetime, limit: int) -> int:
    """The states that time has changed, so many at most, each with an event. Returns how many."""
    is_due = select(Subscription).where(_state_at(now) != Subscription.state).order_by(Subscription.account_id)
    due = tx.orm.scalars(is_due.limit(limit).with_for_update().execution_options(populate_existing=True)).all()
    for found in due:
        before = _values(found, SubscriptionState(found.state))
        found.state = found.state_at(now)
        _changed(tx, found, before, Actor("service"), now)
    return len(due)


def _check_step(at_present: SubscriptionState, wanted: SubscriptionState) -> None:
    if wanted not in STEPS[at_present]:
        raise IllegalStep


def _must_not_be_own(actor: Actor, account_id: int) -> None:
    if actor == Actor("account", account_id):
        raise OwnSubscription


def _changed(
    tx: Transaction, found: Subscription, before: Mapping[str, Any], actor: Actor, now: datetime, **noted: str
) -> Subscription:
    """Writes down what it has become, for its history, and tells the account and staff. Nothing if it is as before."""
    after = _values(found, found.state_at(now))
    if after != before:
        found.changed_at = now
        action = "changed" if before else "created"
        note_change(tx, actor, Subscription.kind, found.account_id, action, now, before=before, after=after | noted)
        told = {"id": found.account_id, "state": after["state"], "plan": found.plan}
        publish(tx, CHANGED, told, now, accounts=[found.account_id], staff=True)
    tx.orm.flush()
    return found


def _values(found: Subscription, state: SubscriptionState) -> dict[str, str | None]:
    ends_at = None if found.ends_at is None else found.ends_at.isoformat()
    return {"state": state.value, "plan": found.plan, "asked_plan": found.asked_plan, "ends_at": ends_at}


class ListedSubscription(NamedTuple):
    account_id: int
    nombre: str
    plan: str
    asked_plan: str | None
    state: SubscriptionState
    started_at: datetime
    changed_at: datetime
    ends_at: datetime | None

    @property
    def resource_id(self) -> int:
        return self.account_id


def subscriptions(
    tx: Transaction, now: datetime, *, after: int = 0, limit: int, state: SubscriptionState | None = None
) -> Sequence[ListedSubscription]:
    """For administrators: by account, above `after`."""
    query = select(Subscription, Account.nombre).join(Account, Account.id == Subscription.account_id)
    query = query.where(Subscription.account_id > after)
    if state is not None:
        query = query.where(_state_at(now) == state)
    return [
        ListedSubscription(
            one.account_id,
            nombre,
            one.plan,
            one.asked_plan,
            one.state_at(now),
            one.started_at,
            one.changed_at,
            one.ends_at,
        )
        for one, nombre in tx.orm.execute(query.order_by(Subscription.account_id).limit(limit))
    ]


SUBSCRIPTIONS = DeclaredResource(
    Subscription,
    ChangedSubscription,
    key="account_id",
    title="nombre",
    columns=("account_id", "nombre", "plan", "asked_plan", "state", "started_at", "ends_at"),
    form={"state": "choice", "plan": "choice"},
    find=lambda tx, name: subscription_of(tx, int(name)),
    rows=subscriptions,
    put=put_subscription,
    cursor_of=lambda row: int(row.account_id),
    answered=("plan", "asked_plan", "state", "started_at", "ends_at"),
)
