"""Notifications: signed, repeated, doubled, out of order, in batches."""

import json
import time
from urllib.parse import urlsplit

import pytest

from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.loopback import NotLoopback
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.webhooks import signature
from tests.sandbox.whatsapp.conftest import ANA, USERNAME, Business
from tests.sandbox.whatsapp.receiver import Receiver

SECRET = "app-secret-for-tests"
VECTORS = [
    (b'{"a":1}', "3d6306699b4e205d0a64c07f0ff3996a9099bb67b3ae846621a04c39cf495bd1"),
    (
        rb'{"object":"whatsapp_business_account","entry":[{"id":"0","changes":[{"field":"messages","value":'
        rb'{"messaging_product":"whatsapp","metadata":{"display_phone_number":"16505551111","phone_number_id":'
        rb'"123456123"},"contacts":[{"profile":{"name":"Zo\u00eb"},"wa_id":"16315551181"}],"messages":[{"from":'
        rb'"16315551181","id":"ABGGFlA5Fpa","timestamp":"1504902988","type":"text","text":{"body":'
        rb'"this is a text message"}}]}}]}]}',
        "6c1a2eb1475afadb04c207ad19f6769439ff7ffad6e46130eafcf00943b6c783",
    ),
]


@pytest.mark.parametrize(("body", "expected"), VECTORS)
def test_signatures_are_those_of_the_contract(body: bytes, expected: str) -> None:
    assert signature(SECRET, body) == f"sha256={expected}"


def test_the_signature_covers_the_exact_bytes_with_their_escapes(business: Business) -> None:
    business.receive(type="text", text="Zoë y Ñañez 👍", name="Zoë")
    business.wait_until_idle()
    [notification] = business.receiver.notifications
    assert rb"Zo\u00eb" in notification.body and notification.body.isascii() and b'": ' not in notification.body
    assert notification.is_signed_with(business.config.app_secret)
    assert notification.signature != signature(
        business.config.app_secret, json.dumps(notification.json, ensure_ascii=False).encode()
    )
    assert business.receiver.messages[0]["text"]["body"] == "Zoë y Ñañez 👍"


def test_a_signature_may_be_wrong_on_purpose(business: Business) -> None:
    business.change_behaviour(wrong_signature=True)
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    assert not business.receiver.notifications[0].is_signed_with(business.config.app_secret)


def test_what_is_not_accepted_is_sent_again(business: Business) -> None:
    business.receiver.answers = [500, 302, 404]
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    assert [each.answered for each in business.receiver.notifications] == [500, 302, 404, 200]
    assert len({each.body for each in business.receiver.notifications}) == 1
    attempts = [entry for entry in business.control.get("/log").json() if entry["kind"] == "webhook"]
    assert [(each["attempt"], each["status"]) for each in attempts] == [(1, 500), (2, 302), (3, 404), (4, 200)]


def test_what_is_never_accepted_is_given_up(business: Business) -> None:
    business.receiver.answers = [503] * 10
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    assert [each.answered for each in business.receiver.notifications] == [503] * 4


def test_a_receiver_that_was_away_gets_it_when_it_is_back() -> None:
    with Receiver() as gone:
        address = gone.url
    waiting = Behaviour(webhook_retries=(0.05,) * 200)
    with Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(webhook_url=address, behaviour=waiting))) as sandbox:
        sandbox.receive(from_=ANA, type="text", text="Hola")
        while not sandbox.whatsapp.journal.entries:
            time.sleep(0.005)
        assert sandbox.whatsapp.journal.entries[0].status is None
        with Receiver(port=urlsplit(address).port or 0) as back:
            sandbox.wait_until_idle()
            assert [message["text"]["body"] for message in back.messages] == ["Hola"]


def test_everything_may_come_twice(business: Business) -> None:
    business.change_behaviour(webhook_copies=2)
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    first, second = business.receiver.notifications
    assert first.body == second.body


@pytest.mark.parametrize(
    ("plan", "reads", "expected"),
    [
        ("normal", False, ["sent", "delivered"]),
        ("normal", True, ["sent", "delivered", "read"]),
        ("read_only", False, ["sent", "read"]),
        ("reordered", False, ["delivered", "sent"]),
        ("reordered", True, ["read", "delivered", "sent"]),
        ("duplicates", False, ["sent", "sent", "delivered", "delivered"]),
        ("none", True, []),
    ],
)
def test_statuses_come_in_the_order_that_was_asked_for(
    business: Business, plan: str, reads: bool, expected: list[str]
) -> None:
    business.receive(type="text", text="Hola")
    business.change_behaviour(statuses=plan, auto_read=reads)
    wamid = business.send_text()
    business.wait_until_idle()
    assert business.statuses_of(wamid) == expected


