"""The gateway: the platform's own message call, through us and unchanged."""

from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response

from tests.api.conftest import Office
from tests.messaging.webhook_notifications import MARIA
from tests.world import build_world, settings_for

NUMBER = "106540352242922"
PATH = f"/v23.0/{NUMBER}/messages"
TEXT = {"messaging_product": "whatsapp", "to": f"+{MARIA}", "type": "text", "text": {"body": "Hola"}}
JSON = {"Content-Type": "application/json"}


def receipt(provider_id: str) -> dict[str, str]:
    return {"messaging_product": "whatsapp", "status": "read", "message_id": provider_id}


def post(office: Office, body: Any, *, path: str = PATH, token: str | None = "sandbox-token", **more: Any) -> Response:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    return office.world.client.post(path, json=body, headers=headers | more.pop("headers", {}), **more)


def test_a_read_receipt_goes_through_and_is_noted(office: Office) -> None:
    first, second, third = (office.hear(text) for text in ("Uno", "Dos", "Tres"))
    answer = post(office, receipt(second))
    assert answer.status_code == 200
    assert answer.content == b'{"success": true}' or answer.json() == {"success": True}
    assert answer.headers["content-type"] == "application/json"
    assert office.is_read(second) and not office.is_read(third)
    assert office.stored(first).dealt_at and office.stored(second).dealt_at
    assert office.stored(third).dealt_at is None


def test_a_receipt_the_platform_refuses_is_not_noted(office: Office) -> None:
    wamid = office.hear()
    answer = post(office, receipt("wamid.OTRO"))
    assert answer.status_code == 400 and answer.json()["error"]["code"] == 131009
    assert office.stored(wamid).dealt_at is None


def test_a_receipt_for_what_only_the_platform_knows(office: Office) -> None:
    wamid = office.sandbox.receive(from_=f"+{MARIA}", text="Hola")
    assert post(office, receipt(wamid)).json() == {"success": True}


def test_other_messages_go_through_as_they_are(office: Office) -> None:
    office.hear()
    body = '{"messaging_product":"whatsapp", "to":"+584125551111","type":"text","text":{"body":"Zo\\u00eb"}}'
    answer = post(office, None, content=body.encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    assert answer.json()["messages"][0]["id"].startswith("wamid.")
    assert set(answer.json()) == {"messaging_product", "contacts", "messages"}
    assert office.accepted()[-1]["text"]["body"] == "Zoë"
    assert office.world.rows()["messages"] == 1  # What María wrote; this one is not ours.


@pytest.mark.parametrize("token", ["expired-token", "no-permission-token", "EAAnobody"])
def test_the_platform_judges_its_tokens(office: Office, token: str) -> None:
    answer = post(office, TEXT, token=token)
    assert answer.status_code in (400, 401, 403)
    assert answer.json()["error"]["type"] == "OAuthException" and "meta" not in answer.json()


def test_without_a_token_it_is_ours_to_say(office: Office) -> None:
    answer = post(office, TEXT, token=None)
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "token_de_plataforma"
    assert "WWW-Authenticate" in answer.headers
    assert post(office, TEXT, token=None, headers={"Authorization": "Basic eDp5"}).status_code == 401


def test_a_token_of_ours_never_leaves(office: Office) -> None:
    seen = len(office.sandbox.whatsapp.journal.entries)
    for token in (office.staff.token, office.staff.token[:-1], "7|x", "|"):
        answer = post(office, TEXT, token=token)
        assert answer.status_code == 401 and token not in answer.text.replace("|", token, 0).split('"meta"')[0]
    assert len(office.sandbox.whatsapp.journal.entries) == seen


def test_only_our_number_and_only_versions_with_a_dot(office: Office) -> None:
    assert post(office, TEXT, path="/v23.0/106540352242999/messages").status_code == 404
    assert post(office, TEXT, path="/v23.0/no/messages").status_code == 404
    for version in ("v2", "v1", "23.0", "v23", "vx.y", "v1234.0", "v2.0.0"):
        assert post(office, TEXT, path=f"/{version}/{NUMBER}/messages").status_code == 404, version
    assert office.world.client.get(f"/v2/{NUMBER}/messages").status_code == 404
    assert office.world.client.get(PATH).status_code == 405
    assert post(office, receipt("wamid.X"), path=f"/v25.0/{NUMBER}/messages").json()["error"]["code"] == 131009


@pytest.mark.parametrize(
    "body, kind, status",
    [
        (b"{", "application/json", 400),
        (b"", "application/json", 400),
        (b'{"a":1,"a":2}', "application/json", 400),
        (b"[]", "application/json", 422),
        (b'"x"', "application/json", 422),
        (b"a=b", "application/x-www-form-urlencoded", 415),
        (b"{}" + b" " * 1_000_000, "application/json", 413),
        (b'{"a":' * 70 + b"1" + b"}" * 70, "application/json", 400),
    ],
)
def test_a_body_that_is_no_object(office: Office, body: bytes, kind: str, status: int) -> None:
    answer = post(office, None, content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.json()["meta"]["status"] == status


def test_neither_cookies_nor_keys_mean_anything_here(office: Office) -> None:
    wamid = office.hear()
    headers = {"Idempotency-Key": "uno", "Origin": "http://testserver"}
    for _ in range(2):
        answer = post(office, receipt(wamid), headers=headers)
        assert answer.status_code == 200 and "set-cookie" not in answer.headers
        assert "Idempotency-Replayed" not in answer.headers


def test_a_platform_that_is_away(database_url: str, tmp_path: Path) -> None:
    settings = settings_for(database_url, tmp_path / "data", whatsapp_base_url="http://127.0.0.1:9")
    world = build_world(settings)
    answer = world.client.post(PATH, json=TEXT, headers={"Authorization": "Bearer sandbox-token"})
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "plataforma_no_responde"
    world.close()


@pytest.mark.parametrize(
    "rule, status, code",
    [
        ({"action": "timeout_after_acceptance"}, 504, "plataforma_lenta"),
        ({"action": "drop_after"}, 504, "plataforma_lenta"),
        ({"action": "http", "status": 502}, 502, "plataforma_no_responde"),
    ],
)
def test_a_platform_that_fails_half_way(office: Office, rule: dict[str, Any], status: int, code: str) -> None:
    wamid = office.hear()
    office.break_with(rule)
    answer = post(office, receipt(wamid))
    assert answer.status_code == status and answer.json()["errors"][0]["code"] == code
    assert office.stored(wamid).dealt_at is None
    assert "html" not in answer.text.lower()
