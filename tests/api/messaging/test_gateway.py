"""The gateway: the platform's own message call, through us and unchanged."""

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from httpx2 import Response
from sqlalchemy import update

from ficha.http.kept_answers import KeptAnswer
from ficha.sandbox.whatsapp.errors import CODES
from tests.api.conftest import MessagingScenario
from tests.messaging.webhook_notifications import MARIA
from tests.world import build_world, settings_for

NUMBER = "106540352242922"
PATH = f"/v23.0/{NUMBER}/messages"
TEXT = {"messaging_product": "whatsapp", "to": f"+{MARIA}", "type": "text", "text": {"body": "Hola"}}
JSON = {"Content-Type": "application/json"}
KEY = {"Idempotency-Key": "uno"}


def receipt(provider_id: str) -> dict[str, str]:
    return {"messaging_product": "whatsapp", "status": "read", "message_id": provider_id}


def post(
    messaging: MessagingScenario, body: Any, *, path: str = PATH, token: str | None = "sandbox-token", **more: Any
) -> Response:
    headers = {"Authorization": f"Bearer {token}"} if token is not None else {}
    return messaging.world.client.post(path, json=body, headers=headers | more.pop("headers", {}), **more)


def test_a_read_receipt_goes_through_and_is_noted(messaging: MessagingScenario) -> None:
    first, second, third = (messaging.receive(text) for text in ("Uno", "Dos", "Tres"))
    answer = post(messaging, receipt(second))
    assert answer.status_code == 200
    assert answer.content == b'{"success": true}' or answer.json() == {"success": True}
    assert answer.headers["content-type"] == "application/json"
    assert messaging.is_read(second) and not messaging.is_read(third)
    assert messaging.stored(first).dealt_at and messaging.stored(second).dealt_at
    assert messaging.stored(third).dealt_at is None


def test_a_receipt_the_platform_refuses_is_not_noted(messaging: MessagingScenario) -> None:
    wamid = messaging.receive()
    answer = post(messaging, receipt("wamid.OTRO"))
    assert answer.status_code == 400 and answer.json()["error"]["code"] == 131009
    assert messaging.stored(wamid).dealt_at is None


def test_a_receipt_for_what_only_the_platform_knows(messaging: MessagingScenario) -> None:
    wamid = messaging.sandbox.receive(from_=f"+{MARIA}", text="Hola")
    assert post(messaging, receipt(wamid)).json() == {"success": True}


def test_other_messages_go_through_as_they_are(messaging: MessagingScenario) -> None:
    messaging.receive()
    body = '{"messaging_product":"whatsapp", "to":"+584125551111","type":"text","text":{"body":"Zo\\u00eb"}}'
    answer = post(messaging, None, content=body.encode(), headers=JSON)
    assert answer.status_code == 200, answer.text
    assert answer.json()["messages"][0]["id"].startswith("wamid.")
    assert set(answer.json()) == {"messaging_product", "contacts", "messages"}
    assert messaging.accepted()[-1]["text"]["body"] == "Zoë"
    assert messaging.world.rows()["messages"] == 1  # What María wrote; this one is not ours.


@pytest.mark.parametrize("token", ["expired-token", "no-permission-token", "EAAnobody"])
def test_the_platform_judges_its_tokens(messaging: MessagingScenario, token: str) -> None:
    answer = post(messaging, TEXT, token=token)
    assert answer.status_code in (400, 401, 403)
    assert answer.json()["error"]["type"] == "OAuthException" and "meta" not in answer.json()


def test_without_a_token_the_refusal_is_ours(messaging: MessagingScenario) -> None:
    answer = post(messaging, TEXT, token=None)
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "token_de_plataforma"
    assert "WWW-Authenticate" in answer.headers
    assert post(messaging, TEXT, token=None, headers={"Authorization": "Basic eDp5"}).status_code == 401


def test_a_token_of_ours_never_leaves(messaging: MessagingScenario) -> None:
    seen = len(messaging.sandbox.whatsapp.journal.entries)
    for token in (messaging.staff.token, messaging.staff.token[:-1], "7|x", "|"):
        answer = post(messaging, TEXT, token=token)
        assert answer.status_code == 401 and token not in answer.text.replace("|", token, 0).split('"meta"')[0]
    assert len(messaging.sandbox.whatsapp.journal.entries) == seen


