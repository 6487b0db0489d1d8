"""Who guesses codes is noticed: at the first decoy, and at the second person."""

import threading

import pytest
import structlog

from ficha.products.decoys import Guessing, is_decoy, make_decoys, note_typed, prune_typed, touch_decoy
from ficha.products.product import Product
from tests.emergencies.house import House, Sticker

HERE = "203.0.113.9"


def typed(house: House, sticker: Sticker, origin: str = HERE) -> Guessing | None:
    with house.database.writing() as session:
        return note_typed(session, house.world.parts.secrets, sticker.code, house.now, origin=origin)


def touched(house: House, code: str, origin: str = HERE) -> Guessing | None:
    with house.database.writing() as session:
        return touch_decoy(session, code, house.now, origin=origin)


def decoys(house: House, count: int) -> list[str]:
    with house.database.writing() as session:
        return list(make_decoys(session, house.now, count))


def alarms(house: House, kind: Guessing) -> int:
    """As staff hears them. From where is for the log alone."""
    found = house.events(kind.value)
    for event in found:
        assert event.account_id is None, "for staff alone"
        assert event.payload == {"at": event.at.isoformat()}
    return len(found)


def test_the_first_touch_of_a_decoy_alarms_and_the_next_only_count(house: House) -> None:
    code, other, _ = decoys(house, 3)
    with structlog.testing.capture_logs() as lines:
        assert touched(house, code.lower()) is Guessing.DECOY
        assert [touched(house, code) for _ in range(2)] == [None, None]
    assert lines == [{"event": "codes.decoy_touched", "origin": HERE, "log_level": "error"}]
    assert alarms(house, Guessing.DECOY) == 1
    assert touched(house, other) is Guessing.DECOY
    assert alarms(house, Guessing.DECOY) == 2


def test_a_decoy_that_one_scraper_met_warns_of_the_next(house: House) -> None:
    [code] = decoys(house, 1)
    touched(house, code)
    house.world.clock.move(hours=23)
    assert touched(house, code) is None
    house.world.clock.move(hours=2)
    assert touched(house, code) is Guessing.DECOY
    assert touched(house, code) is None


def test_a_decoy_looks_like_a_code_that_never_was(house: House) -> None:
    sticker = house.sticker()
    [code] = decoys(house, 1)
    with house.database.reading() as session:
        assert is_decoy(session, code) and not is_decoy(session, sticker.code)
        assert session.get_one(Product, code).tag_hash is None
    assert touched(house, sticker.code) is None
    unknown = sticker.owner.post("/v2/products/ZZZZZZ/claim")
    decoy = sticker.owner.post(f"/v2/products/{code}/claim")
    assert (decoy.status_code, decoy.json()["errors"]) == (unknown.status_code, unknown.json()["errors"])


def test_one_address_with_the_codes_of_two_people_alarms_before_the_third(house: House) -> None:
    first, second, third = (house.sticker() for _ in range(3))
    assert [typed(house, first), typed(house, first)] == [None, None]
    assert typed(house, second) is Guessing.PEOPLE
    assert alarms(house, Guessing.PEOPLE) == 1
    assert typed(house, third) is None, "said already"
    assert typed(house, third, "203.0.113.10") is None, "somebody else"
    assert alarms(house, Guessing.PEOPLE) == 1


def test_several_stickers_of_one_person_are_one_person(house: House) -> None:
    sticker = house.sticker()
    for code in sticker.owner.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"]:
        assert typed(house, Sticker(sticker.owner, code, "")) is None
    assert alarms(house, Guessing.PEOPLE) == 0


def test_two_at_once_are_noticed_too(house: House) -> None:
    """While the first is not committed, the second would see only itself."""
    first, second = house.sticker(), house.sticker()
    raised: list[Guessing | None] = []
    other = threading.Thread(target=lambda: raised.append(typed(house, second)))
    with house.database.writing() as session:
        assert note_typed(session, house.world.parts.secrets, first.code, house.now, origin=HERE) is None
        other.start()
        other.join(1)  # It waits for us, so this never ends early.
    other.join(30)
    assert raised == [Guessing.PEOPLE]
    assert alarms(house, Guessing.PEOPLE) == 1


@pytest.mark.parametrize(("other", "is_one"), [("2001:db8:1:2:ffff::7", True), ("2001:db8:1:3::1", False)])
def test_a_household_of_the_new_internet_is_one_address(house: House, other: str, is_one: bool) -> None:
    first, second = house.sticker(), house.sticker()
    typed(house, first, "2001:db8:1:2::1")
    assert typed(house, second, other) is (Guessing.PEOPLE if is_one else None)


def test_yesterday_s_codes_are_forgotten(house: House) -> None:
    first, second = house.sticker(), house.sticker()
    typed(house, first)
    house.world.clock.move(hours=24)
    assert typed(house, second) is None
    with house.database.writing() as session:
        prune_typed(session, house.now)
    assert alarms(house, Guessing.PEOPLE) == 0
