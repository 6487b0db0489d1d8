"""Chatwoot's operations as the contract describes them: its pages, its labels, its errors, its merges."""

import hashlib
import hmac
from typing import Any

import pytest

from ficha.sandbox.chatwoot.agents import AGENT_TOKEN, BOT_TOKEN, STRANGER_TOKEN
from tests.sandbox.chatwoot.conftest import CONTRACT, PHONE, DeskCallers
from tests.sandbox.chatwoot.contract import ABSENT


@pytest.mark.skipif(CONTRACT is None, reason=ABSENT)
def test_every_operation_of_the_contract_answers_as_it_says(desk: DeskCallers) -> None:
    """The client holds each answer against the document."""
    contact = desk.contact(phone_number=PHONE)
    number = desk.conversation()
    place, talk = "/contacts/ana", f"/contacts/ana/conversations/{number}"
    for method, path, body in (
        ("GET", "", None),
        ("GET", place, None),
        ("PATCH", place, {"name": "Ana Rojas"}),
        ("GET", f"{place}/conversations", None),
        ("GET", talk, None),
        ("GET", f"{talk}/messages", None),
        ("POST", f"{talk}/toggle_status", None),
        ("POST", f"{talk}/toggle_typing", {"typing_status": "on"}),
        ("POST", f"{talk}/update_last_seen", None),
    ):
        assert desk.public(method, path, json=body).status_code == 200, path
    filtered = {"payload": [{"attribute_key": "phone_number", "filter_operator": "equal_to", "values": [PHONE]}]}
    by_status = {"payload": [{"attribute_key": "status", "filter_operator": "equal_to", "values": ["resolved"]}]}
    one, hook = f"/contacts/{contact['id']}", {"url": desk.receiver.url, "subscriptions": ["message_created"]}
    for method, path, json in (
        ("GET", "/contacts", None),
        ("POST", "/contacts", {"name": "Beto", "inbox_id": 1}),
        ("GET", "/contacts/search?q=ana", None),
        ("POST", "/contacts/filter", filtered),
        ("GET", one, None),
        ("PUT", one, {"custom_attributes": {"a": 1}}),
        ("GET", f"{one}/conversations", None),
        ("POST", f"{one}/labels", {"labels": ["vip"]}),
        ("GET", f"{one}/labels", None),
        ("POST", f"{one}/contact_inboxes", {"inbox_id": 2}),
        ("GET", "/conversations?status=all", None),
        ("POST", "/conversations", {"inbox_id": 1, "contact_id": contact["id"], "message": {"content": "Buenas"}}),
        ("POST", "/conversations/filter", by_status),
        ("GET", f"/conversations/{number}", None),
        ("GET", f"/conversations/{number}/labels", None),
        ("POST", f"/conversations/{number}/labels", {"labels": ["a"]}),
        ("GET", f"/conversations/{number}/messages", None),
        ("POST", f"/conversations/{number}/messages", {"content": "Hola"}),
        ("POST", f"/conversations/{number}/toggle_status", {"status": "pending"}),
        ("POST", "/labels", {"title": "Billing"}),
        ("GET", "/labels", None),
        ("GET", "/inboxes", None),
        ("POST", "/webhooks", hook),
        ("GET", "/webhooks", None),
        ("PATCH", "/webhooks/2", {"name": "otro"}),
        ("DELETE", "/webhooks/2", None),
        ("DELETE", one, None),
    ):
        answer = desk.agent(method, path, json=json)
        assert answer.status_code == 200, (path, answer.text)
    assert desk.client.get("/api/v1/profile", headers={"Api-Access-Token": desk.sandbox.config.chatwoot.token}).json()
    assert CONTRACT is not None
    assert CONTRACT.operations() - desk.called == set()