def test_only_our_number_and_only_versions_with_a_dot(messaging: MessagingScenario) -> None:
    assert post(messaging, TEXT, path="/v23.0/106540352242999/messages").status_code == 404
    assert post(messaging, TEXT, path="/v23.0/no/messages").status_code == 404
    for version in ("v2", "v1", "23.0", "v23", "vx.y", "v1234.0", "v2.0.0"):
        assert post(messaging, TEXT, path=f"/{version}/{NUMBER}/messages").status_code == 404, version
    assert messaging.world.client.get(f"/v2/{NUMBER}/messages").status_code == 404
    assert messaging.world.client.get(PATH).status_code == 405
    assert post(messaging, receipt("wamid.X"), path=f"/v25.0/{NUMBER}/messages").json()["error"]["code"] == 131009


@pytest.mark.one_case_on_postgresql
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
def test_a_body_that_is_no_object(messaging: MessagingScenario, body: bytes, kind: str, status: int) -> None:
    answer = post(messaging, None, content=body, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.json()["meta"]["status"] == status


def test_cookies_mean_nothing_here(messaging: MessagingScenario) -> None:
    wamid = messaging.receive()
    answer = post(
        messaging, receipt(wamid), headers={"Origin": "http://testserver", "Cookie": f"ficha_session={'a' * 40}"}
    )
    assert answer.status_code == 200 and "set-cookie" not in answer.headers


def test_a_message_under_a_key_is_sent_once(messaging: MessagingScenario) -> None:
    messaging.receive()
    first, again = (post(messaging, TEXT, headers=KEY) for _ in range(2))
    assert first.status_code == again.status_code == 200 and first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true" and len(messaging.accepted()) == 1
    other = post(messaging, TEXT | {"text": {"body": "Adiós"}}, headers=KEY)
    assert other.status_code == 409 and other.json()["errors"][0]["code"] == "clave_de_idempotencia_reusada"
    # Another's token has keys of its own.
    assert post(messaging, TEXT, token="expired-token", headers=KEY).status_code in (400, 401)
    assert len(messaging.accepted()) == 1


@pytest.mark.parametrize("action", ["timeout_after_acceptance", "drop_after"])
def test_what_the_platform_may_have_taken_is_not_sent_again_under_its_key(
    messaging: MessagingScenario, action: str
) -> None:
    messaging.receive()
    messaging.set_faults({"action": action})
    first = post(messaging, TEXT, headers=KEY)
    messaging.set_faults()
    again = post(messaging, TEXT, headers=KEY)
    assert first.json()["errors"] == again.json()["errors"] and again.status_code in (502, 504)
    assert len(messaging.accepted()) == 1


def test_whatever_is_answered_fits_what_the_document_says(messaging: MessagingScenario) -> None:
    """The platform's errors as well as ours."""
    document = messaging.world.app.openapi()
    said = document["paths"]["/{api_version}/{business_phone_number_id}/messages"]["post"]["responses"]

    def check(answer: Response, *, is_ours: bool) -> None:
        told = said[str(answer.status_code)]
        if "$ref" in told:
            told = document["components"]["responses"][told["$ref"].rpartition("/")[2]]
        schema = told["content"]["application/json"]["schema"] | {"components": document["components"]}
        jsonschema_rs.validate(schema, answer.json())
        assert ("errors" in answer.json()) is is_ours, answer.text

    seen = set()
    for code, kind in CODES.items():
        messaging.set_faults({"action": "error", "code": code})
        answer = post(messaging, TEXT)
        assert answer.status_code == kind.status
        check(answer, is_ours=False)
        seen.add(answer.status_code)
    messaging.set_faults()
    assert seen >= {400, 401, 403, 404, 429, 500, 503}
    check(post(messaging, TEXT, token=None), is_ours=True)
    check(post(messaging, TEXT, path="/v23.0/no/messages"), is_ours=True)
    check(post(messaging, None, content=b"{", headers=JSON), is_ours=True)


def test_what_the_platform_certainly_refused_is_sent_again_under_its_key(messaging: MessagingScenario) -> None:
    messaging.receive()
    messaging.set_faults({"action": "error", "code": 131000})
    assert post(messaging, TEXT, headers=KEY).status_code == 500
    messaging.set_faults()
    assert post(messaging, TEXT, headers=KEY).status_code == 200
    assert len(messaging.accepted()) == 1


def test_what_a_dead_process_may_have_sent_is_not_sent_again(messaging: MessagingScenario) -> None:
    messaging.receive()
    world = messaging.world
    assert post(messaging, TEXT, headers=KEY).status_code == 200
    with world.parts.database.writing() as tx:  # As it is until the answer is there.
        tx.orm.execute(update(KeptAnswer).values(status=None, answer=None))
    world.clock.move(minutes=2)
    answer = post(messaging, TEXT, headers=KEY)
    assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "peticion_sin_respuesta"
    assert len(messaging.accepted()) == 1


def test_a_platform_that_cannot_be_reached(database_url: str, tmp_path: Path) -> None:
    settings = settings_for(database_url, tmp_path / "data", whatsapp_base_url="http://127.0.0.1:9")
    world = build_world(settings)
    answer = world.client.post(PATH, json=TEXT, headers={"Authorization": "Bearer sandbox-token"})
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "plataforma_no_responde"
    world.close()


@pytest.mark.parametrize(
    "rule, status, code",
    [
        ({"action": "timeout_after_acceptance"}, 504, "plataforma_lenta"),
        ({"action": "drop_after"}, 502, "plataforma_fallo"),
        ({"action": "http", "status": 502}, 502, "plataforma_fallo"),
    ],
)
def test_a_platform_that_fails_half_way(
    messaging: MessagingScenario, rule: dict[str, Any], status: int, code: str
) -> None:
    wamid = messaging.receive()
    messaging.set_faults(rule)
    answer = post(messaging, receipt(wamid))
    assert answer.status_code == status and answer.json()["errors"][0]["code"] == code
    assert messaging.stored(wamid).dealt_at is None
    assert "html" not in answer.text.lower()


def test_the_platform_s_other_word_for_a_token_is_understood(messaging: MessagingScenario) -> None:
    messaging.receive()
    headers = {"Authorization": "OAuth sandbox-token"}
    assert post(messaging, TEXT, token=None, headers=headers).status_code == 200


@pytest.mark.parametrize("to", [f"+{MARIA}", MARIA, "+58 (412) 555-1111"])
def test_who_stopped_our_messages_gets_none_by_this_way_either(messaging: MessagingScenario, to: str) -> None:
    messaging.receive("BAJA")
    before = len(messaging.sandbox.whatsapp.journal.accepted)
    answer = post(messaging, TEXT | {"to": to})
    assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "contacto_de_baja"
    assert len(messaging.sandbox.whatsapp.journal.accepted) == before
    wamid = messaging.receive("otra cosa")
    assert post(messaging, receipt(wamid)).status_code == 200, "a receipt is no message"


@pytest.mark.parametrize("token", ["inventado", "no-permission-token", "expired-token"])
def test_who_may_not_send_learns_of_nobody_whether_she_stopped(messaging: MessagingScenario, token: str) -> None:
    messaging.receive("BAJA")
    stopped, other = (post(messaging, TEXT | {"to": to}, token=token) for to in (f"+{MARIA}", "+584125552222"))
    assert stopped.status_code == other.status_code in (400, 401, 403)
    told = [answer.json()["error"] | {"fbtrace_id": ""} for answer in (stopped, other)]
    assert told[0] == told[1]


@pytest.mark.parametrize("body", ["<html>ok</html>", "[]", '"ok"', ""])
def test_an_answer_that_is_not_the_platform_s_leaves_it_open(messaging: MessagingScenario, body: str) -> None:
    rule = {"action": "http", "status": 200, "body": body}
    messaging.sandbox.call(lambda platforms: platforms.whatsapp.faults.set([rule]))
    answer = post(messaging, TEXT)
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "plataforma_fallo"
