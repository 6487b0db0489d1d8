"""Who guesses codes is noticed: at the first decoy, and at the second person."""

import threading

import pytest
import structlog

from ficha.products.decoys import Guessing, is_decoy, make_decoys, note_typed, prune_typed, touch_decoy
from ficha.products.product import Product
from tests.emergencies.scenario import EmergencyScenario, Sticker

HERE = "203.0.113.9"


def typed(scenario: EmergencyScenario, sticker: Sticker, origin: str = HERE) -> Guessing | None:
    with scenario.database.writing() as session:
        return note_typed(session, scenario.world.parts.secrets, sticker.code, scenario.now, origin=origin)


def touched(scenario: EmergencyScenario, code: str, origin: str = HERE) -> Guessing | None:
    with scenario.database.writing() as session:
        return touch_decoy(session, code, scenario.now, origin=origin)


def decoys(scenario: EmergencyScenario, count: int) -> list[str]:
    with scenario.database.writing() as session:
        return list(make_decoys(session, scenario.now, count))


def alarms(scenario: EmergencyScenario, kind: Guessing) -> int:
    """As staff hears them. From where is for the log alone."""
    found = scenario.events(kind.value)
    for event in found:
        assert event.account_id is None and event.topic is None, "for staff alone"
        assert event.payload == {"at": event.at.isoformat()}
    return len(found)


def test_the_first_touch_of_a_decoy_alarms_and_the_next_only_count(scenario: EmergencyScenario) -> None:
    code, other, _ = decoys(scenario, 3)
    with structlog.testing.capture_logs() as lines:
        assert touched(scenario, code.lower()) is Guessing.DECOY
        assert [touched(scenario, code) for _ in range(2)] == [None, None]
    assert lines == [{"event": "codes.decoy_touched", "origin": HERE, "log_level": "error"}]
    assert alarms(scenario, Guessing.DECOY) == 1
    assert touched(scenario, other) is Guessing.DECOY
    assert alarms(scenario, Guessing.DECOY) == 2


def test_a_decoy_that_one_scraper_met_warns_of_the_next(scenario: EmergencyScenario) -> None:
    [code] = decoys(scenario, 1)
    touched(scenario, code)
    scenario.world.clock.move(hours=23)
    assert touched(scenario, code) is None
    scenario.world.clock.move(hours=2)
    assert touched(scenario, code) is Guessing.DECOY
    assert touched(scenario, code) is None


def test_a_decoy_looks_like_a_code_that_never_was(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    [code] = decoys(scenario, 1)
    with scenario.database.reading() as session:
        assert is_decoy(session, code) and not is_decoy(session, sticker.code)
        assert session.get_one(Product, code).tag_hash is None
    assert touched(scenario, sticker.code) is None
    unknown = sticker.owner.post("/v2/products/ZZZZZZ/claim")
    decoy = sticker.owner.post(f"/v2/products/{code}/claim")
    assert (decoy.status_code, decoy.json()["errors"]) == (unknown.status_code, unknown.json()["errors"])


def test_one_address_with_the_codes_of_two_people_alarms_before_the_third(scenario: EmergencyScenario) -> None:
    first, second, third = (scenario.sticker() for _ in range(3))
    assert [typed(scenario, first), typed(scenario, first)] == [None, None]
    assert typed(scenario, second) is Guessing.PEOPLE
    assert alarms(scenario, Guessing.PEOPLE) == 1
    assert typed(scenario, third) is None, "said already"
    assert typed(scenario, third, "203.0.113.10") is None, "somebody else"
    assert alarms(scenario, Guessing.PEOPLE) == 1


def test_several_stickers_of_one_person_are_one_person(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    for code in sticker.owner.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"]:
        assert typed(scenario, Sticker(sticker.owner, code, "")) is None
    assert alarms(scenario, Guessing.PEOPLE) == 0


def test_two_at_once_are_noticed_too(scenario: EmergencyScenario) -> None:
    """While the first is not committed, the second would see only itself."""
    first, second = scenario.sticker(), scenario.sticker()
    raised: list[Guessing | None] = []
    other = threading.Thread(target=lambda: raised.append(typed(scenario, second)))
    with scenario.database.writing() as session:
        assert note_typed(session, scenario.world.parts.secrets, first.code, scenario.now, origin=HERE) is None
        other.start()
        other.join(1)  # It waits for us, so this never ends early.
    other.join(30)
    assert raised == [Guessing.PEOPLE]
    assert alarms(scenario, Guessing.PEOPLE) == 1


@pytest.mark.parametrize(("other", "is_one"), [("2001:db8:1:2:ffff::7", True), ("2001:db8:1:3::1", False)])
def test_a_household_of_the_new_internet_is_one_address(scenario: EmergencyScenario, other: str, is_one: bool) -> None:
    first, second = scenario.sticker(), scenario.sticker()
    typed(scenario, first, "2001:db8:1:2::1")
    assert typed(scenario, second, other) is (Guessing.PEOPLE if is_one else None)


def test_yesterday_s_codes_are_forgotten(scenario: EmergencyScenario) -> None:
    first, second = scenario.sticker(), scenario.sticker()
    typed(scenario, first)
    scenario.world.clock.move(hours=24)
    assert typed(scenario, second) is None
    with scenario.database.writing() as session:
        prune_typed(session, scenario.now)
    assert alarms(scenario, Guessing.PEOPLE) == 0
