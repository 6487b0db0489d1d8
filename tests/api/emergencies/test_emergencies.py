"""The operations of an emergency: who may raise, see and change one, and what each is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from httpx2 import Response

from ficha.accounts.accounts import Role
from ficha.emergencies.emergency_events import sticker_topic
from ficha.fmd.grants import Grant, GrantKind
from tests.emergencies.house import HERE, House, Sticker, contact, father, opened_house
from tests.world import Person, World


@pytest.fixture
def house(world: World) -> Iterator[House]:
    with opened_house(world) as house:
        yield house


def raised(answer: Response) -> int:
    assert answer.status_code == 201, answer.text
    return int(answer.json()["data"]["id"])


def patch(house: House, person: Person, emergency: int, state: str) -> Response:
    return house.world.client.patch(f"/v2/emergencies/{emergency}", json={"state": state}, headers=person.headers)


def granted(house: House, sticker: Sticker, kind: GrantKind) -> Person:
    person = house.world.somebody_with(Role.OWNER)
    with house.database.writing() as session:
        session.add(
            Grant(
                record_id=sticker.record_id,
                account_id=person.id,
                kind=kind,
                edits=False,
                granted_at=house.now,
                ends_at=house.now + timedelta(days=1),
            )
        )
    return person


def test_a_sticker_in_the_hand_is_enough(house: House) -> None:
    sticker = house.sticker(contact())
    answer = house.press(sticker, HERE)
    emergency = raised(answer)
    content = answer.json()
    assert content["meta"]["status"] == 201
    attributes = content["data"]["attributes"]
    assert attributes["state"] == "open" and attributes["entrance"] == "tag" and attributes["opened_by"] == "tag"
    assert attributes["fmd_code"] is None, "a sticker does not tell the record's number"
    told = {event.account_id for event in house.events("emergency.opened")}
    assert told == {None, sticker.owner.id, sticker_topic(sticker.record_id)}
    entry = house.log_of(sticker)[-1]
    assert (entry.action, entry.actor, entry.via) == ("emergency.opened", "tag", "tag")
    assert entry.what == [f"emergency:{emergency}"] and entry.origin
    assert [kind for kind, _ in house.waiting()] == ["emergencia.paso"]


def test_scans_within_ten_minutes_are_one_emergency(house: House) -> None:
    sticker = house.sticker(contact())
    first = raised(house.press(sticker))
    house.world.clock.move(minutes=9)
    again = house.press(sticker, HERE)
    assert again.status_code == 200 and again.json()["meta"]["status"] == 200
    assert again.json()["data"]["id"] == first and again.json()["data"]["attributes"]["scans"] == 2
    seen = sticker.owner.get(f"/v2/emergencies/{first}").json()["data"]["attributes"]
    assert seen["position"]["lat"] == 10.48801, "the later scan knew where"
    house.world.clock.move(minutes=9)
    assert house.press(sticker).status_code == 200, "ten minutes from the last scan"
    house.world.clock.move(minutes=10, seconds=1)
    assert raised(house.press(sticker)) != first
    joined = [entry.action for entry in house.log_of(sticker) if entry.action.startswith("emergency.")]
    assert joined == ["emergency.opened", "emergency.joined", "emergency.joined", "emergency.opened"]


def test_a_scan_after_the_end_begins_anew(house: House) -> None:
    sticker = house.sticker(contact())
    first = raised(house.press(sticker))
    assert patch(house, sticker.owner, first, "resolved").status_code == 200
    assert raised(house.press(sticker)) != first


def test_a_worse_position_does_not_replace_a_better_one(house: House) -> None:
    sticker = house.sticker(contact())
    emergency = raised(house.press(sticker, HERE))
    far = {"lat": 11.0, "lng": -66.0, "accuracy": 5000}

    def place() -> float:
        seen = sticker.owner.get(f"/v2/emergencies/{emergency}").json()["data"]["attributes"]
        return float(seen["position"]["lat"])

    assert house.press(sticker, far).status_code == 200
    assert place() == 10.48801
    house.world.clock.move(minutes=6)
    assert house.press(sticker, far).status_code == 200
    assert place() == 11.0, "after some minutes, newer counts more than finer"


def test_two_presses_at_once_make_one_emergency(house: House) -> None:
    sticker = house.sticker(contact())
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: house.press(sticker, HERE), range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    house.settle()
    assert len(house.emergencies()) == 1 and len(house.alerts()) == 1
    assert house.emergencies()[0].scans == 6


def test_the_same_request_again_under_its_key_is_the_same_answer(house: House) -> None:
    sticker = house.sticker(contact())
    body = {"code": sticker.code, "tag": sticker.tag}
    key = {"Idempotency-Key": "boton-1"}
    first = house.world.client.post("/v2/emergencies", json=body, headers=key)
    again = house.world.client.post("/v2/emergencies", json=body, headers=key)
    assert first.status_code == again.status_code == 201
    assert again.headers["Idempotency-Replayed"] == "true" and first.json() == again.json()
    assert house.emergencies()[0].scans == 1


@pytest.mark.parametrize("spoil", ["tag", "code", "lost"])
def test_what_opens_nothing_alerts_nobody(house: House, spoil: str) -> None:
    sticker = house.sticker(contact())
    body = {"code": sticker.code, "tag": sticker.tag}
    if spoil == "tag":
        body["tag"] = "QX7M2K5TNBP4RWZC6DHJ3VFYGA"
    elif spoil == "code":
        body["code"] = "ZZZZZZ"
    else:
        assert sticker.owner.post(f"/v2/products/{sticker.code}/lost").status_code == 200
    answer = house.world.client.post("/v2/emergencies", json=body)
    assert answer.status_code == 404 and answer.json()["errors"][0]["code"] == "ficha_no_encontrada"
    assert house.emergencies() == []


def test_who_may_open_the_record_may_raise_the_alarm(house: House) -> None:
    sticker = house.sticker(contact())
    body = {"code": sticker.code}
    assert house.world.client.post("/v2/emergencies", json=body).status_code == 401
    assert house.world.register().post("/v2/emergencies", body).status_code == 404
    delegate = granted(house, sticker, GrantKind.DELEGATE)
    answer = delegate.post("/v2/emergencies", body)
    assert raised(answer)
    attributes = answer.json()["data"]["attributes"]
    assert attributes["opened_by"] == f"account:{delegate.id}" and attributes["entrance"] == "bearer"
    assert attributes["fmd_code"] == sticker.record_id


@pytest.mark.parametrize(
    ("position", "pointer"),
    [
        ({"lat": 91, "lng": 0}, "/position/lat"),
        ({"lat": 0, "lng": -181}, "/position/lng"),
        ({"lat": 0, "lng": 0, "accuracy": -1}, "/position/accuracy"),
        ({"lat": 0, "lng": 0, "altura": 3}, "/position/altura"),
        ({"lat": 0}, "/position/lng"),
        ({"lat": 0, "lng": 0, "taken_at": "2026-11-15T12:00:00"}, "/position/taken_at"),
    ],
)
def test_a_place_that_cannot_be_is_refused(house: House, position: dict[str, Any], pointer: str) -> None:
    answer = house.press(house.sticker(contact()), position)
    assert answer.status_code == 422
    assert [error["source"]["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert house.emergencies() == []


def test_a_rehearsal_shows_what_would_be_sent_and_sends_nothing(house: House) -> None:
    sticker = house.sticker(contact(), father(correo=None))
    answer = sticker.owner.post("/v2/emergencies", {"code": sticker.code, "simulacro": True})
    drill = raised(answer)
    house.settle()
    house.pass_seconds(1800)
    seen = sticker.owner.get(f"/v2/emergencies/{drill}").json()["data"]["attributes"]
    assert seen["simulacro"] is True
    assert [(step["nombre"], step["channel"], step["state"]) for step in seen["steps"]] == [
        ("María Rojas", "whatsapp", "simulated"),
        ("María Rojas", "correo", "simulated"),
        ("Pedro Pérez", "whatsapp", "simulated"),
        ("", "staff", "simulated"),
    ]
    assert house.alerts() == [] and house.world.mails() == [] and house.waiting() == []
    assert None not in {event.account_id for event in house.events("emergency.opened")}, "staff hear nothing"
    assert raised(house.press(sticker)) != drill, "a real scan is real, rehearsal or not"
    house.settle()
    assert len(house.alerts()) == 1


def test_only_the_owner_and_her_guardians_rehearse(house: House) -> None:
    sticker = house.sticker(contact())
    body = {"code": sticker.code, "simulacro": True}
    assert house.press(sticker, simulacro=True).status_code == 401, "a sticker is not enough"
    assert granted(house, sticker, GrantKind.DELEGATE).post("/v2/emergencies", body).status_code == 403
    assert granted(house, sticker, GrantKind.GUARDIAN).post("/v2/emergencies", body).status_code == 201


def test_owner_guardian_and_delegate_see_it_and_say_how_it_goes_on(house: House) -> None:
    sticker = house.sticker(contact())
    emergency = raised(house.press(sticker, HERE))
    house.settle()
    for kind in GrantKind:
        person = granted(house, sticker, kind)
        assert person.get(f"/v2/emergencies/{emergency}").status_code == 200
        listed = person.get("/v2/emergencies").json()["data"]
        assert [each["id"] for each in listed] == [emergency]
    institution = granted(house, sticker, GrantKind.INSTITUTION)
    assert patch(house, institution, emergency, "resolved").status_code == 403
    delegate = granted(house, sticker, GrantKind.DELEGATE)
    answer = patch(house, delegate, emergency, "acknowledged")
    assert answer.json()["data"]["attributes"]["acknowledged_by"] == f"account:{delegate.id}"
    house.pass_seconds(600)
    assert len(house.alerts()) == 1 and house.world.mails() == [], "the ladder stops"
    again = patch(house, sticker.owner, emergency, "acknowledged")
    assert again.status_code == 200
    assert again.json()["data"]["attributes"]["acknowledged_by"] == f"account:{delegate.id}", "the first counts"
    assert patch(house, sticker.owner, emergency, "resolved").status_code == 200
    refused = patch(house, sticker.owner, emergency, "canceled")
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "emergencia_terminada"
    actions = [entry.action for entry in house.log_of(sticker) if entry.actor != "ladder"]
    assert [action for action in actions if action.startswith("emergency.") and action != "emergency.read"] == [
        "emergency.opened",
        "emergency.acknowledged",
        "emergency.resolved",
    ]


def test_others_cannot_tell_whether_it_exists(house: House) -> None:
    sticker = house.sticker(contact())
    emergency = raised(house.press(sticker))
    stranger = house.world.register()
    answers = [
        stranger.get(f"/v2/emergencies/{emergency}"),
        stranger.get("/v2/emergencies/999999"),
        patch(house, stranger, emergency, "canceled"),
        patch(house, stranger, 999999, "canceled"),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({str(answer.json()["errors"]) for answer in answers}) == 1
    assert stranger.get("/v2/emergencies").json()["data"] == []
    assert house.emergency(emergency).state == "open"


def test_staff_see_the_queue_and_no_names(house: House) -> None:
    sticker = house.sticker(contact())
    staff = house.world.somebody_with(Role.OWNER, Role.STAFF)
    emergency = raised(house.press(sticker, HERE))
    house.settle()
    assert staff.get(f"/v2/emergencies/{emergency}").status_code == 404, "the family is being tried"
    assert staff.get("/v2/emergencies").json()["data"] == []
    house.pass_seconds(60)
    house.pass_seconds(60)
    seen = staff.get(f"/v2/emergencies/{emergency}")
    assert seen.status_code == 200 and "María" not in seen.text and "Ana" not in seen.text
    assert [step["relacion"] for step in seen.json()["data"]["attributes"]["steps"]] == ["madre", "madre", ""]
    assert [each["id"] for each in staff.get("/v2/emergencies").json()["data"]] == [emergency]
    assert patch(house, staff, emergency, "resolved").status_code == 403
    house.world.drain_reads()
    entry = house.log_of(sticker)[-1]
    assert (entry.action, entry.actor, entry.via) == ("emergency.read", f"account:{staff.id}", "staff")


def test_a_long_list_comes_in_pages(house: House) -> None:
    sticker = house.sticker()
    made = []
    for _ in range(3):
        made.append(raised(house.press(sticker)))
        assert patch(house, sticker.owner, made[-1], "canceled").status_code == 200
    first = sticker.owner.get("/v2/emergencies?size=2").json()
    assert [each["id"] for each in first["data"]] == [made[2], made[1]]
    following = first["meta"]["page"]["next"]
    rest = sticker.owner.get(f"/v2/emergencies?size=2&cursor={following}").json()
    assert [each["id"] for each in rest["data"]] == [made[0]] and rest["meta"]["page"]["next"] is None
    assert sticker.owner.get("/v2/emergencies?state=open").json()["data"] == []


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("google", "https://www.google.com/maps/search/?api=1&query=10.48801,-66.87919"),
        ("osm", "https://www.openstreetmap.org/?mlat=10.48801&mlon=-66.87919#map=17/10.48801/-66.87919"),
        ("apple", "https://maps.apple.com/?ll=10.48801,-66.87919&q=Plaza%20Bol%C3%ADvar%20%26%20caf%C3%A9"),
        ("waze", "https://waze.com/ul?ll=10.48801,-66.87919&navigate=yes"),
        ("geo", "geo:10.48801,-66.87919?q=10.48801,-66.87919(Plaza%20Bol%C3%ADvar%20%26%20caf%C3%A9)"),
    ],
)
def test_a_place_on_everybody_s_map(house: House, provider: str, url: str) -> None:
    place: dict[str, Any] = {"lat": 10.48801, "lng": -66.87919, "label": "Plaza Bolívar & café", "provider": provider}
    answer = house.world.client.get("/v2/maps/url", params=place)
    assert answer.json()["data"] == {"provider": provider, "url": url}


def test_no_map_shows_a_place_that_cannot_be(house: House) -> None:
    impossible: list[dict[str, Any]] = [
        {"lat": 91, "lng": 0},
        {"lat": 0},
        {"lat": 0, "lng": "x"},
        {"lat": 0, "lng": 0, "provider": "bing"},
    ]
    for bad in impossible:
        assert house.world.client.get("/v2/maps/url", params=bad).status_code == 422
    zero = house.world.client.get("/v2/maps/url", params={"lat": -0.00000001, "lng": 0, "provider": "geo"})
    assert zero.json()["data"]["url"] == "geo:0,0"
