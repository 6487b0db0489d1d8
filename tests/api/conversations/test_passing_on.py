"""Who may ask the conversation platform through us, what they are told when it fails, and what that costs the rest."""

import threading
from pathlib import Path
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from ficha.channels.chatwoot.client import FAILURES
from tests.api.conversations.conftest import ConversationScenario
from tests.waiting import eventually
from tests.world import build_world, settings_for

LABELS = "/v1/accounts/1/labels"
CONTACTS = "/v1/accounts/1/contacts"


def test_staff_act_with_the_configured_token(conversations: ConversationScenario) -> None:
    created = conversations.staff.post(CONTACTS, {"name": "Ana", "phone_number": "+584125551111"})
    assert created.status_code == 200 and created.json()["payload"]["contact"]["id"] == 1
    [request] = conversations.requests()
    assert request.headers["api-access-token"] == "sandbox-chatwoot-token"
    assert "authorization" not in request.headers
    assert conversations.staff.get("/v1/accounts/2/labels").status_code == 404
    owner = conversations.world.somebody_with(Role.OWNER)
    assert owner.get(LABELS).status_code == 403
    assert len(conversations.requests()) == 1


def test_staff_get_our_errors_with_the_platforms_code(conversations: ConversationScenario) -> None:
    missing = conversations.staff.get("/v1/accounts/1/contacts/99/conversations")
    assert missing.status_code == missing.json()["meta"]["status"] == 404
    assert missing.json()["errors"][0]["code"] == "resource_could_not_be_found"
    wrong = conversations.staff.post(CONTACTS, {"phone_number": "0412", "email": "no"})
    assert wrong.status_code == 422
    assert [(each["code"], each["source"]) for each in wrong.json()["errors"]] == [
        ("email_invalid_email", {"pointer": "/email"}),
        ("phone_number_should_be_in_e164_format", {"pointer": "/phone_number"}),
    ]
    conversations.sandbox.call(lambda platforms: platforms.chatwoot.change_behaviour({"searches_per_minute": 0}))
    busy = conversations.staff.get("/v1/accounts/1/contacts/search?q=a")
    assert busy.status_code == 429 and busy.headers["Retry-After"]


def test_a_token_of_ours_that_the_platform_refuses(
    database_url: str, tmp_path: Path, conversations: ConversationScenario
) -> None:
    url = conversations.sandbox.url
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_base_url=url, chatwoot_token="old"))
    answer = world.somebody_with(Role.STAFF).get(LABELS)
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "invalid_access_token"
    world.close()


@pytest.mark.parametrize(
    "rule, status, code",
    [
        ({"action": "timeout_before"}, 504, "plataforma_lenta"),
        ({"action": "drop_after"}, 502, "plataforma_fallo"),
        ({"action": "half_answer"}, 502, "plataforma_fallo"),
        ({"action": "http", "status": 502}, 502, "plataforma_fallo"),
        ({"action": "http", "status": 200, "body": "<html>"}, 502, "plataforma_fallo"),
    ],
)
def test_a_platform_that_fails(
    conversations: ConversationScenario, rule: dict[str, Any], status: int, code: str
) -> None:
    conversations.set_faults(rule)
    answer = conversations.call("POST", "/accounts/1/contacts", json={"name": "Ana"})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert int(answer.headers["Retry-After"]) >= 1 and "html" not in answer.text.lower()
    assert len(conversations.requests()) == 1  # It may have been done: it is not sent again.


def test_a_read_is_tried_again_and_a_change_is_not(conversations: ConversationScenario) -> None:
    conversations.set_faults({"action": "drop_before", "times": 1})
    assert conversations.call("GET", "/accounts/1/labels").status_code == 200
    conversations.set_faults({"action": "drop_before", "times": 1})
    assert conversations.call("POST", "/accounts/1/contacts", json={"name": "Ana"}).status_code == 502
    assert len(conversations.requests()) == 3


def test_after_several_failures_it_is_left_alone(conversations: ConversationScenario) -> None:
    conversations.set_faults({"action": "http", "status": 503})
    for _ in range(FAILURES):
        assert conversations.call("GET", "/accounts/1/labels").json()["errors"][0]["code"] == "plataforma_fallo"
    conversations.set_faults()
    resting = conversations.call("GET", "/accounts/1/labels")
    assert resting.status_code == 502 and resting.json()["errors"][0]["code"] == "plataforma_no_responde"
    assert 1 <= int(resting.headers["Retry-After"]) <= 10
    assert len(conversations.requests()) == FAILURES


@pytest.mark.parametrize(("status", "code"), [(404, "not_found"), (413, "payload_too_large"), (400, "bad_request")])
def test_what_a_server_before_the_platform_refuses_costs_nobody_else_anything(
    conversations: ConversationScenario, status: int, code: str
) -> None:
    """Its page is no JSON. It passes as its status, in our words, and the platform is not left alone for it."""
    conversations.set_faults({"action": "http", "status": status, "body": "<html>nginx</html>"})
    for _ in range(FAILURES + 1):
        answer = conversations.call("POST", "/accounts/1/contacts", json={"name": "Ana"})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
        assert "nginx" not in answer.text
    conversations.set_faults()
    assert conversations.call("GET", "/accounts/1/labels").status_code == 200


