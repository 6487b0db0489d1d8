"""Guessing codes is noticed: at the first decoy, and at the second person."""

import threading

import pytest
import structlog

from ficha.products.decoys import (
    Decoy,
    GuessingAlarm,
    make_decoys,
    note_decoy_typed,
    note_live_code_typed,
    prune_typed_codes,
)
from ficha.products.product import Product
from tests.emergencies.scenario import AlertSticker, EmergencyScenario

HERE = "203.0.113.9"


def type_code(scenario: EmergencyScenario, sticker: AlertSticker, origin: str = HERE) -> GuessingAlarm | None:
    with scenario.database.writing() as tx:
        return note_live_code_typed(tx, scenario.world.parts.secrets, sticker.code, scenario.now, origin=origin)


def type_decoy(scenario: EmergencyScenario, code: str, origin: str = HERE) -> GuessingAlarm | None:
    with scenario.database.writing() as tx:
        return note_decoy_typed(tx, code, scenario.now, origin=origin)


def decoys(scenario: EmergencyScenario, count: int) -> list[str]:
    with scenario.database.writing() as tx:
        return list(make_decoys(tx, scenario.now, count))


def alarms(scenario: EmergencyScenario, kind: GuessingAlarm) -> int:
    """How many events of that alarm staff got. The address is in the log alone."""
    found = scenario.events(kind.value)
    for event in found:
        assert event.account_id is None and event.topic is None, "for staff alone"
        assert event.payload == {"at": event.at.isoformat()}
    return len(found)


def test_a_decoy_raises_an_alarm_the_first_time_and_is_counted_later(scenario: EmergencyScenario) -> None:
    code, other, _ = decoys(scenario, 3)
    with structlog.testing.capture_logs() as lines:
        assert type_decoy(scenario, code.lower()) is GuessingAlarm.DECOY
        assert [type_decoy(scenario, code) for _ in range(2)] == [None, None]
    touched = [line for line in lines if line["event"].startswith("codes.")]
    assert touched == [{"event": "codes.decoy_touched", "origin": HERE, "log_level": "error"}]
    assert alarms(scenario, GuessingAlarm.DECOY) == 1
    assert type_decoy(scenario, other) is GuessingAlarm.DECOY
    assert alarms(scenario, GuessingAlarm.DECOY) == 2


def test_a_decoy_raises_an_alarm_again_after_a_day(scenario: EmergencyScenario) -> None:
    [code] = decoys(scenario, 1)
    type_decoy(scenario, code)
    scenario.world.clock.move(hours=23)
    assert type_decoy(scenario, code) is None
    scenario.world.clock.move(hours=2)
    assert type_decoy(scenario, code) is GuessingAlarm.DECOY
    assert type_decoy(scenario, code) is None


def test_a_decoy_looks_like_a_code_that_never_was(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    [code] = decoys(scenario, 1)
    with scenario.database.reading() as tx:
        assert tx.orm.get(Decoy, code) is not None and tx.orm.get(Decoy, sticker.code) is None
        assert tx.orm.get_one(Product, code).tag_hash is None
    assert type_decoy(scenario, sticker.code) is None
    unknown = sticker.owner.post("/v2/products/ZZZZZZ/claim")
    decoy = sticker.owner.post(f"/v2/products/{code}/claim")
    assert (decoy.status_code, decoy.json()["errors"]) == (unknown.status_code, unknown.json()["errors"])


def test_one_address_with_the_codes_of_two_people_alarms_before_the_third(scenario: EmergencyScenario) -> None:
    first, second, third = (scenario.sticker() for _ in range(3))
    assert [type_code(scenario, first), type_code(scenario, first)] == [None, None]
    assert type_code(scenario, second) is GuessingAlarm.PEOPLE
    assert alarms(scenario, GuessingAlarm.PEOPLE) == 1
    assert type_code(scenario, third) is None, "alarmed already"
    assert type_code(scenario, third, "203.0.113.10") is None, "somebody else"
    assert alarms(scenario, GuessingAlarm.PEOPLE) == 1


def test_several_stickers_of_one_person_are_one_person(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    for code in sticker.owner.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"]:
        assert type_code(scenario, AlertSticker(sticker.owner, code, "")) is None
    assert alarms(scenario, GuessingAlarm.PEOPLE) == 0


def test_two_at_once_are_noticed_too(scenario: EmergencyScenario) -> None:
    """While the first is not committed, the second would see only itself."""
    first, second = scenario.sticker(), scenario.sticker()
    raised: list[GuessingAlarm | None] = []
    other = threading.Thread(target=lambda: raised.append(type_code(scenario, second)))
    with scenario.database.writing() as tx:
        assert note_live_code_typed(tx, scenario.world.parts.secrets, first.code, scenario.now, origin=HERE) is None
        other.start()
        other.join(1)  # It waits for us, so this never ends early.
    other.join(30)
    assert raised == [GuessingAlarm.PEOPLE]
    assert alarms(scenario, GuessingAlarm.PEOPLE) == 1


@pytest.mark.parametrize(("other", "is_one"), [("2001:db8:1:2:ffff::7", True), ("2001:db8:1:3::1", False)])
def test_an_ipv6_household_is_one_address(scenario: EmergencyScenario, other: str, is_one: bool) -> None:
    first, second = scenario.sticker(), scenario.sticker()
    type_code(scenario, first, "2001:db8:1:2::1")
    assert type_code(scenario, second, other) is (GuessingAlarm.PEOPLE if is_one else None)


def test_codes_typed_yesterday_do_not_count(scenario: EmergencyScenario) -> None:
    first, second = scenario.sticker(), scenario.sticker()
    type_code(scenario, first)
    scenario.world.clock.move(hours=24)
    assert type_code(scenario, second) is None
    with scenario.database.writing() as tx:
        prune_typed_codes(tx, scenario.now)
    assert alarms(scenario, GuessingAlarm.PEOPLE) == 0
