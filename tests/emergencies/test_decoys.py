"""Who guesses codes is noticed: at the first decoy, and at the second person."""

from ficha.emergencies.decoys import is_decoy, make_decoys, note_typed, prune_typed, touch_decoy
from ficha.fmd.codes import Product
from tests.emergencies.house import House, Sticker


def typed(house: House, sticker: Sticker, origin: str = "203.0.113.9") -> int:
    with house.database.writing() as session:
        return note_typed(session, house.world.parts.secrets, sticker.code, house.now, origin=origin)


def alarms(house: House, kind: str) -> list[dict[str, object]]:
    found = house.events(kind)
    assert all(event.account_id is None for event in found), "for staff alone"
    return [event.payload for event in found]


def test_the_first_touch_of_a_decoy_alarms_and_the_next_only_count(house: House) -> None:
    with house.database.writing() as session:
        codes = list(make_decoys(session, house.now, 3))
    for _ in range(3):
        with house.database.writing() as session:
            assert touch_decoy(session, codes[0].lower(), house.now, origin="203.0.113.9")
    assert [alarm["origin"] for alarm in alarms(house, "codes.decoy_touched")] == ["203.0.113.9"]


def test_a_decoy_looks_like_a_code_that_never_was(house: House) -> None:
    sticker = house.sticker()
    with house.database.writing() as session:
        (code,) = make_decoys(session, house.now, 1)
        assert is_decoy(session, code) and not is_decoy(session, sticker.code)
        assert not touch_decoy(session, sticker.code, house.now, origin="")
        assert session.get_one(Product, code).tag_hash is None
    unknown = sticker.owner.post("/v2/products/ZZZZZZ/claim")
    decoy = sticker.owner.post(f"/v2/products/{code}/claim")
    assert (decoy.status_code, decoy.json()["errors"]) == (unknown.status_code, unknown.json()["errors"])


def test_one_address_with_the_codes_of_two_people_alarms_before_the_third(house: House) -> None:
    first, second, third = (house.sticker() for _ in range(3))
    assert [typed(house, first), typed(house, first)] == [1, 1]
    assert alarms(house, "codes.typed_by_one_address") == []
    assert typed(house, second) == 2
    assert len(alarms(house, "codes.typed_by_one_address")) == 1
    assert typed(house, third) == 3
    assert len(alarms(house, "codes.typed_by_one_address")) == 1
    assert typed(house, third, "203.0.113.10") == 1, "somebody else"


def test_a_household_of_the_new_internet_is_one_address(house: House) -> None:
    first, second = house.sticker(), house.sticker()
    typed(house, first, "2001:db8:1:2::1")
    assert typed(house, second, "2001:db8:1:2:ffff::7") == 2
    assert len(alarms(house, "codes.typed_by_one_address")) == 1


def test_yesterday_s_codes_are_forgotten(house: House) -> None:
    first, second = house.sticker(), house.sticker()
    typed(house, first)
    house.world.clock.move(hours=24)
    assert typed(house, second) == 1
    with house.database.writing() as session:
        prune_typed(session, house.now)
    assert alarms(house, "codes.typed_by_one_address") == []