@pytest.mark.parametrize(
    "token, account, path, status, body",
    [
        ("", 1, "/labels", 401, {"errors": ["You need to sign in or sign up before continuing."]}),
        ("nadie", 1, "/labels", 401, {"error": "Invalid Access Token"}),
        (STRANGER_TOKEN, 1, "/labels", 401, {"error": "You are not authorized to access this account"}),
        (None, 3, "/labels", 401, {"error": "Account is suspended"}),
        (AGENT_TOKEN, 1, "/webhooks", 401, {"error": "You are not authorized to do this action"}),
        (BOT_TOKEN, 1, "/labels", 401, {"error": "Access to this endpoint is not authorized for bots"}),
        (None, 1, "/contacts/999/labels", 404, {"error": "Resource could not be found"}),
        (None, 9, "/labels", 404, {"error": "Resource could not be found"}),
    ],
)
def test_who_is_refused_and_how(
    desk: DeskCallers, token: str | None, account: int, path: str, status: int, body: dict[str, Any]
) -> None:
    answer = desk.agent("GET", path, token=token, account=account)
    assert (answer.status_code, answer.json()) == (status, body)


def test_the_public_api_has_errors_of_its_own(desk: DeskCallers) -> None:
    missing = {"status": 404, "error": "Not Found"}
    assert desk.public("GET", "/contacts/nadie/conversations").json() == missing
    assert desk.public("GET", "", inbox="otro").json() == missing
    desk.contact()
    refused = desk.public("PATCH", "/contacts/ana", json={"identifier": "1", "identifier_hash": "0" * 64})
    assert refused.status_code == 500 and refused.json() == {"status": 500, "error": "Internal Server Error"}
    right = hmac.new(b"inbox-hmac-token", b"1234567890", hashlib.sha256).hexdigest()
    assert right == "431b7b121fbe8921270b2a3fc2d388e2f645b3b1e14cd68271aff55e4b27f564"
    known = {"identifier": "1234567890", "identifier_hash": right}
    assert desk.public("PATCH", "/contacts/ana", json=known).status_code == 200


def test_contacts_are_checked_and_unique(desk: DeskCallers) -> None:
    created = desk.agent("POST", "/contacts", json={"name": "Ana", "phone_number": PHONE}).json()["payload"]
    assert created["contact_inbox"] == {"inbox": None, "source_id": None}
    again = desk.agent("POST", "/contacts", json={"phone_number": PHONE})
    assert again.status_code == 422
    assert again.json() == {"message": "Phone number has already been taken", "attributes": ["phone_number"]}
    wrong = desk.agent("POST", "/contacts", json={"phone_number": "0412", "email": "no"})
    assert wrong.json()["attributes"] == ["email", "phone_number"]


def test_labels_replace_split_and_keep_their_spelling(desk: DeskCallers) -> None:
    desk.contact()
    path = f"/conversations/{desk.conversation()}/labels"
    assert desk.agent("POST", path, json={"labels": [" VIP ", "a,b", "", "vip"]}).json() == {
        "payload": ["VIP", "a", "b"]
    }
    assert desk.agent("POST", path, json={"labels": ["vip", "A"]}).json() == {"payload": ["VIP", "a"]}
    assert desk.agent("POST", path, json={}).json() == {"payload": []}
    assert desk.agent("GET", "/labels").json() == {"payload": []}


def test_page_sizes(desk: DeskCallers) -> None:
    for number in range(32):
        desk.contact(f"c{number}", phone_number=f"+58412555{1000 + number}")
        desk.conversation(f"c{number}", text=None)
    first, third = desk.agent("GET", "/contacts").json(), desk.agent("GET", "/contacts?page=3").json()
    assert len(first["payload"]) == 15 and first["meta"] == {"count": 32, "current_page": 1}
    assert len(third["payload"]) == 2 and third["meta"]["current_page"] == "3"
    found = desk.agent("GET", "/contacts/search?q=%2B58412555&page=2").json()
    assert found["meta"] == {"count": 15, "current_page": "2", "has_more": True}
    assert desk.agent("GET", "/contacts/search?q=").json()["payload"] == []
    listed = desk.agent("GET", "/conversations").json()["data"]
    assert len(listed["payload"]) == 25 and listed["meta"]["all_count"] == 32
    assert len(desk.agent("GET", "/conversations?page=2").json()["data"]["payload"]) == 7


