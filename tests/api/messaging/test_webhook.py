"""The handshake of the webhook, and the inbox by which staff try a notification."""

from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.api.messaging.webhook import NOTIFICATION
from ficha.messaging.tables import Message
from tests.messaging.webhook_notifications import MARIA, bare, enveloped, message, notify, status, value
from tests.world import Person, World

HOOK = "/v2/webhook/whatsapp"
GOOD = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "sandbox-verify-token"}


@pytest.fixture
def staff(world: World) -> Person:
    return world.somebody_with(Role.STAFF)


def try_out(staff: Person, body: bytes) -> Any:
    headers = staff.headers | {"Content-Type": "application/json"}
    return staff.client.post("/v2/whatsapp/inbox", content=body, headers=headers)


def test_the_platform_gets_its_challenge_and_nothing_else(world: World) -> None:
    for client in (world.client, world.reader):
        answer = client.get(HOOK, params=GOOD)
        assert answer.status_code == 200
        assert answer.content == b"1158201444"
        assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "change",
    [
        {"hub.verify_token": "otra"},
        {"hub.verify_token": ""},
        {"hub.verify_token": "sandbox-verify-tokeñ"},
        {"hub.mode": "unsubscribe"},
        {"hub.mode": None},
        {"hub.challenge": None},
        {"hub.challenge": ""},
        {"hub.challenge": "9" * 201},
        {"hub.challenge": "<b> x"},
        {"hub.verify_token": None, "hub_verify_token": "sandbox-verify-token"},
    ],
)
def test_anybody_else_is_turned_away(world: World, change: dict[str, Any]) -> None:
    asked = {name: value for name, value in (GOOD | change).items() if value is not None}
    answer = world.client.get(HOOK, params=asked)
    assert answer.status_code == 403
    assert answer.json()["errors"][0]["code"] == "saludo_incorrecto"
    assert "1158201444" not in answer.text


def test_what_the_platform_may_add_one_day_does_no_harm(world: World) -> None:
    assert world.client.get(HOOK, params=GOOD | {"hub.new": "x"}).status_code == 200


def test_without_the_lane_nothing_is_taken_in(world: World) -> None:
    assert world.client.post(HOOK, json=NOTIFICATION).status_code == 401
    assert world.rows()["notifications"] == 0


@pytest.mark.parametrize("form", [bare, enveloped])
def test_the_broken_operation_of_the_seed_works(world: World, staff: Person, form: Any) -> None:
    item = message(text="Probando")
    answer = try_out(staff, form(value([item])))
    assert answer.status_code == 200
    assert answer.json()["data"] == {
        "received": True,
        "is_test": True,
        "messages": [f"test:{item['id']}"],
        "statuses": 0,
        "unreadable": 0,
    }
    world.run_jobs()
    found = staff.get(f"/v2/whatsapp/messages/test:{item['id']}").json()["data"]["attributes"]
    assert found["is_test"] and found["state"] == "received" and found["from"] == f"+{MARIA}"
    assert found["content"]["text"]["body"] == "Probando"


def test_the_example_of_the_documents_is_taken(world: World, staff: Person) -> None:
    assert staff.post("/v2/whatsapp/inbox", NOTIFICATION).status_code == 200


def test_a_test_is_answered_by_nobody(world: World, staff: Person) -> None:
    try_out(staff, bare(value([message(text="BAJA")])))
    world.run_jobs()
    with world.parts.database.reading() as tx:
        assert [one.is_ours for one in tx.orm.scalars(select(Message))] == [False]


def test_the_same_words_for_real_arrive_after_the_test(world: World, staff: Person) -> None:
    """A test with another id stands in nobody's way."""
    try_out(staff, bare(value([message(text="Hola")])))
    real = message(text="Hola")
    notify(world, bare(value([real])))
    world.run_jobs()
    assert not staff.get(f"/v2/whatsapp/messages/{real['id']}").json()["data"]["attributes"]["is_test"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"field":"messages"}',
        b'{"field":5,"value":{}}',
        b'{"field":"messages","value":[]}',
        b'{"object":"whatsapp_business_account","entry":{}}',
        b'{"object":"whatsapp_business_account","entry":[]}',
        b'{"object":"whatsapp_business_account","entry":[{"id":"0"}]}',
        b'{"field":"messages","value":{"messages":[{"id":5}]}}',
        b"[]",
        b'"hola"',
        b"",
    ],
)
def test_what_is_no_notification_at_all_is_refused(world: World, staff: Person, body: bytes) -> None:
    answer = try_out(staff, body)
    assert answer.status_code == 422, answer.text
    assert world.rows()["notifications"] == 0


def test_one_bad_item_does_not_refuse_its_neighbours(world: World, staff: Person) -> None:
    good = message()
    answer = try_out(staff, bare(value([good, {"id": 5}], [status("wamid.X", "read")])))
    assert answer.json()["data"] == {
        "received": True,
        "is_test": True,
        "messages": [f"test:{good['id']}"],
        "statuses": 1,
        "unreadable": 1,
    }


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("body, code", [(b"{", 400), (b'{"field":"a","field":"b"}', 400), (b"\xff", 400)])
def test_what_is_not_json(world: World, staff: Person, body: bytes, code: int) -> None:
    assert try_out(staff, body).status_code == code


def test_only_staff_may_try(world: World) -> None:
    assert world.client.post("/v2/whatsapp/inbox", json=NOTIFICATION).status_code == 401
    assert world.somebody_with(Role.OWNER).post("/v2/whatsapp/inbox", NOTIFICATION).status_code == 403


def test_a_test_does_not_stand_in_the_way_of_the_real_message(world: World, staff: Person) -> None:
    item = message(text="De verdad")
    assert try_out(staff, bare(value([item]))).status_code == 200
    world.run_jobs()
    assert notify(world, bare(value([item]))).status_code == 200
    world.run_jobs()
    found = staff.get(f"/v2/whatsapp/messages/{item['id']}").json()["data"]["attributes"]
    assert not found["is_test"]
