"""The business writes: what the platform accepts, what it refuses, and with which error."""

import json
from typing import Any

import httpx
import pytest

from ficha.sandbox.whatsapp.people import to_wa_id
from tests.sandbox.whatsapp.conftest import ANA, ANA_ID, USERNAME, Business, body_text, template

MEDIA_ID_UNKNOWN = {"type": "image", "image": {"id": "99"}}


def error_of(answer: httpx.Response) -> dict[str, Any]:
    error: dict[str, Any] = answer.json()["error"]
    return error


def test_a_text_is_accepted_and_its_statuses_carry_our_key(business: Business) -> None:
    business.receive(type="text", text="¿Está ahí?")
    answer = business.post({"type": "text", "text": {"body": "Sí"}, "biz_opaque_callback_data": "clave-1"})
    assert answer.json()["contacts"] == [{"input": ANA, "wa_id": ANA_ID}]
    assert "message_status" not in answer.json()["messages"][0]
    business.wait_until_idle()
    statuses = business.receiver.statuses
    assert [each["status"] for each in statuses] == ["sent", "delivered"]
    assert {each["biz_opaque_callback_data"] for each in statuses} == {"clave-1"}
    assert {each["recipient_id"] for each in statuses} == {ANA_ID}
    assert statuses[0]["pricing"] == {
        "billable": False,
        "pricing_model": "PMP",
        "type": "free_customer_service",
        "category": "service",
    }
    [kept] = business.accepted()
    assert (kept["key"], kept["to"], kept["text"], kept["type"]) == ("clave-1", ANA, "Sí", "text")
    assert kept["body"]["text"] == {"body": "Sí"}


def test_the_type_may_be_left_out_for_text_only(business: Business) -> None:
    assert business.post({"text": {"body": "Hola"}}).status_code == 200
    assert error_of(business.post({"image": {"link": "https://ejemplo.com/a.png"}}))["code"] == 131008


@pytest.mark.parametrize(
    "message",
    [
        {"type": "text", "text": {"body": "ñ" * 4096, "preview_url": True}},
        {
            "type": "location",
            "location": {"latitude": "10.5", "longitude": -66.9, "name": "Plaza", "address": "Centro"},
        },
        {"type": "image", "image": {"link": "https://ejemplo.com/a.png", "caption": "Mapa"}},
        {"type": "video", "video": {"link": "https://ejemplo.com/a.mp4"}},
        {"type": "audio", "audio": {"link": "https://ejemplo.com/a.ogg", "voice": True}},
        {"type": "document", "document": {"link": "https://ejemplo.com/a.pdf", "filename": "a.pdf"}},
        {"type": "sticker", "sticker": {"link": "https://ejemplo.com/a.webp"}},
        {"type": "contacts", "contacts": [{"name": {"formatted_name": "Luis"}, "phones": [{"phone": "+58"}]}]},
        {
            "type": "interactive",
            "interactive": {
                "type": "button",
                "header": {"type": "text", "text": "Ficha"},
                "body": {"text": "¿Va?"},
                "footer": {"text": "Gracias"},
                "action": {
                    "buttons": [
                        {"type": "reply", "reply": {"id": "si", "title": "Sí"}},
                        {"type": "reply", "reply": {"id": "no", "title": "No"}},
                    ]
                },
            },
        },
        {
            "type": "interactive",
            "interactive": {
                "type": "list",
                "body": {"text": "Elija"},
                "action": {"button": "Ver", "sections": [{"rows": [{"id": "1", "title": "Uno", "description": "1"}]}]},
            },
        },
        {
            "type": "interactive",
            "interactive": {
                "type": "location_request_message",
                "body": {"text": "¿Dónde está?"},
                "action": {"name": "send_location"},
            },
        },
        {
            "type": "interactive",
            "interactive": {
                "type": "cta_url",
                "body": {"text": "Vea"},
                "action": {"name": "cta_url", "parameters": {"display_text": "Ver", "url": "https://ejemplo.com"}},
            },
        },
    ],
    ids=lambda message: message["type"] + "." + str(message.get("interactive", {}).get("type", "")),
)
def test_every_type_is_accepted(business: Business, message: dict[str, Any]) -> None:
    business.receive(type="text", text="Hola")
    wamid = business.send(message | {"context": {"message_id": "wamid.QUFB"}})
    business.wait_until_idle()
    assert business.statuses_of(wamid) == ["sent", "delivered"]


BUTTON = {"type": "reply", "reply": {"id": "a", "title": "A"}}


def interactive(**parts: Any) -> dict[str, Any]:
    return {"type": "interactive", "interactive": {"type": "button", "body": {"text": "¿?"}, **parts}}