def test_many_updates_may_share_one_body(business: Business) -> None:
    business.change_behaviour(batch_seconds=0.3, per_second=None)
    business.receive(type="text", text="Hola")
    business.receive(from_="+584125550102", type="text", text="Hola")
    sent = [business.send_text(), business.send_text(to="+584125550102"), business.send_text(to="+584125550103")]
    business.wait_until_idle()
    assert len(business.receiver.messages) == 2
    assert (
        sorted(each["status"] for each in business.receiver.statuses) == ["delivered"] * 2 + ["failed"] + ["sent"] * 2
    )
    assert {each["id"] for each in business.receiver.statuses} == set(sent)
    # Seven updates, in one body when this machine is not too busy.
    assert len(business.receiver.notifications) < 5
    assert any(len(notification.statuses) > 1 for notification in business.receiver.notifications)


def test_statuses_have_a_conversation_until_version_24(business: Business) -> None:
    business.receive(type="text", text="Hola")
    url = business.sandbox.url
    body = {"messaging_product": "whatsapp", "to": ANA, "text": {"body": "x"}}
    old = business.client.post(f"{url}/v23.0/{business.number}/messages", json=body).json()["messages"][0]["id"]
    new = business.client.post(f"{url}/v24.0/{business.number}/messages", json=body).json()["messages"][0]["id"]
    business.wait_until_idle()
    statuses = {(each["id"], each["status"]): each for each in business.receiver.statuses}
    assert "expiration_timestamp" in statuses[old, "sent"]["conversation"]
    assert "expiration_timestamp" not in statuses[old, "delivered"]["conversation"]
    assert "conversation" not in statuses[new, "sent"]


def test_someone_with_a_username_shows_no_number(business: Business) -> None:
    business.receive(from_=USERNAME, type="text", text="Ayuda", name="Sheena", username="sheena.n")
    business.wait_until_idle()
    [value] = business.receiver.notifications[0].values
    assert value["contacts"] == [{"profile": {"name": "Sheena", "username": "sheena.n"}, "user_id": USERNAME}]
    assert value["messages"][0]["from_user_id"] == USERNAME and "from" not in value["messages"][0]


def test_user_ids_may_be_left_out_as_before_2026(business: Business) -> None:
    business.change_behaviour(with_user_ids=False)
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    [value] = business.receiver.notifications[0].values
    assert set(value["contacts"][0]) == {"profile", "wa_id"} and "from_user_id" not in value["messages"][0]


def test_the_dashboard_sends_its_own_test(business: Business) -> None:
    business.control.post("/webhook-test")
    business.wait_until_idle()
    assert business.receiver.notifications[0].body == VECTORS[1][0].replace(rb"Zo\u00eb", b"test user name")
    business.control.post("/webhook-test", json={"bare": True})
    business.wait_until_idle()
    assert set(business.receiver.notifications[1].json) == {"field", "value"}


def test_the_receiver_is_asked_for_its_token(business: Business) -> None:
    assert business.control.post("/webhook-verify").json() == {"verified": True}
    assert business.control.post("/webhook-verify", json={"verify_token": "otro"}).json() == {"verified": False}


def test_anything_else_can_be_sent_as_it_is(business: Business) -> None:
    business.control.post("/messages/raw", json={"field": "account_update", "value": {"event": "ACCOUNT_DELETED"}})
    business.control.post("/messages/raw", json={"body": {"field": "security", "value": {}}})
    business.wait_until_idle()
    kinds = {json.dumps(each.json)[:60] for each in business.receiver.notifications}
    assert len(kinds) == 2 and all(each.answered == 200 for each in business.receiver.notifications)
    assert business.control.post("/messages/raw", json={"valor": 1}).status_code == 400


def test_only_this_machine_is_notified() -> None:
    for far in (
        "https://127.0.0.1/hook",
        "http://ejemplo.com/hook",
        "http://127.0.0.1.ejemplo.com/",
        "ftp://localhost/",
    ):
        with pytest.raises(NotLoopback):
            WhatsAppConfig(webhook_url=far)
