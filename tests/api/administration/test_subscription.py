"""A subscription: asked for by its owner, changed by known steps, ended by time; and what its plan allows."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.administration.jobs import END_SUBSCRIPTIONS
from ficha.administration.plans import BASE, PLANS
from ficha.administration.subscriptions import (
    GRACE,
    OVER,
    STEPS,
    ChangedSubscription,
    Subscription,
    SubscriptionState,
    put_subscription,
    subscriptions,
)
from ficha.audit.log import Actor
from ficha.events.events import Event
from ficha.products.codes import issue_code
from tests.web.portal.page_session import again
from tests.web.sticker.sticker import emergencies, sticker_of
from tests.world import Person, World

PATH = "/v2/subscription"
STAFF = Actor("account", 999)
# A way to each state from the trial.
WAYS: dict[str, list[str]] = {
    "trial": [],
    "active": ["active"],
    "past_due": ["active", "past_due"],
    "canceled": ["canceled"],
    "expired": ["active", "past_due", "expired"],
}


def patch(person: Person, **body: object) -> int:
    return person.client.patch(PATH, json=body, headers=person.headers).status_code


def told(person: Person) -> dict[str, Any]:
    attributes: dict[str, Any] = person.get(PATH).json()["data"]["attributes"]
    return attributes


def state_of(person: Person) -> str:
    return str(told(person)["state"])


def put(world: World, person: Person, state: str, plan: str | None = None) -> None:
    """As an administrator does it."""
    with world.parts.database.writing() as tx:
        wanted = ChangedSubscription(state=SubscriptionState(state), plan=plan)
        put_subscription(tx, str(person.id), wanted, STAFF, world.clock.now())


def stored_state(world: World, person: Person) -> str:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Subscription, person.id).state


def test_plans_are_listed_for_everybody(world: World) -> None:
    answer = world.client.get(f"{PATH}/plans")
    plans = {one["id"]: one["attributes"] for one in answer.json()["data"]}
    assert list(plans) == [BASE.name, *PLANS]
    assert plans["familiar"]["title"] == {"es": "Familiar", "en": "Family", "pt": "Familiar"}
    assert plans["familiar"]["allows"] == PLANS["familiar"].allows._asdict()
    assert [name for name, plan in plans.items() if not plan["can_be_asked_for"]] == [BASE.name]
    again = world.client.get(f"{PATH}/plans", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_no_plan_allows_less_than_none() -> None:
    for plan in PLANS.values():
        assert all(mine >= base for mine, base in zip(plan.allows, BASE.allows, strict=True)), plan.name
        assert plan.period_days > GRACE.days, "or a payment in the last days would be for the past"


def test_an_owner_cancels_and_takes_no_other_step(world: World) -> None:
    for start, way in WAYS.items():
        for wanted in SubscriptionState:
            person = world.somebody_with()
            assert person.post(PATH, {"plan": "familiar"}).status_code == 201
            for each in way:
                put(world, person, each)
            expected = 409
            if wanted == start or (wanted == "canceled" and start not in OVER):
                expected = 200
            elif wanted in STEPS[SubscriptionState(start)]:
                expected = 403
            assert patch(person, state=wanted) == expected, (start, wanted)
            assert state_of(person) == (wanted if expected == 200 else start)


def test_one_account_has_one_and_sees_no_other(world: World, ana: Person) -> None:
    assert ana.get(PATH).status_code == 404
    assert patch(ana, state="canceled") == 404
    made = ana.post(PATH, {"plan": "familiar"})
    assert (made.status_code, made.json()["data"]["attributes"]["state"]) == (201, "trial")
    assert ana.post(PATH, {}).status_code == 409
    assert world.somebody_with().get(PATH).status_code == 404


def test_a_trial_ends_and_is_had_once(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "familiar"})
    world.clock.move(days=30)
    ana = again(world, ana)
    assert state_of(ana) == "expired"
    assert patch(ana, state="active") == 403
    assert patch(ana, plan="personal") == 409
    anew = ana.post(PATH, {"plan": "cuidador"})
    assert (anew.status_code, anew.json()["data"]["attributes"]["state"]) == (201, "requested")


def test_a_plan_without_a_trial_waits_and_does_not_spend_it(ana: Person) -> None:
    assert ana.post(PATH, {}).json()["data"]["attributes"] | {"plan": "personal", "state": "requested"} == told(ana)
    assert patch(ana, state="active") == 403
    assert patch(ana, plan="familiar") == 200 and (told(ana)["plan"], state_of(ana)) == ("familiar", "requested")
    assert patch(ana, state="canceled") == 200
    assert ana.post(PATH, {"plan": "familiar"}).json()["data"]["attributes"]["state"] == "trial"


def test_another_plan_is_asked_for_and_counts_once_it_is_given(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "familiar"})
    assert patch(ana, plan="cuidador") == 200
    assert (told(ana)["plan"], told(ana)["asked_plan"], state_of(ana)) == ("familiar", "cuidador", "trial")
    assert patch(ana, plan="familiar") == 200 and told(ana)["asked_plan"] is None
    patch(ana, plan="cuidador")
    put(world, ana, "active", "cuidador")
    assert (told(ana)["plan"], told(ana)["asked_plan"], state_of(ana)) == ("cuidador", None, "active")


def test_time_makes_it_past_due_and_then_expired_and_writes_it_down(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "personal"})
    put(world, ana, "active")
    seen = []
    for days in (29, 2, GRACE.days - 2, 2):
        world.clock.move(days=days)
        # Before the job has run, and for the lists of the console too.
        state = state_of(again(world, ana))
        with world.parts.database.reading() as tx:
            now = world.clock.now()
            listed = [one.state for one in subscriptions(tx, now, limit=9, state=SubscriptionState(state))]
            assert listed == [state]
        world.do(END_SUBSCRIPTIONS)
        world.do(END_SUBSCRIPTIONS)
        assert stored_state(world, ana) == state
        seen.append(state)
    assert seen == ["active", "past_due", "past_due", "expired"]
    with world.parts.database.reading() as tx:
        changes = admin_changes(tx, before_id=MAX_ID, limit=9, kind="subscription")
        events = tx.orm.scalars(select(Event).where(Event.account_id == ana.id).order_by(Event.id)).all()
    steps = [(change.actor, change.after["state"]) for change in reversed(changes)]
    assert steps == [
        (f"account:{ana.id}", "requested"),
        (str(STAFF), "active"),
        ("service", "past_due"),
        ("service", "expired"),
    ]
    told_states = [event.payload["state"] for event in events if event.kind == "subscription.changed"]
    assert told_states == ["requested", "active", "past_due", "expired"]


def test_what_was_paid_lasts_to_its_end_after_it_was_canceled(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "familiar"})
    put(world, ana, "active")
    ends = datetime.fromisoformat(told(ana)["ends_at"])
    assert ends == world.clock.now() + timedelta(days=60), "the trial is not lost by paying early"
    assert patch(ana, state="canceled") == 200
    assert open_records(ana, 7) == [201] * 7
    world.clock.move(days=61)
    assert open_records(again(world, ana), 1) == [409]


def open_records(person: Person, count: int) -> list[int]:
    return [person.post("/v2/fmd", {"relacion": "madre"}).status_code for _ in range(count)]


def test_a_plan_allows_more_records_and_takes_none_away(world: World, ana: Person) -> None:
    most = BASE.allows.records
    assert open_records(ana, most) == [201] * (most - 1) + [409]
    ana.post(PATH, {"plan": "personal"})
    assert open_records(ana, 1) == [409], "what was asked for is not given yet"
    patch(ana, plan="familiar")
    put(world, ana, "active")
    more = PLANS["familiar"].allows.records - most
    assert open_records(ana, more + 1) == [201] * more + [409]
    world.clock.move(days=60)
    ana = again(world, ana)
    assert len(ana.get("/v2/fmd").json()["data"]) == PLANS["familiar"].allows.records
    assert open_records(ana, 1) == [409]


def test_a_plan_allows_more_stickers_for_a_record(world: World, ana: Person) -> None:
    def claim() -> int:
        with world.parts.database.writing() as tx:
            issued = issue_code(tx, world.clock.now())
        return ana.post(f"/v2/products/{issued.code}/claim", {"product_tag": issued.tag}).status_code

    assert [claim() for _ in range(BASE.allows.stickers)] == [200] * (BASE.allows.stickers - 1) + [409]
    ana.post(PATH, {"plan": "familiar"})
    assert claim() == 200
    patch(ana, state="canceled")
    assert claim() == 200, "the trial lasts to its end"
    world.clock.move(days=31)
    ana = again(world, ana)
    assert claim() == 409
    [code] = ana.data["attributes"]["product_codes"]
    assert ana.post(f"/v2/products/{code}/tag").status_code == 200


def test_a_plan_allows_more_people_and_a_record_can_always_be_handed_over(world: World, ana: Person) -> None:
    [code] = ana.data["attributes"]["product_codes"]
    ends = (world.clock.now() + timedelta(days=20)).isoformat()

    def invite(name: str, tipo: str = "delegate") -> int:
        body = {"correo": f"{name}@ejemplo.com", "tipo": tipo, "hasta": ends}
        return ana.post(f"/v2/fmd/{code}/grants", body).status_code

    most = BASE.allows.people
    made = [invite(f"amiga{number}") for number in range(most + 1)]
    assert set(made[:most]) == {made[0]} and made[0] < 300 and made[most] == 409
    assert invite("amiga0") == made[0], "the same person again takes no other place"
    assert invite("heredera", "owner") == made[0]
    ana.post(PATH, {"plan": "familiar"})
    assert invite("otra") == made[0]


def test_the_sticker_of_an_expired_account_opens_and_alerts(world: World) -> None:
    sticker = sticker_of(world)
    assert sticker.owner.post(PATH, {"plan": "familiar"}).status_code == 201
    world.clock.move(days=60)
    world.do(END_SUBSCRIPTIONS)
    assert state_of(again(world, sticker.owner)) == "expired"
    page = sticker.scan()
    assert page.status_code == 200 and "Epilepsia" in page.text
    assert sticker.alert().is_success or sticker.alert().status_code == 303
    assert len(emergencies(world)) == 1


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body", [{"plan": "<script>"}, {"plan": ""}, {"state": "active"}, {"plan": 1}, {"plan": "oro"}]
)
def test_bad_input(ana: Person, body: dict[str, object]) -> None:
    assert ana.post(PATH, body).status_code == 422
    ana.post(PATH, {})
    assert patch(ana, state="gold") == 422
    assert patch(ana, plan="oro") == 422
    assert patch(ana, plan=BASE.name) == 422
    assert patch(ana, estado="active") == 422


def test_an_administrator_does_not_activate_her_own_either(world: World) -> None:
    staff = world.somebody_with(Role.OWNER, Role.STAFF, Role.ADMIN)
    staff.post(PATH, {"plan": "personal"})
    assert patch(staff, state="active") == 403