def rows(count: int, sections: int = 1, **section: Any) -> dict[str, Any]:
    made = [{"rows": [{"id": f"{s}.{n}", "title": "Fila"} for n in range(count)], **section} for s in range(sections)]
    return {"type": "list", "action": {"button": "Ver", "sections": made}}


REFUSED: list[tuple[str, dict[str, Any], int, int, str]] = [
    ("no product", {"messaging_product": None, "text": {"body": "x"}}, 400, 100, "messaging_product"),
    ("wrong product", {"messaging_product": "sms", "text": {"body": "x"}}, 400, 100, "messaging_product"),
    ("nobody", {"to": None, "text": {"body": "x"}}, 400, 100, "The parameter to is required"),
    ("not a number", {"to": "Ana", "text": {"body": "x"}}, 400, 131009, "phone number"),
    ("too short", {"to": "+1234", "text": {"body": "x"}}, 400, 131009, "phone number"),
    ("user id in to", {"to": USERNAME, "text": {"body": "x"}}, 400, 131009, "Param to"),
    ("number in recipient", {"to": None, "recipient": ANA, "text": {"body": "x"}}, 400, 131009, "Param recipient"),
    ("ourselves", {"to": "+1 555-078-3881", "text": {"body": "x"}}, 400, 131021, "same"),
    ("group", {"recipient_type": "group", "text": {"body": "x"}}, 400, 100, "groups"),
    ("unknown type", {"type": "poll", "poll": {}}, 400, 131051, "poll"),
    ("no content", {"type": "text"}, 400, 131008, "'text' is mandatory"),
    ("empty text", {"type": "text", "text": {"body": ""}}, 400, 100, "text['body']"),
    ("long text", {"type": "text", "text": {"body": "x" * 4097}}, 400, 100, "4096"),
    ("long key", {"text": {"body": "x"}, "biz_opaque_callback_data": "x" * 513}, 400, 100, "biz_opaque"),
    ("context without id", {"text": {"body": "x"}, "context": {}}, 400, 100, "context"),
    ("id and link", {"type": "image", "image": {"id": "1", "link": "https://e.com/a.png"}}, 400, 100, "exactly one"),
    ("neither", {"type": "image", "image": {}}, 400, 100, "exactly one"),
    ("unknown file", MEDIA_ID_UNKNOWN, 400, 100, "media attachment ID"),
    ("link of a file", {"type": "image", "image": {"link": "file:///etc/passwd"}}, 400, 131009, "URI"),
    ("caption on audio", {"type": "audio", "audio": {"link": "https://e.com/a", "caption": "x"}}, 400, 100, "caption"),
    ("long caption", {"type": "image", "image": {"link": "https://e.com/a", "caption": "x" * 1025}}, 400, 100, "1024"),
    ("no longitude", {"type": "location", "location": {"latitude": 1}}, 400, 131008, "longitude"),
    ("off the map", {"type": "location", "location": {"latitude": 91, "longitude": 1}}, 400, 131009, "latitude"),
    ("nowhere", {"type": "location", "location": {"latitude": "x", "longitude": 1}}, 400, 131009, "latitude"),
    ("no cards", {"type": "contacts", "contacts": []}, 400, 100, "non-empty"),
    ("nameless card", {"type": "contacts", "contacts": [{"phones": []}]}, 400, 131008, "formatted_name"),
    (
        "reaction to nothing",
        {"type": "reaction", "reaction": {"message_id": "wamid.X", "emoji": "👍"}},
        400,
        131009,
        "ID",
    ),
    ("no buttons", interactive(action={"buttons": []}), 400, 131009, "Invalid buttons count"),
    ("four buttons", interactive(action={"buttons": [BUTTON] * 4}), 400, 131009, "Max allowed buttons: 3"),
    ("twins", interactive(action={"buttons": [BUTTON] * 2}), 400, 131009, "unique"),
    (
        "long label",
        interactive(action={"buttons": [{"type": "reply", "reply": {"id": "a", "title": "x" * 21}}]}),
        400,
        131009,
        "Max length: 20",
    ),
    ("long body", interactive(body={"text": "x" * 1025}, action={"buttons": [BUTTON]}), 400, 131009, "1024"),
    ("no action", interactive(), 400, 131008, "action"),
    ("eleven rows", interactive(**rows(11)), 400, 131009, "10"),
    ("eleven rows in two", interactive(**rows(6, 2, title="Sección")), 400, 131009, "Total row count"),
    ("untitled sections", interactive(**rows(1, 2)), 400, 131009, "Section title"),
    ("flow", interactive(type="flow", action={}), 400, 100, "sandbox"),
]


