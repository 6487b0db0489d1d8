"""A subscription changes by known steps only."""

import pytest

from ficha.administration.subscriptions import STEPS, SubscriptionState
from tests.world import Person, World

PATH = "/v2/subscription"
# A way to each state from the trial.
WAYS = {
    "trial": [],
    "active": ["active"],
    "past_due": ["active", "past_due"],
    "canceled": ["canceled"],
    "expired": ["active", "past_due", "expired"],
}


def patch(person: Person, **body: object) -> int:
    return person.client.patch(PATH, json=body, headers=person.headers).status_code


def state_of(person: Person) -> str:
    state: str = person.get(PATH).json()["data"]["attributes"]["state"]
    return state


def test_every_step_and_no_other(world: World) -> None:
    for start, way in WAYS.items():
        for wanted in SubscriptionState:
            person = world.somebody_with()
            assert person.post(PATH, {"plan": "familiar"}).status_code == 201
            assert [patch(person, state=each) for each in way] == [200] * len(way)
            is_step = wanted in STEPS[SubscriptionState(start)] or wanted == start
            assert patch(person, state=wanted) == (200 if is_step else 409), (start, wanted)
            assert state_of(person) == (wanted if is_step else start)


def test_one_account_has_one_and_sees_no_other(world: World, ana: Person) -> None:
    assert ana.get(PATH).status_code == 404
    assert patch(ana, state="active") == 404
    made = ana.post(PATH, {"plan": "familiar"})
    assert (made.status_code, made.json()["data"]["attributes"]["state"]) == (201, "trial")
    assert ana.post(PATH, {}).status_code == 409
    assert world.somebody_with().get(PATH).status_code == 404
    assert patch(ana, plan="personal") == 200
    assert ana.get(PATH).json()["data"]["attributes"]["plan"] == "personal"


def test_a_trial_ends_and_is_had_once(world: World, ana: Person) -> None:
    ana.post(PATH, {})
    world.clock.move(days=30)
    ana.data["attributes"]["token"] = world.token_for(ana.id)
    assert state_of(ana) == "expired"
    assert patch(ana, state="active") == 409
    assert patch(ana, plan="otro") == 409
    again = ana.post(PATH, {"plan": "otro"})
    assert (again.status_code, again.json()["data"]["attributes"]["state"]) == (201, "active")


@pytest.mark.parametrize("body", [{"plan": "<script>"}, {"plan": ""}, {"state": "active"}, {"plan": 1}])
def test_bad_input(ana: Person, body: dict[str, object]) -> None:
    assert ana.post(PATH, body).status_code == 422
    ana.post(PATH, {})
    assert patch(ana, state="gold") == 422
    assert patch(ana, estado="active") == 422
