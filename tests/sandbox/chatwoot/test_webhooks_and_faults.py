"""What Chatwoot tells others, how often it lets itself be asked, and how it fails when it is told to."""

import json
from typing import Any

import httpx
import pytest

from ficha.sandbox.chatwoot.journal import ChatwootDelivery
from ficha.sandbox.chatwoot.webhooks import signature
from tests.sandbox.chatwoot.conftest import DeskCallers


def deliveries(desk: DeskCallers) -> list[ChatwootDelivery]:
    desk.sandbox.wait_until_idle()
    entries = desk.sandbox.call(lambda platforms: list(platforms.chatwoot.journal.entries))
    return [each for each in entries if isinstance(each, ChatwootDelivery)]


def test_the_signature_is_the_one_of_the_contract() -> None:
    made = signature("webhook-secret", "1767323045", b'{"event":"message_created","id":1}')
    assert made == "sha256=38b4290258ce7c3419cc32e04c667a99c72a64ac6f79348825c1826469659686"


def test_events_are_signed_and_tell_words_not_numbers(desk: DeskCallers) -> None:
    desk.contact()
    number = desk.conversation()
    desk.control("POST", "/messages", {"conversation": number, "content": "nota", "private": True})
    desk.control("POST", "/status", {"conversation": number, "status": "resolved"})
    # Only what is told about one conversation is in order.
    told = sorted(deliveries(desk), key=lambda each: each.event != "contact_created")
    assert [each.event for each in told] == [
        "contact_created",
        "conversation_created",
        "message_created",
        "message_created",
        "conversation_updated",
        "conversation_status_changed",
    ]
    for each in told:
        stamp = each.headers["X-Chatwoot-Timestamp"]
        assert each.headers["X-Chatwoot-Signature"] == signature("sandbox-webhook-secret", stamp, each.body.encode())
        assert each.headers["X-Chatwoot-Delivery"]
    theirs, note = (json.loads(each.body) for each in told[2:4])
    assert (theirs["message_type"], theirs["sender"]["type"]) == ("incoming", "contact")
    assert (note["message_type"], note["private"], note["conversation"]["id"]) == ("outgoing", True, number)
    changed = json.loads(told[-1].body)["changed_attributes"]
    assert changed == [{"status": {"previous_value": "open", "current_value": "resolved"}}]


def test_there_is_no_second_attempt(desk: DeskCallers) -> None:
    desk.receiver.answers = [500]
    desk.contact()
    assert [each.status for each in deliveries(desk)] == [500]


def test_a_message_of_the_contact_reopens(desk: DeskCallers) -> None:
    desk.contact()
    number = desk.conversation()
    desk.agent("POST", f"/conversations/{number}/toggle_status", json={"status": "resolved"})
    desk.public("POST", f"/contacts/ana/conversations/{number}/messages", json={"content": "¿Sigue ahí?"})
    assert desk.agent("GET", f"/conversations/{number}").json()["status"] == "open"


def test_limits(desk: DeskCallers) -> None:
    desk.contact()
    number = desk.conversation()
    values = {"searches_per_minute": 1, "messages_per_minute": 2, "requests_per_minute": None, "uploads_per_hour": 0}
    desk.control("PUT", "/behaviour", values)
    assert desk.agent("GET", "/contacts/search?q=a").status_code == 200
    throttled = desk.agent("GET", "/contacts/search?q=a")
    assert (throttled.status_code, throttled.text) == (429, "Retry later\n")
    path = f"/conversations/{number}/messages"
    assert desk.agent("POST", path, json={"content": "1"}).status_code == 200
    assert desk.agent("POST", path, json={"content": "2"}).json() == {"error": "Too many messages"}
    desk.clock.move(minutes=2)
    assert desk.agent("POST", path, json={"content": "2"}).status_code == 200
    assert desk.agent("POST", path, files=[("attachments[]", ("a.txt", b"a"))]).status_code == 429


@pytest.mark.parametrize(
    "rule, error",
    [
        ({"action": "drop_before"}, httpx.RemoteProtocolError),
        ({"action": "drop_after"}, httpx.RemoteProtocolError),
        ({"action": "half_answer"}, httpx.RemoteProtocolError),
        ({"action": "timeout_before"}, httpx.ReadTimeout),
        ({"action": "timeout_after"}, httpx.ReadTimeout),
    ],
)
def test_faults(desk: DeskCallers, rule: dict[str, Any], error: type[Exception]) -> None:
    desk.control("PUT", "/faults", [rule | {"times": 1, "path": "/api/*"}])
    with pytest.raises(error):
        desk.agent("POST", "/labels", json={"title": "uno"}, timeout=0.2)
    is_done = bool(desk.agent("GET", "/labels").json()["payload"])
    assert is_done == (rule["action"] in ("drop_after", "half_answer", "timeout_after"))


def test_something_in_front_of_it_answers(desk: DeskCallers) -> None:
    desk.control("PUT", "/faults", [{"action": "http", "status": 302, "location": "http://example.com/", "times": 1}])
    answer = desk.agent("GET", "/labels")
    assert answer.status_code == 302 and answer.headers["location"] == "http://example.com/"
    assert desk.client.put("/_sandbox/chatwoot/faults", json=[{"action": "nada"}]).status_code == 400
    assert desk.client.put("/_sandbox/chatwoot/behaviour", json={"nada": 1}).status_code == 400