@pytest.mark.parametrize(
    ("message", "status", "code", "why"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_is_not_right_is_refused(
    business: Business, message: dict[str, Any], status: int, code: int, why: str
) -> None:
    business.receive(type="text", text="Hola")
    answer = business.post(message)
    error = error_of(answer)
    assert (answer.status_code, error["code"]) == (status, code)
    assert why in json.dumps(error, ensure_ascii=False)
    assert error["type"] == "OAuthException" and error["fbtrace_id"]
    assert business.accepted() == []


def test_what_is_not_json_misses_its_first_parameter(business: Business) -> None:
    for body in (b"", b"{", b"[]", b"null", "{'a'}".encode("utf-16")):
        answer = business.client.post(f"/{business.number}/messages", content=body)
        assert (answer.status_code, error_of(answer)["code"]) == (400, 100)


def test_a_user_id_is_written_to_by_recipient(business: Business) -> None:
    business.receive(from_=USERNAME, type="text", text="Hola")
    answer = business.post({"to": None, "recipient": USERNAME, "text": {"body": "Hola"}})
    assert answer.json()["contacts"] == [{"input": USERNAME, "user_id": USERNAME}]
    business.wait_until_idle()
    assert [each["status"] for each in business.receiver.statuses] == ["sent", "delivered"]
    assert all("recipient_id" not in each for each in business.receiver.statuses)
    assert {each["recipient_user_id"] for each in business.receiver.statuses} == {USERNAME}
    # When both are given, the number wins.
    assert business.post({"recipient": USERNAME, "text": {"body": "x"}}).json()["contacts"][0]["wa_id"] == ANA_ID


def test_a_code_cannot_be_sent_to_a_user_id(business: Business) -> None:
    code = template(
        "codigo_verificacion",
        body_text("123456"),
        {"type": "button", "sub_type": "url", "index": "0", "parameters": [{"type": "text", "text": "123456"}]},
    )
    assert error_of(business.post(code | {"to": None, "recipient": USERNAME}))["code"] == 131062
    assert business.post(code).status_code == 200


@pytest.mark.parametrize(
    ("dialled", "wa_id"),
    [
        ("+58 412-555-0101", "584125550101"),
        ("+52 55 1234 5678", "5215512345678"),
        ("+55 (31) 98765-4321", "553187654321"),
        ("+55 11 98765-4321", "5511987654321"),
        ("6505551234", "16505551234"),
    ],
)
def test_the_platform_writes_numbers_in_its_own_form(business: Business, dialled: str, wa_id: str) -> None:
    assert to_wa_id(dialled) == wa_id
    answer = business.post({"to": dialled, "text": {"body": "Hola"}})
    assert answer.json()["contacts"] == [{"input": dialled, "wa_id": wa_id}]


def test_a_reaction_is_only_ever_sent(business: Business) -> None:
    wamid = business.receive(type="text", text="Llegué")
    reaction = business.send({"type": "reaction", "reaction": {"message_id": wamid, "emoji": "👍"}})
    business.wait_until_idle()
    assert business.statuses_of(reaction) == ["sent"]
    with_context = {
        "type": "reaction",
        "reaction": {"message_id": wamid, "emoji": ""},
        "context": {"message_id": wamid},
    }
    assert error_of(business.post(with_context))["code"] == 100


def test_reading_marks_what_came_before_and_may_show_typing(business: Business) -> None:
    first = business.receive(type="text", text="Uno")
    business.clock.move(seconds=5)
    second = business.receive(type="text", text="Dos")
    read = {"messaging_product": "whatsapp", "status": "read", "message_id": second}
    path = f"/{business.number}/messages"
    assert business.client.post(path, json=read | {"typing_indicator": {"type": "text"}}).json() == {"success": True}
    [chat] = business.control.get("/state").json()["chats"]
    assert [each["read_by_business"] for each in chat["messages"]] == [True, True]
    assert chat["typing_until"] is not None
    # Repeating is harmless; answering ends the typing.
    assert business.client.post(path, json=read | {"message_id": first}).json() == {"success": True}
    mine = business.send_text("Voy")
    assert business.control.get("/state").json()["chats"][0]["typing_until"] is None
    for unknown in ("wamid.NADA", mine):
        assert error_of(business.client.post(path, json=read | {"message_id": unknown}))["code"] == 131009
    business.clock.move(days=31)
    assert error_of(business.client.post(path, json=read))["code"] == 131009


def test_an_identity_that_changed_is_not_written_to(business: Business) -> None:
    business.receive(type="text", text="Hola")
    known = business.sandbox.whatsapp.people.with_id(ANA).identity_key_hash
    good = business.send_text("Hola", recipient_identity_key_hash=known)
    bad = business.send_text("Hola", recipient_identity_key_hash="otra")
    business.wait_until_idle()
    assert business.statuses_of(good) == ["sent", "delivered"]
    assert [each["errors"][0]["code"] for each in business.receiver.statuses if each["id"] == bad] == [137000]
