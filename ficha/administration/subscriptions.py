"""Subscriptions: one for an account, with a plan and a state that changes by known steps only."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ForeignKey, String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.administration.admin_changes import note_change
from ficha.administration.resources import DeclaredResource, Label
from ficha.audit.log import Actor
from ficha.core.db import Base, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.text_types import Keyword
from ficha.core.transaction import Transaction
from ficha.fmd.translations import Translated


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
    kind: ClassVar[str] = "subscription"

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True)
    plan: Mapped[str] = mapped_column(String(40))
    state: Mapped[str] = mapped_column(
        String(10), index=True, doc="trial, active, past_due, canceled or expired.", info={"kind": SubscriptionState}
    )
    started_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime | None] = mapped_column(Utc, doc="When the trial ends.")

    @property
    def resource_id(self) -> int:
        return self.account_id

    def state_at(self, now: datetime) -> SubscriptionState:
        """A trial expires by itself."""
        if self.state == SubscriptionState.TRIAL and self.ends_at is not None and self.ends_at <= now:
            return EXPIRED
        return SubscriptionState(self.state)


class ChangedSubscription(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    state: SubscriptionState | None = Field(
        None, strict=False, description="The state it goes to; an illegal step is 409.", examples=["active"]
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


def put_subscription(
    tx: Transaction, name: str, fields: ChangedSubscription, actor: Actor, now: datetime
) -> tuple[Subscription, bool]:
    """An administrator changes that of an account, which is noted. Raises what `change_subscription` raises."""
    before = _values(subscription_of(tx, int(name)), now)
    plan = fields.plan if fields.plan != before["plan"] else None
    found = change_subscription(tx, int(name), now, state=fields.state, plan=plan)
    after = _values(found, now)
    if after != before:
        note_change(tx, actor, "subscription", name, "changed", now, before=before, after=after)
    return found, False


def _values(found: Subscription, now: datetime) -> dict[str, str]:
    return {"state": found.state_at(now).value, "plan": found.plan}


class ListedSubscription(NamedTuple):
    account_id: int
    nombre: str
    plan: str
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
        query = query.where(Subscription.state == state)
    return [
        ListedSubscription(
            one.account_id, nombre, one.plan, one.state_at(now), one.started_at, one.changed_at, one.ends_at
        )
        for one, nombre in tx.orm.execute(query.order_by(Subscription.account_id).limit(limit))
    ]


SUBSCRIPTIONS = DeclaredResource(
    Subscription,
    ChangedSubscription,
    key="account_id",
    title="nombre",
    columns=("account_id", "nombre", "plan", "state", "started_at", "changed_at", "ends_at"),
    form={
        "state": Label(
            Translated("Estado", "State", "Estado"),
            hint=Translated(
                "Cancelada o vencida no se puede deshacer: la persona se suscribe de nuevo.",
                "Canceled or expired cannot be undone: the person subscribes anew.",
                "Cancelada ou vencida não se desfaz: a pessoa se inscreve de novo.",
            ),
            kind="choice",
        ),
        "plan": Label(Translated("Plan", "Plan", "Plano"), kind="code"),
    },
    texts={
        "lead": Translated(
            "Quién está suscrito, con qué plan y en qué estado.",
            "Who is subscribed, with which plan and in which state.",
            "Quem está inscrito, com qual plano e em que estado.",
        ),
        "none": Translated("Nadie está suscrito.", "Nobody is subscribed.", "Ninguém está inscrito."),
        "change": Translated("Suscripción de {name}", "Subscription of {name}", "Assinatura de {name}"),
        "field_account_id": Translated("Cuenta", "Account", "Conta"),
        "field_nombre": Translated("Nombre", "Name", "Nome"),
        "field_started_at": Translated("Desde", "Since", "Desde"),
        "field_changed_at": Translated("Cambió", "Changed", "Mudou"),
        "field_ends_at": Translated("Fin de la prueba", "End of the trial", "Fim do teste"),
        "state_trial": Translated("prueba", "trial", "teste"),
        "state_active": Translated("activa", "active", "ativa"),
        "state_past_due": Translated("pago pendiente", "past due", "pagamento pendente"),
        "state_canceled": Translated("cancelada", "canceled", "cancelada"),
        "state_expired": Translated("vencida", "expired", "vencida"),
    },
    find=lambda tx, name: subscription_of(tx, int(name)),
    rows=subscriptions,
    put=put_subscription,
    cursor_of=lambda row: int(row.account_id),
    answered=("plan", "state", "started_at", "changed_at", "ends_at"),
)
