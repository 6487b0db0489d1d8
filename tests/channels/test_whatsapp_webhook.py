"""What the platform tells us: signed, in many forms, and sometimes broken."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as quickly
from hypothesis import strategies as st

from ficha.channels.errors import BadSignature, MissingSignature
from ficha.channels.messaging import FileRef, Incoming, Location, Other, Progress, Sender, Status, Unreadable
from ficha.channels.messaging.whatsapp import WhatsApp
from ficha.channels.messaging.whatsapp.webhook import parse
from tests.channels.whatsapp_contract import schema, webhook_examples
from tests.world import settings_for

ZOE = (
    rb'{"object":"whatsapp_business_account","entry":[{"id":"0","changes":[{"field":"messages","value":{'
    rb'"messaging_product":"whatsapp","metadata":{"display_phone_number":"16505551111","phone_number_id":"123456123"},'
    rb'"contacts":[{"profile":{"name":"Zo\u00eb"},"wa_id":"16315551181"}],"messages":[{"from":"16315551181",'
    rb'"id":"ABGGFlA5Fpa","timestamp":"1504902988","type":"text","text":{"body":"this is a text message"}}]}}]}]}'
)
SIGNED = "sha256=6c1a2eb1475afadb04c207ad19f6769439ff7ffad6e46130eafcf00943b6c783"


@pytest.fixture
def whatsapp() -> WhatsApp:
    secret = {"whatsapp_app_secret": "app-secret-for-tests", "whatsapp_verify_token": "nuestra-señal"}
    return WhatsApp(settings_for("", Path("unused"), **secret))


# --- Who is calling.


@pytest.mark.parametrize(
    ("body", "signature"),
    [(b'{"a":1}', "sha256=3d6306699b4e205d0a64c07f0ff3996a9099bb67b3ae846621a04c39cf495bd1"), (ZOE, SIGNED)],
)
def test_the_platforms_signature_is_recognised(whatsapp: WhatsApp, body: bytes, signature: str) -> None:
    whatsapp.verify({"X-Hub-Signature-256": signature}, body)
    whatsapp.verify({"content-type": "application/json", "x-hub-signature-256": signature}, body)


def test_the_same_words_in_other_bytes_are_not_the_same(whatsapp: WhatsApp) -> None:
    assert len(ZOE) == 415
    written_again = json.dumps(json.loads(ZOE), ensure_ascii=False, separators=(",", ":")).encode()
    assert "Zoë".encode() in written_again
    with pytest.raises(BadSignature):
        whatsapp.verify({"X-Hub-Signature-256": SIGNED}, written_again)


@pytest.mark.parametrize("headers", [{}, {"X-Hub-Signature-256": ""}, {"X-Hub-Signature": "sha1=abc"}])
def test_nobody_signed(whatsapp: WhatsApp, headers: dict[str, str]) -> None:
    with pytest.raises(MissingSignature):
        whatsapp.verify(headers, ZOE)


@pytest.mark.parametrize(
    "header", [SIGNED[:-1] + "4", SIGNED[7:], SIGNED.upper(), SIGNED + " ", "sha256=", "sha1=abc", "señal", "\ud800"]
)
def test_somebody_else_signed(whatsapp: WhatsApp, header: str) -> None:
    with pytest.raises(BadSignature):
        whatsapp.verify({"X-Hub-Signature-256": header}, ZOE)


def test_without_a_secret_nobody_is_believed() -> None:
    empty = "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    open_door = WhatsApp(settings_for("", Path("unused"), whatsapp_app_secret=""))
    with pytest.raises(BadSignature):
        open_door.verify({"X-Hub-Signature-256": empty}, b"")


def test_the_handshake_answers_the_challenge_and_only_to_ours(whatsapp: WhatsApp) -> None:
    assert whatsapp.shake_hands("subscribe", "nuestra-señal", "1158201444") == "1158201444"
    for mode, token, challenge in (
        ("subscribe", "otra", "1"),
        ("unsubscribe", "nuestra-señal", "1"),
        (None, "nuestra-señal", "1"),
        ("subscribe", None, "1"),
        ("subscribe", "nuestra-señal", None),
    ):
        with pytest.raises(BadSignature):
            whatsapp.shake_hands(mode, token, challenge)


# --- What it says.


def envelope(*values: Any) -> bytes:
    changes = [{"field": "messages", "value": value} for value in values]
    return json.dumps({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": changes}]}).encode()


def value(**parts: Any) -> dict[str, Any]:
    metadata = {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}
    return {"messaging_product": "whatsapp", "metadata": metadata, **parts}


def message(number: int = 1, **changes: Any) -> dict[str, Any]:
    basic = {"from": "16505551234", "id": f"wamid.{number}", "timestamp": "1749416383", "type": "text"}
    return {**basic, "text": {"body": f"Hola {number}"}, **changes}


def status(name: str, **changes: Any) -> dict[str, Any]:
    return {"id": "wamid.X", "status": name, "timestamp": "1744609253", "recipient_id": "16505551234", **changes}


def only(body: Any) -> Any:
    (event,) = parse(body if isinstance(body, bytes) else json.dumps(body).encode())
    return event


def example(name: str) -> Any:
    return only(webhook_examples()[name])


def test_a_text() -> None:
    event = example("Text Message")
    assert event.provider_id.startswith("wamid.") and event.phone_number_id == "106540352242922"
    assert event.sender == Sender("16505551234", None, "Sheena Nelson")
    assert event.at == datetime(2025, 6, 8, 20, 59, 43, tzinfo=UTC)
    assert (event.type, event.words, event.payload) == ("text", "Does it come in another color?", None)
    assert (event.reply_to, event.file, event.is_test) == (None, None, False)
    assert event.raw["text"] == {"body": "Does it come in another color?"}


@pytest.mark.parametrize(
    ("name", "kind", "words", "payload"),
    [
        ("Button Message", "button", "Unsubscribe", "Unsubscribe"),
        ("Interactive List Reply Message", "interactive", "Priority Mail Express", "priority_express"),
        ("Interactive Button Reply Message", "interactive", "Cancel", "cancel-button"),
        ("Image Message", "image", "Taj Mahal", None),
        ("Reaction Message", "reaction", "👍", None),
        ("Reaction Removed", "reaction", None, None),
        ("Location Message", "location", None, None),
        ("Contact Sharing Message", "contacts", None, None),
        ("Unsupported Message", "unsupported", None, None),
        ("Unsupported With Type", "unsupported", None, None),
        ("System Message", "system", None, None),
        ("Order Message", "order", None, None),
        ("Sticker Message", "sticker", None, None),
    ],
)
def test_what_a_person_says_and_what_a_button_carries(
    name: str, kind: str, words: str | None, payload: str | None
) -> None:
    event = example(name)
    assert isinstance(event, Incoming)
    assert (event.type, event.words, event.payload) == (kind, words, payload)


def test_an_answer_knows_what_it_answers() -> None:
    assert example("Button Message").reply_to == "wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBJFNjk2OTMwNEZCQjhGMzUyQUYA"
    assert example("Reaction Message").reply_to == "wamid.HBgLMTY1MDM4Nzk0MzkVAgARGBI0RTJEOTc2ODVERUY5RDlGNkYA"
    assert example("Text Message with Context (Product Inquiry)").reply_to is not None
    assert only(envelope(value(messages=[message(context={"forwarded": True})]))).reply_to is None


def test_a_file_comes_with_its_hash_in_hex() -> None:
    assert example("Image Message").file == FileRef(
        "1003383421387256", "image/jpeg", "49f227634806293b0995459bc310b593e1400f41591efcf07e9bced335f41942"
    )
    assert example("Document Message").file.filename
    assert example("Audio Message (voice note)").file.mime_type == "audio/ogg; codecs=opus"
    odd = message(type="image", image={"id": "1", "mime_type": "image/png", "sha256": "not a hash"})
    assert only(envelope(value(messages=[odd]))).file == FileRef("1", "image/png", None)


def test_a_place() -> None:
    assert example("Location Message").location == Location(
        37.44221496582, -122.16165924072, "Philz Coffee", "101 Forest Ave, Palo Alto, CA 94301"
    )
    pin = example("Location (pin only)").location
    assert pin is not None and pin.name is None


def test_somebody_without_a_number() -> None:
    event = example("Username User Without Phone Number")
    assert event.sender.wa_id is None and event.sender.user_id.startswith("US.") and event.sender.name


def test_the_dashboards_test_is_known_as_a_test() -> None:
    delivered, shown = example("Dashboard test (as delivered)"), example("Dashboard sample (bare change, as displayed)")
    assert delivered.is_test and shown.is_test
    assert only(ZOE).sender == Sender("16315551181", None, "Zoë") and only(ZOE).is_test


def test_everybody_gets_their_own_name() -> None:
    people = [
        {"profile": {"name": "Ana"}, "wa_id": "1"},
        {"profile": {"name": "Luis"}, "wa_id": "2", "user_id": "US.2"},
        {"profile": {"name": "Eva"}, "user_id": "US.3"},
    ]
    said = [
        message(1, **{"from": "2"}),
        message(2, **{"from": "1"}),
        message(3, **{"from": None, "from_user_id": "US.3"}),
        message(4, **{"from": "9"}),
    ]
    events = parse(envelope(value(contacts=people, messages=said)))
    assert [event.sender for event in events if isinstance(event, Incoming)] == [
        Sender("2", "US.2", "Luis"),
        Sender("1", None, "Ana"),
        Sender(None, "US.3", "Eva"),
        Sender("9", None, None),
    ]


def test_the_only_contact_is_the_only_senders_even_when_the_number_is_written_otherwise() -> None:
    contact = [{"profile": {"name": "Lupe"}, "wa_id": "5215512345678"}]
    (event,) = parse(envelope(value(contacts=contact, messages=[message(1, **{"from": "525512345678"})])))
    assert isinstance(event, Incoming) and event.sender == Sender("5215512345678", None, "Lupe")
    two = parse(envelope(value(contacts=contact, messages=[message(1, **{"from": "1"}), message(2, **{"from": "2"})])))
    assert [event.sender.name for event in two if isinstance(event, Incoming)] == [None, None]


@pytest.mark.parametrize(
    ("name", "progress"),
    [
        ("sent", Progress.SENT),
        ("delivered", Progress.DELIVERED),
        ("read", Progress.READ),
        ("played", Progress.READ),
        ("failed", Progress.FAILED),
    ],
)
def test_news_of_our_own_messages(name: str, progress: Progress) -> None:
    event = only(envelope(value(statuses=[status(name, biz_opaque_callback_data="msg-17", recipient_user_id="US.1")])))
    assert event == Status(
        "wamid.X",
        "106540352242922",
        progress,
        datetime(2025, 4, 14, 5, 40, 53, tzinfo=UTC),
        "msg-17",
        "16505551234",
        "US.1",
        None,
        None,
    )


def test_a_failure_says_why() -> None:
    event = example("Status failed (window closed)")
    assert (event.progress, event.error_code, event.error_title) == (Progress.FAILED, 131047, "Re-engagement message")


def test_what_we_do_not_know_is_kept() -> None:
    assert only(envelope(value(statuses=[status("teleported")]))) == Other("status", status("teleported"))
    assert example("Account-level error").kind == "errors"
    bare = {"field": "account_update", "value": {"event": "BAN"}}
    assert only(bare) == Other("account_update", {"event": "BAN"})
    assert only({"object": "page", "entry": []}) == Other("object", {"object": "page", "entry": []})
    event = only(envelope(value(messages=[message(type="hologram", hologram={"x": 1})])))
    assert (event.type, event.words) == ("hologram", None) and event.raw["hologram"] == {"x": 1}


def test_every_published_example_is_read() -> None:
    for name, content in webhook_examples().items():
        assert schema("WebhookBody").is_valid(content)
        events = parse(json.dumps(content).encode())
        assert events and not any(isinstance(event, Unreadable) for event in events), name


# --- What is broken.

BAD_MESSAGES: list[Any] = [
    None,
    7,
    "text",
    [],
    {},
    message(id=None),
    message(id=""),
    message(id=17),
    message(type=None),
    message(type=["text"]),
    message(timestamp="soon"),
    message(timestamp=None),
    message(timestamp="-1"),
    message(timestamp="9" * 30),
    message(timestamp="999999999999"),
    message(timestamp="١٢٣"),
    message(text=None),
    message(text={"body": 7}),
    message(text={"body": "nul\0"}),
    message(text={"body": "half \ud83d"}),
    message(1, **{"from": None}),
    message(type="image", image={}),
    message(type="location", location={"latitude": 91, "longitude": 0}),
    message(type="location", location={"latitude": "1", "longitude": 0}),
    message(type="reaction", reaction={}),
    message(extra=2**64),
    message(extra=10**4000),
    message(extra=float("nan")),
]


@pytest.mark.parametrize("bad", BAD_MESSAGES)
def test_a_bad_message_never_loses_its_neighbours(bad: Any) -> None:
    body = envelope(value(messages=[message(1), bad, message(2)]), value(statuses=[status("sent"), bad]))
    events = parse(body)
    assert [type(event) for event in events] == [Incoming, Unreadable, Incoming, Status, Unreadable]
    # What is kept of it can be stored anywhere.
    json.dumps([event.raw for event in events if isinstance(event, Unreadable)], allow_nan=False).encode()
    assert "\\u0000" not in json.dumps([event.raw for event in events if isinstance(event, Unreadable)])


def test_nor_does_a_bad_place_for_them() -> None:
    good = value(messages=[message()])
    content = json.loads(envelope(good))
    content["entry"] = [
        None,
        {"id": "1"},
        {"id": "2", "changes": "none"},
        {"id": "3", "changes": [5, {"field": 1, "value": {}}, {"field": "messages", "value": []}]},
        {"id": "4", "changes": [{"field": "messages", "value": {**good, "statuses": "x", "contacts": 5}}]},
        {"id": "5", "changes": [{"field": "messages", "value": {**good, "metadata": None}}]},
        *content["entry"],
    ]
    kinds = [type(event).__name__ for event in parse(json.dumps(content).encode())]
    assert kinds == ["Unreadable"] * 6 + ["Incoming", "Unreadable"] + ["Unreadable"] + ["Incoming"]


def test_a_broken_name_costs_the_name_only() -> None:
    contact = [{"profile": {"name": "Ana\ud83d"}, "wa_id": "16505551234"}]
    event = only(envelope(value(contacts=contact, messages=[message()])))
    assert event.words == "Hola 1" and event.sender == Sender("16505551234", None, None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'"\\ud800"',
        b"NaN",
        b'{"field":"x","value":NaN}',
        b'{"field":"x","value":1e999}',
        b'{"field":"x","value":' + b"9" * 5000 + b"}",
        b'{"field":"x","value":' + b"9" * 100 + b"}",
        b'{"field":"x","value":"\\u0000"}',
        b'{"field":"\\udfff","value":1}',
        b'{"field":"x","value":' + b"[" * 100 + b"]" * 100 + b"}",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xff\xfe{\x00}\x00",
        b"\xef\xbb\xbf{}",
        b'{"object":"whatsapp_business_account","entry":{}}',
    ],
)
def test_what_cannot_be_read_is_one_event(body: bytes) -> None:
    event = only(body)
    assert isinstance(event, Unreadable) and event.why
    kept = json.dumps(event.raw, allow_nan=False)
    assert "\\u0000" not in kept and "\\ud8" not in kept and "\\udf" not in kept


def test_of_a_deep_nest_only_the_top_is_kept() -> None:
    event = only(b'{"field":"x","value":' + b"[" * 300 + b"]" * 300 + b"}")
    assert isinstance(event, Unreadable) and event.why == "nested too deep"
    assert json.dumps(event.raw).count("[") < 50


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def storable(events: list[Any]) -> None:
    for event in events:
        json.dumps(event.raw if hasattr(event, "raw") else None, allow_nan=False, ensure_ascii=False).encode()


@given(st.binary())
@quickly(deadline=None)
def test_no_bytes_make_it_fall(body: bytes) -> None:
    storable(parse(body))


@given(anything)
@quickly(deadline=None)
def test_no_json_makes_it_fall(content: Any) -> None:
    events = parse(json.dumps(content).encode())
    assert events
    storable(events)


def spots(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(spot for key, each in pairs for spot in spots(each, (*path, key)))]


@given(st.data())
@quickly(max_examples=400, deadline=None)
def test_a_real_notification_with_one_thing_changed_keeps_its_neighbours(data: st.DataObject) -> None:
    """Anything may stand anywhere in one change of the platform's own examples: the next one is read all the same."""
    content = copy.deepcopy(data.draw(st.sampled_from(list(webhook_examples().values()))))
    change = content["entry"][0]["changes"][0] if "entry" in content else content
    path = data.draw(st.sampled_from([spot for spot in spots(change) if spot]))
    place = change
    for step in path[:-1]:
        place = place[step]
    if data.draw(st.booleans()):
        place[path[-1]] = data.draw(anything)
    else:
        del place[path[-1]]
    neighbour = {"field": "messages", "value": value(messages=[message(77)])}
    both = {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change, neighbour]}]}
    events = parse(json.dumps(both).encode())
    storable(events)
    assert isinstance(events[-1], Incoming) and events[-1].words == "Hola 77"
