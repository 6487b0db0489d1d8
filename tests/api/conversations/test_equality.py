"""A recorded set of calls for every operation, once to Chatwoot itself and once through us: the same status, the same
bytes. Two sandboxes that were told the same answer the same, so one of them is asked directly."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ficha.api.catalog import catalogue
from ficha.describe import default_settings
from ficha.sandbox.chatwoot.agents import AGENT_TOKEN, BOT_TOKEN, STRANGER_TOKEN
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from tests import local_http
from tests.api.conversations.conftest import TOKEN, ConversationScenario
from tests.sandbox.chatwoot.contract import Contract

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
CONTRACT = Contract.load()
BOUNDARY = "recorded"
FORM = (
    b'--recorded\r\nContent-Disposition: form-data; name="content"\r\n\r\nVea la foto\r\n'
    b'--recorded\r\nContent-Disposition: form-data; name="attachments[]"; filename="foto.png"\r\n'
    b"Content-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\r\n--recorded--\r\n"
)


class Recorded(NamedTuple):
    """`path` is ours, without its prefix. `status` is the one that the contract promises."""

    status: int
    method: str
    path: str
    json: Any = None
    token: str | None = TOKEN
    form: bytes | None = None


HERE, INBOX = "/accounts/1", "/inboxes/sandbox-inbox"
CALLS = (
    Recorded(200, "POST", f"{HERE}/contacts", {"name": "Ana", "phone_number": "+584125551111", "inbox_id": 1}),
    Recorded(200, "POST", f"{HERE}/contacts", {"name": "Zoë <b>", "email": "zoe@ejemplo.com", "custom_attributes": {}}),
    Recorded(422, "POST", f"{HERE}/contacts", {"phone_number": "+584125551111"}),
    Recorded(422, "POST", f"{HERE}/contacts", {"phone_number": "0412", "email": "no"}),
    Recorded(404, "POST", f"{HERE}/contacts", {"name": "Ana", "inbox_id": 99}),
    Recorded(200, "GET", f"{HERE}/contacts"),
    Recorded(200, "GET", f"{HERE}/contacts?page=2&sort=-name&include_contact_inboxes=false"),
    Recorded(200, "GET", f"{HERE}/contacts?labels[]=vip&labels[]=es"),
    Recorded(200, "GET", f"{HERE}/contacts/search?q=%2B58412&page=1"),
    Recorded(200, "GET", f"{HERE}/contacts/search?q=Zo%C3%AB%20%3Cb"),
    Recorded(200, "GET", f"{HERE}/contacts/search?q="),
    Recorded(200, "GET", f"{HERE}/contacts/search"),
    Recorded(200, "POST", f"{HERE}/contacts/1/labels", {"labels": [" VIP ", "a,b", "vip"]}),
    Recorded(200, "POST", f"{HERE}/contacts/1/labels", {"labels": []}),
    Recorded(404, "POST", f"{HERE}/contacts/99/labels", {"labels": ["x"]}),
    Recorded(200, "GET", f"{HERE}/contacts/1/conversations"),
    Recorded(404, "GET", f"{HERE}/contacts/99/conversations"),
    Recorded(200, "GET", f"{HERE}/conversations"),
    Recorded(200, "GET", f"{HERE}/conversations?status=all&assignee_type=unassigned&inbox_id=1&page=1&sort_by=x"),
    Recorded(200, "GET", f"{HERE}/conversations?q=hola&labels[]=emergencia&source_id=ana&updated_within=60&team_id=1"),
    Recorded(200, "POST", f"{HERE}/conversations/1/labels", {"labels": ["emergencia", "es", "Emergencia"]}),
    Recorded(200, "POST", f"{HERE}/conversations/1/labels", {"labels": ["EMERGENCIA"]}),
    Recorded(404, "POST", f"{HERE}/conversations/99/labels", {"labels": ["x"]}),
    Recorded(200, "GET", f"{HERE}/labels"),
    Recorded(200, "POST", f"{HERE}/conversations/1/messages", {"content": "Va en camino 🚑", "private": False}),
    Recorded(200, "POST", f"{HERE}/conversations/1/messages", {"content": "nota", "private": True, "echo_id": "7"}),
    Recorded(200, "POST", f"{HERE}/conversations/1/messages", {"content": "Hola", "message_type": "incoming"}),
    Recorded(422, "POST", f"{HERE}/conversations/2/messages", {"content": "Hola", "message_type": "incoming"}),
    Recorded(422, "POST", f"{HERE}/conversations/1/messages", {"content": "x" * 150_001}),
    Recorded(200, "POST", f"{HERE}/conversations/1/messages", {"content": "Soy un robot"}, BOT_TOKEN),
    Recorded(401, "POST", f"{HERE}/conversations/2/messages", {"content": "Hola"}, AGENT_TOKEN),
    Recorded(200, "POST", f"{HERE}/conversations/1/attachments", form=FORM),
    Recorded(404, "POST", f"{HERE}/conversations/99/attachments", form=FORM),
    Recorded(401, "POST", f"{HERE}/conversations/1/attachments", token=None, form=FORM),
    Recorded(401, "GET", f"{HERE}/labels", token=None),
    Recorded(401, "GET", f"{HERE}/labels", token="nadie"),
    Recorded(401, "GET", f"{HERE}/labels", token=STRANGER_TOKEN),
    Recorded(401, "GET", f"{HERE}/labels", token=BOT_TOKEN),
    Recorded(401, "GET", "/accounts/3/labels"),
    Recorded(404, "GET", "/accounts/9/labels"),
    Recorded(200, "GET", f"{INBOX}/contacts/ana/conversations", token=None),
    Recorded(200, "GET", f"{INBOX}/contacts/ana/conversations"),
    Recorded(404, "GET", f"{INBOX}/contacts/nadie/conversations", token=None),
    Recorded(404, "GET", "/inboxes/otro/contacts/ana/conversations", token=None),
    Recorded(200, "PATCH", f"{INBOX}/contacts/ana", {"name": "Ana R.", "custom_attributes": {"a": {"b": 1}}}, None),
    Recorded(200, "PATCH", f"{INBOX}/contacts/ana", {"email": "zoe@ejemplo.com"}, None),
    Recorded(422, "PATCH", f"{INBOX}/contacts/ana", {"phone_number": "0412"}, None),
    Recorded(500, "PATCH", f"{INBOX}/contacts/ana", {"identifier": "1", "identifier_hash": "0" * 64}, None),
    Recorded(404, "PATCH", f"{INBOX}/contacts/nadie", {"name": "Ana"}, None),
)


def told_the_same(sandbox: Sandbox) -> None:
    """A contact `ana` with a conversation in the API inbox and one in the other, whatever the address."""

    def tell(platforms: Any) -> None:
        chatwoot = platforms.chatwoot
        chatwoot.url = "http://chatwoot.example"
        contact = chatwoot.add_contact("Beto")
        for number, name in ((1, "ana"), (2, None)):
            chatwoot.add_conversation(chatwoot.join_inbox(contact, chatwoot.inboxes[number], name))

    sandbox.call(tell)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SandboxConfig(clock=lambda: NOON)) as sandbox:
        yield sandbox


def test_every_operation_answers_byte_for_byte(conversations: ConversationScenario) -> None:
    told_the_same(conversations.sandbox)
    with Sandbox(SandboxConfig(clock=lambda: NOON)) as other, local_http.client(base_url=other.url) as direct:
        told_the_same(other)
        for number, call in enumerate(CALLS):
            headers = {"Api-Access-Token": call.token} if call.token is not None else {}
            body: dict[str, Any] = {} if call.json is None else {"json": call.json}
            if call.form is not None:
                body, kind = {"content": call.form}, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
                headers |= kind
            path = real_path(call)
            expected = direct.request(call.method, path, headers=headers, **body)
            got = conversations.call(call.method, call.path, token=None, headers=headers, **body)
            assert (got.status_code, got.content) == (expected.status_code, expected.content), (number, call)
            assert got.headers["content-type"] == expected.headers["content-type"]
            assert got.status_code == call.status, (call, got.text)
            if CONTRACT is not None:
                CONTRACT.check_answer(call.method, path, got.status_code, got.content)
                if call.json is not None and got.status_code != 422:
                    sent = expected.request
                    CONTRACT.check_request(call.method, path, sent.read(), sent.headers["content-type"])


def test_no_operation_is_left_out() -> None:
    rows = [row for row in catalogue(default_settings(Path("data"))) if row.area == "conversations" and row.seed]
    assert len(rows) == 12
    asked = {(call.method, call.path.partition("?")[0].split("/")[-1]) for call in CALLS if call.status == 200}
    known = {"{source_id}": "ana"}
    assert {(row.method, known.get(row.path.split("/")[-1], row.path.split("/")[-1])) for row in rows} <= asked


def test_too_many_is_said_by_the_platform(conversations: ConversationScenario) -> None:
    conversations.sandbox.call(lambda platforms: platforms.chatwoot.change_behaviour({"searches_per_minute": 0}))
    answer = conversations.call("GET", "/accounts/1/contacts/search?q=a")
    assert (answer.status_code, answer.content) == (429, b"Retry later\n")
    assert answer.headers["content-type"] == "text/plain"


def real_path(call: Recorded) -> str:
    if call.path.startswith("/inboxes/"):
        return f"/public/api/v1{call.path}"
    return f"/api/v1{call.path}".replace("/attachments", "/messages")
