"""The caller's subscription: read it, begin it, change it."""

from datetime import datetime

from pydantic import Field

from ficha.administration.subscriptions import (
    ChangedSubscription,
    Subscription,
    SubscriptionState,
    change_subscription,
    subscribe,
    subscription_of,
)
from ficha.api.bodies import Body
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Keyword
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading, Reply
from ficha.http.envelope import Answer, Moment, Resource

operations = Operations("administration", prefix="/subscription")


class NewSubscription(Body):
    plan: Keyword = Field("personal", description="The name of the plan.", examples=["familiar"])


class SubscriptionAttributes(DeferredModel):
    plan: str
    state: SubscriptionState = Field(description="trial, active, past_due, canceled or expired.")
    started_at: Moment
    changed_at: Moment
    ends_at: Moment | None = Field(description="When the trial ends.")


SubscriptionOut = Resource[SubscriptionAttributes]


def example(state: str, status: int = 200) -> dict[str, object]:
    attributes = {
        "plan": "familiar",
        "state": state,
        "started_at": "2026-11-15T12:00:00+00:00",
        "changed_at": "2026-11-15T12:00:00+00:00",
        "ends_at": "2026-12-15T12:00:00+00:00" if state == "trial" else None,
    }
    return answer_example({"type": "subscription", "id": 1, "attributes": attributes}, status)


@operations.post(
    "", "Subscribe", door="bearer", seed="Subscribe", status=201, errors=(409, 415, 422), example=example("trial", 201)
)
def begin(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, reply: Reply, body: NewSubscription
) -> "Answer[SubscriptionOut]":
    """Begins with a trial (`FICHA_TRIAL_DAYS`); after one that was canceled or expired, without. Nothing is charged
    here."""
    begun = subscribe(db, caller.account_id, body.plan, now, trial_days=parts.settings.trial_days)
    return reply(_subscription_out(begun, now))


@operations.get("", "Subscription", door="bearer", seed="Subscription", errors=(404,), example=example("trial"))
def read(reading: Reading, caller: CurrentCaller, now: Now, reply: Reply) -> "Answer[SubscriptionOut]":
    """The caller's own; 404 if there was never one."""
    return reply(_subscription_out(subscription_of(reading, caller.account_id), now))


@operations.patch(
    "",
    "Change subscription",
    door="bearer",
    seed="Change subscription",
    errors=(404, 409, 415, 422),
    example=example("active"),
)
def change(
    db: Db, caller: CurrentCaller, now: Now, reply: Reply, body: ChangedSubscription
) -> "Answer[SubscriptionOut]":
    """trial → active → past_due → active, canceled or expired; trial and active can be canceled too. Any other step is
    409."""
    changed = change_subscription(db, caller.account_id, now, state=body.state, plan=body.plan)
    return reply(_subscription_out(changed, now))


def _subscription_out(found: Subscription, now: datetime) -> SubscriptionOut:
    return Resource(
        type="subscription",
        id=found.account_id,
        attributes=SubscriptionAttributes(
            plan=found.plan,
            state=found.state_at(now),
            started_at=found.started_at,
            changed_at=found.changed_at,
            ends_at=found.ends_at,
        ),
    )
