"""Broken notifications: parsing never fails, and no other item is lost."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as quickly
from hypothesis import strategies as st

from ficha.channels.messages import Author, Incoming, StatusUpdate, UnreadableItem
from ficha.channels.whatsapp.webhook import parse
from tests.channels.whatsapp.contract import webhook_examples
from tests.channels.whatsapp.notification_bodies import envelope, message, only, status, value

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
    message(timestamp="١٢٣"),
    message(text=None),
    message(text={"body": 7}),
    message(1, **{"from": None}),
    message(type="image", image={}),
    message(type="location", location={"latitude": 91, "longitude": 0}),
    message(type="location", location={"latitude": "1", "longitude": 0}),
    message(type="reaction", reaction={}),
    message(extra=2**64),
    message(extra=10**4000),
    message(extra=float("nan")),
]

# The time no clock shows, or letters that no database takes: the message still counts.
MENDED_MESSAGES: list[Any] = [
    message(timestamp="-1"),
    message(timestamp="9" * 30),
    message(timestamp="999999999999"),
    message(text={"body": "nul\0"}),
    message(text={"body": "half \ud83d"}),
]


@pytest.mark.parametrize("mended", MENDED_MESSAGES)
def test_a_message_that_can_be_mended_is_kept(mended: Any) -> None:
    first, kept, last = parse(envelope(value(messages=[message(1), mended, message(2)])))
    assert isinstance(kept, Incoming) and isinstance(first, Incoming) and isinstance(last, Incoming)
    assert kept.at.year in (1970, 2025, 9999) and kept.words is not None
    json.dumps(kept.raw).encode()
    assert "\0" not in kept.words and "\ud83d" not in kept.words


@pytest.mark.parametrize("bad", BAD_MESSAGES)
def test_a_bad_message_does_not_lose_the_others(bad: Any) -> None:
    body = envelope(value(messages=[message(1), bad, message(2)]), value(statuses=[status("sent"), bad]))
    events = parse(body)
    assert [type(event) for event in events] == [Incoming, UnreadableItem, Incoming, StatusUpdate, UnreadableItem]
    # What is kept of it can be stored anywhere.
    json.dumps([event.raw for event in events if isinstance(event, UnreadableItem)], allow_nan=False).encode()
    assert "\\u0000" not in json.dumps([event.raw for event in events if isinstance(event, UnreadableItem)])


def test_bad_lists_do_not_lose_good_messages() -> None:
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
    assert kinds == ["UnreadableItem"] * 6 + ["Incoming", "UnreadableItem"] + ["UnreadableItem"] + ["Incoming"]


def test_a_broken_name_costs_the_name_only() -> None:
    contact = [{"profile": {"name": "Ana\ud83d"}, "wa_id": "16505551234"}]
    event = only(envelope(value(contacts=contact, messages=[message()])))
    assert event.words == "Hola 1" and event.author == Author("16505551234", None, None)


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
def test_what_cannot_be_read_is_one_item(body: bytes) -> None:
    event = only(body)
    assert isinstance(event, UnreadableItem) and event.why
    kept = json.dumps(event.raw, allow_nan=False)
    assert "\\u0000" not in kept and "\\ud8" not in kept and "\\udf" not in kept


def test_of_deep_nesting_only_the_top_is_kept() -> None:
    event = only(b'{"field":"x","value":' + b"[" * 300 + b"]" * 300 + b"}")
    assert isinstance(event, UnreadableItem) and event.why == "nested too deep"
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
def test_no_bytes_make_parsing_fail(body: bytes) -> None:
    storable(parse(body))


@given(anything)
def test_no_json_makes_parsing_fail(content: Any) -> None:
    events = parse(json.dumps(content).encode())
    assert events
    storable(events)


def spots(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document."""
    pairs = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [path, *(spot for key, each in pairs for spot in spots(each, (*path, key)))]


@pytest.mark.slow
@given(st.data())
@quickly(max_examples=400)
def test_a_real_notification_with_one_thing_changed_keeps_its_other_items(data: st.DataObject) -> None:
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
    other_change = {"field": "messages", "value": value(messages=[message(77)])}
    both = {"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [change, other_change]}]}
    events = parse(json.dumps(both).encode())
    storable(events)
    assert isinstance(events[-1], Incoming) and events[-1].words == "Hola 77"
