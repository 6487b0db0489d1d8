"""Every kind of message that people send to the business, and the buttons they press."""

from typing import Any

import pytest

from tests import local_http
from tests.sandbox.whatsapp.conftest import ANA, ANA_ID, Business
from tests.sandbox.whatsapp.test_templates import button

ALERT = {
    "type": "template",
    "template": {
        "name": "alerta_emergencia",
        "language": {"code": "es"},
        "components": [
            {"type": "body", "parameters": [{"type": "text", "text": text} for text in ("Ana", "14:05", "Plaza")]},
            button(0, "quick_reply", payload="voy:17"),
            button(2, "url", text="x"),
        ],
    },
}
LIST = {
    "type": "interactive",
    "interactive": {
        "type": "list",
        "body": {"text": "Elija"},
        "action": {"button": "Ver", "sections": [{"rows": [{"id": "uno", "title": "Uno", "description": "1.º"}]}]},
    },
}


def test_a_pressed_button_sends_its_payload_back(business: Business) -> None:
    alert = business.send(ALERT)
    business.receive(type="button", text="Voy en camino", reply_to=alert)
    menu = business.send(LIST)
    business.receive(type="interactive", title="Uno", reply_to=menu)
    business.wait_until_idle()
    pressed, chosen = business.receiver.messages
    assert pressed["button"] == {"payload": "voy:17", "text": "Voy en camino"}
    assert pressed["context"] == {"from": "15550783881", "id": alert}
    assert chosen["interactive"] == {
        "type": "list_reply",
        "list_reply": {"id": "uno", "title": "Uno", "description": "1.º"},
    }


def test_what_a_blocked_person_writes_reaches_nobody(business: Business) -> None:
    block = {"messaging_product": "whatsapp", "block_users": [{"user": ANA}]}
    # Not by the business's client, which knows only what is in the contract's subset.
    url, headers = business.client.base_url.join(f"{business.number}/block_users"), business.client.headers
    for method, words in (("POST", "no llega"), ("DELETE", "llega")):
        assert local_http.request(method, url, json=block, headers=headers).status_code == 200
        business.receive(type="text", text=words)
    business.wait_until_idle()
    assert [each["text"]["body"] for each in business.receiver.messages] == ["llega"]


KINDS: list[dict[str, Any]] = [
    {"type": "text", "text": "Hola", "context": {"forwarded": True}},
    {"type": "text", "text": {"body": "Hola"}, "referral": {"source_url": "https://fb.me/x", "source_type": "ad"}},
    *({"type": kind} for kind in ("image", "video", "audio", "document", "sticker")),
    {"type": "location", "latitude": 10.5, "longitude": -66.9},
    {"type": "location", "location": {"latitude": 10.5, "longitude": -66.9, "name": "Plaza", "address": "Centro"}},
    {"type": "contacts"},
    {"type": "button", "text": "Voy", "payload": "voy"},
    {"type": "interactive", "title": "Sí", "payload": "si"},
    {"type": "interactive", "title": "Uno", "payload": "1", "description": "Primero", "reply_to": "wamid.QUFB"},
    {
        "type": "interactive",
        "interactive": {"type": "nfm_reply", "nfm_reply": {"name": "flow", "response_json": "{}", "body": "Sent"}},
    },
    {"type": "reaction", "message_id": "wamid.QUFB", "emoji": "👍"},
    {"type": "reaction", "message_id": "wamid.QUFB"},
    {"type": "order"},
    {"type": "system"},
    {"type": "system", "system_type": "customer_identity_changed"},
    {"type": "system", "system_type": "user_changed_user_id"},
    {"type": "unsupported"},
    {"type": "unsupported", "what": "poll"},
    {"type": "unknown"},
    {"type": "edit", "original_message_id": "wamid.QUFB", "text": "Corregido"},
    {"type": "revoke", "original_message_id": "wamid.QUFB"},
]


@pytest.mark.parametrize("message", KINDS, ids=lambda message: message["type"])
def test_every_kind_of_message_reaches_us(business: Business, message: dict[str, Any]) -> None:
    """The receiver checks each against the contract."""
    wamid = business.receive(**message)
    business.wait_until_idle()
    [heard] = business.receiver.messages
    assert (heard["id"], heard["type"], heard["from"]) == (wamid, message["type"], ANA_ID)
    assert heard["timestamp"] == str(int(business.clock.now().timestamp()))
    [value] = business.receiver.notifications[0].values
    is_about_a_number = message["type"] == "system" and message.get("system_type") != "customer_identity_changed"
    assert ("contacts" in value) != is_about_a_number


@pytest.mark.parametrize(
    "message",
    [
        {"type": "poll"},
        {"type": "text"},
        {"type": "location", "latitude": "x"},
        {"type": "image", "data": "no es base64!"},
        {"type": "reaction"},
        {"type": "button"},
        {"type": "edit"},
        {"type": "revoke"},
        {"type": "text", "text": "x", "from": "Ana"},
        {"type": "text", "text": "x", "from": None},
        {"type": "text", "text": "x", "phone_number_id": "1"},
    ],
)
def test_what_nobody_could_write_is_refused_with_a_sentence(business: Business, message: dict[str, Any]) -> None:
    answer = business.control.post("/messages", json={"from": ANA, **message})
    assert answer.status_code == 400 and len(answer.json()["error"]) > 10
    business.wait_until_idle()
    assert business.receiver.notifications == []