def test_messages_come_in_pages(desk: DeskCallers) -> None:
    desk.contact()
    number = desk.conversation(text=None)
    path = f"/conversations/{number}/messages"
    for count in range(25):
        assert desk.agent("POST", path, json={"content": str(count)}).json()["message_type"] == 1
    newest = [each["content"] for each in desk.agent("GET", path).json()["payload"]]
    assert newest == [str(count) for count in range(5, 25)]
    after = desk.agent("GET", f"{path}?after=1").json()["payload"]
    assert [each["id"] for each in after] == list(range(2, 26))
    assert [each["id"] for each in desk.agent("GET", f"{path}?before=4").json()["payload"]] == [1, 2, 3]
    assert len(desk.public("GET", f"/contacts/ana/conversations/{number}/messages").json()) == 20


def test_another_ones_phone_merges_two_contacts(desk: DeskCallers) -> None:
    known, other = desk.contact("uno", phone_number=PHONE), desk.contact("dos")
    number = desk.conversation("dos")
    merged = desk.public("PATCH", "/contacts/dos", json={"phone_number": PHONE, "name": "Ana R."}).json()
    assert merged["id"] == known["id"] != other["id"] and merged["created_at"].endswith("Z")
    assert [each["id"] for each in desk.public("GET", "/contacts/dos/conversations").json()] == [number]
    assert desk.agent("GET", f"/contacts/{other['id']}").status_code == 404


def test_a_public_update_clears_nothing_and_merges_deeply(desk: DeskCallers) -> None:
    desk.contact(identifier="x1", custom_attributes={"a": {"b": 1}})
    body = {"name": "", "identifier": "x2", "custom_attributes": {"a": {"c": 2}}}
    found = desk.public("PATCH", "/contacts/ana", json=body).json()
    assert (found["name"], found["identifier"]) == ("Ana", "x1")
    assert found["custom_attributes"] == {"a": {"b": 1, "c": 2}}


def test_files_of_a_message(desk: DeskCallers) -> None:
    desk.contact()
    path = f"/conversations/{desk.conversation()}/messages"
    files = [("attachments[]", (f"{n}.png", b"\x89PNG", "image/png")) for n in range(2)]
    sent = desk.agent("POST", path, data={"content": "Vea", "private": "true"}, files=files).json()
    assert sent["content"] == "Vea" and sent["private"] is True
    assert [each["file_type"] for each in sent["attachments"]] == ["image", "image"]
    assert desk.client.get(sent["attachments"][0]["data_url"]).content == b"\x89PNG"
    too_many = desk.agent("POST", path, files=files * 8)
    assert too_many.status_code == 422 and "error" in too_many.json()


def test_only_an_api_inbox_takes_incoming_messages_and_states(desk: DeskCallers) -> None:
    contact = desk.contact(phone_number=PHONE)
    body = {"inbox_id": 2, "contact_id": contact["id"]}
    path = f"/conversations/{desk.agent('POST', '/conversations', json=body).json()['id']}/messages"
    refused = desk.agent("POST", path, json={"content": "x", "message_type": "incoming"})
    assert refused.json() == {"error": "Incoming messages are only allowed in Api inboxes"}
    sent = desk.agent("POST", path, json={"content": "x"}).json()
    assert desk.agent("PATCH", f"{path}/{sent['id']}", json={"status": "read"}).status_code == 403
    ours = f"/conversations/{desk.conversation()}/messages"
    sent = desk.agent("POST", ours, json={"content": "x"}).json()
    assert desk.agent("PATCH", f"{ours}/{sent['id']}", json={"status": "read"}).json()["status"] == "read"
    assert desk.agent("GET", path.removesuffix("/messages"), token=AGENT_TOKEN).status_code == 401