def test_a_400_of_the_platform_is_a_400_for_staff(conversations: ConversationScenario) -> None:
    wrong = {"body": '{"error": "param is missing"}', "content_type": "application/json"}
    conversations.set_faults({"action": "http", "status": 400, **wrong})
    answer = conversations.staff.post("/v1/accounts/1/contacts", {"name": "Ana"})
    assert answer.status_code == 400 and answer.json()["errors"][0]["code"] == "param_is_missing"


def test_a_platform_that_is_not_there(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_base_url="http://127.0.0.1:9"))
    answer = world.client.get(LABELS)
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "plataforma_no_responde"
    world.close()
    settings = settings_for(database_url, tmp_path / "data", whatsapp_base_url="http://127.0.0.1:9")
    world = build_world(settings)
    assert world.client.get(LABELS).json()["errors"][0]["code"] == "sin_plataforma"
    world.close()


@pytest.mark.slow
def test_calls_that_hang_hold_neither_threads_nor_connections(conversations: ConversationScenario) -> None:
    """More of them than there are threads, and more than may be under way at once."""
    conversations.set_faults({"action": "timeout_before"})
    answers: list[int] = []
    hanging = [
        threading.Thread(target=lambda: answers.append(conversations.call("GET", "/accounts/1/labels").status_code))
        for _ in range(60)
    ]
    for thread in hanging:
        thread.start()
    rules = conversations.sandbox.chatwoot.faults.rules
    eventually(lambda: rules[0].fired >= conversations.world.parts.settings.chatwoot_calls)
    database = conversations.world.parts.database
    assert not answers and database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert conversations.staff.get("/v2/auth/me").status_code == 200
    assert not answers
    for thread in hanging:
        thread.join()
    assert set(answers) == {504}


@pytest.mark.parametrize("name", ["attachment", "file", "attachments", "attachments[0]", "Content", ""])
@pytest.mark.parametrize("before", [0, 300_000])
def test_a_file_by_another_name_is_not_lost_in_silence(
    conversations: ConversationScenario, name: str, before: int
) -> None:
    """The platform would take the message without it."""
    conversations.sandbox.call(lambda platforms: platforms.chatwoot.add_conversation(_place(platforms)))
    there = "/accounts/1/conversations/1"
    first = [("attachments[]", ("a.bin", bytes(before), "image/png"))] if before else []
    files = [*first, (name, ("b.bin", b"x", "image/png"))]
    sent = conversations.call("POST", f"{there}/attachments", files=files, data={"content": "Vea"})
    assert sent.status_code == 422, sent.text
    [error] = sent.json()["errors"]
    assert error["code"] == "campo_desconocido" and error["source"] == {"pointer": f"/{name}"}
    chatwoot = conversations.sandbox.call(lambda platforms: platforms.chatwoot)
    assert chatwoot.conversations[1].messages == []


def test_a_form_that_is_none_is_refused(conversations: ConversationScenario) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=a"}
    sent = conversations.call("POST", "/accounts/1/conversations/1/attachments", content=b"x=y&z", headers=kind)
    assert sent.status_code == 415 and sent.json()["errors"][0]["code"] == "formulario_no_admitido"


def test_attachments_are_passed_on_piece_by_piece(conversations: ConversationScenario) -> None:
    """The platform has the first piece before the last one was sent."""
    conversations.sandbox.call(lambda platforms: platforms.chatwoot.add_conversation(_place(platforms)))
    files = [("attachments[]", (f"{number}.bin", bytes(300_000), "image/png")) for number in range(3)]
    sent = conversations.call("POST", "/accounts/1/conversations/1/attachments", files=files, data={"content": "Vea"})
    assert sent.status_code == 200, sent.text
    assert [each["file_size"] for each in sent.json()["attachments"]] == [300_000] * 3
    large = [("attachments[]", ("0.bin", bytes(11_000_000)))]
    assert conversations.call("POST", "/accounts/1/conversations/1/attachments", files=large).status_code == 413


def test_the_same_key_is_passed_on_once(conversations: ConversationScenario) -> None:
    headers = {"Idempotency-Key": "uno"}
    body = {"name": "Ana", "email": "ana@ejemplo.com"}
    first, second = (conversations.call("POST", "/accounts/1/contacts", json=body, headers=headers) for _ in range(2))
    assert first.content == second.content and second.headers["Idempotency-Replayed"] == "true"
    assert len(conversations.requests()) == 1
    other = conversations.call("POST", "/accounts/1/contacts", json={"name": "Beto"}, headers=headers)
    assert other.status_code == 409
    assert conversations.staff.post(CONTACTS, {"name": "Beto"}, headers=headers).status_code == 200


def test_calls_are_counted_by_address(database_url: str, tmp_path: Path) -> None:
    """All of them come from one address of ours, which the platform counts."""
    settings = settings_for(database_url, tmp_path / "data", rate_limits="on", limit_platform="2/9999 days")
    world = build_world(settings)
    assert world.platform.chatwoot is not None
    statuses = [world.client.get(LABELS).status_code for _ in range(3)]
    assert statuses == [401, 401, 429]
    world.close()


def _place(platforms: Any) -> Any:
    chatwoot = platforms.chatwoot
    return chatwoot.join_inbox(chatwoot.add_contact("Ana"), chatwoot.inboxes[1], "ana")
