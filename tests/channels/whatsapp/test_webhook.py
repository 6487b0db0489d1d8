"""Reading notifications of the platform, in all their forms."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ficha.channels.messages import (
    AccountUpdate,
    Author,
    DeliveryStatus,
    FileRef,
    Incoming,
    Location,
    OtherItem,
    StatusUpdate,
    UnreadableItem,
)
from ficha.channels.whatsapp.webhook import parse
from tests.channels.whatsapp.contract import schema, webhook_examples
from tests.channels.whatsapp.notification_bodies import ZOE, envelope, message, only, status, value


def example(name: str) -> Any:
    return only(webhook_examples()[name])


def test_a_text() -> None:
    event = example("Text Message")
    assert event.provider_id.startswith("wamid.") and event.phone_number_id == "106540352242922"
    assert event.author == Author("16505551234", None, "Sheena Nelson")
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
def test_what_a_person_writes_and_the_payload_of_a_button(
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


def test_a_location() -> None:
    assert example("Location Message").location == Location(
        37.44221496582, -122.16165924072, "Philz Coffee", "101 Forest Ave, Palo Alto, CA 94301"
    )
    pin = example("Location (pin only)").location
    assert pin is not None and pin.name is None


def test_somebody_without_a_number() -> None:
    event = example("Username User Without Phone Number")
    assert event.author.wa_id is None and event.author.user_id.startswith("US.") and event.author.name


def test_the_dashboards_test_is_known_as_a_test() -> None:
    delivered, shown = example("Dashboard test (as delivered)"), example("Dashboard sample (bare change, as displayed)")
    assert delivered.is_test and shown.is_test
    assert only(ZOE).author == Author("16315551181", None, "Zoë") and only(ZOE).is_test


def test_everybody_gets_their_own_name() -> None:
    people = [
        {"profile": {"name": "Ana"}, "wa_id": "1"},
        {"profile": {"name": "Luis"}, "wa_id": "2", "user_id": "US.2"},
        {"profile": {"name": "Eva"}, "user_id": "US.3"},
    ]
    messages = [
        message(1, **{"from": "2"}),
        message(2, **{"from": "1"}),
        message(3, **{"from": None, "from_user_id": "US.3"}),
        message(4, **{"from": "9"}),
    ]
    events = parse(envelope(value(contacts=people, messages=messages)))
    assert [event.author for event in events if isinstance(event, Incoming)] == [
        Author("2", "US.2", "Luis"),
        Author("1", None, "Ana"),
        Author(None, "US.3", "Eva"),
        Author("9", None, None),
    ]


def test_the_only_contact_is_the_only_author_even_if_the_number_is_written_in_another_way() -> None:
    contact = [{"profile": {"name": "Lupe"}, "wa_id": "5215512345678"}]
    (event,) = parse(envelope(value(contacts=contact, messages=[message(1, **{"from": "525512345678"})])))
    assert isinstance(event, Incoming) and event.author == Author("5215512345678", None, "Lupe")
    two = parse(envelope(value(contacts=contact, messages=[message(1, **{"from": "1"}), message(2, **{"from": "2"})])))
    assert [event.author.name for event in two if isinstance(event, Incoming)] == [None, None]


@pytest.mark.parametrize(
    ("name", "progress"),
    [
        ("sent", DeliveryStatus.SENT),
        ("delivered", DeliveryStatus.DELIVERED),
        ("read", DeliveryStatus.READ),
        ("played", DeliveryStatus.READ),
        ("failed", DeliveryStatus.FAILED),
    ],
)
def test_statuses_of_our_own_messages(name: str, progress: DeliveryStatus) -> None:
    event = only(envelope(value(statuses=[status(name, biz_opaque_callback_data="msg-17", recipient_user_id="US.1")])))
    assert event == StatusUpdate(
        "wamid.X",
        "106540352242922",
        progress,
        datetime(2025, 4, 14, 5, 40, 53, tzinfo=UTC),
        "msg-17",
        "16505551234",
        "US.1",
        None,
    )


def test_a_failure_says_why() -> None:
    event = example("Status failed (window closed)")
    assert (event.status, event.error_code) == (DeliveryStatus.FAILED, 131047)


def test_what_we_do_not_know_is_kept() -> None:
    assert only(envelope(value(statuses=[status("teleported")]))) == OtherItem("status", status("teleported"))
    assert example("Account-level error").kind == "errors"
    bare = {"field": "telepathy", "value": {"event": "BAN"}}
    assert only(bare) == OtherItem("telepathy", {"event": "BAN"})
    assert only({"object": "page", "entry": []}) == OtherItem("object", {"object": "page", "entry": []})
    event = only(envelope(value(messages=[message(type="hologram", hologram={"x": 1})])))
    assert (event.type, event.words) == ("hologram", None) and event.raw["hologram"] == {"x": 1}


def test_what_is_told_about_our_account_is_read() -> None:
    bare = {"field": "account_update", "value": {"event": "BAN"}}
    assert only(bare) == AccountUpdate("account:account_update", {"event": "BAN"}, None)


def test_every_published_example_is_read() -> None:
    for name, content in webhook_examples().items():
        assert schema("WebhookBody").is_valid(content)
        events = parse(json.dumps(content).encode())
        assert events and not any(isinstance(event, UnreadableItem) for event in events), name
