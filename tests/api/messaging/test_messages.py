"""Staff write to people by WhatsApp: queued at once, sent by a job, and looked up afterwards."""

from typing import Any

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Role
from ficha.messaging.platform_account import SYNC
from ficha.messaging.tables import Message, Thread
from tests import local_http
from tests.api.conftest import MessagingScenario
from tests.messaging.webhook_notifications import MARIA
from tests.world import World

TEXT = {"text": {"body": "Su cita es el lunes."}}
PENDING = {"name": "mensaje_pendiente", "language": "es", "body": ["Su carnet está listo."]}
PLACE = {"location": {"latitude": 10.5, "longitude": -66.9, "name": "Hospital"}}


def look(messaging: MessagingScenario, message_id: int | str) -> dict[str, Any]:
    answer = messaging.staff.get(f"/v2/whatsapp/messages/{message_id}")
    assert answer.status_code == 200, answer.text
    attributes: dict[str, Any] = answer.json()["data"]["attributes"]
    return attributes


def pointers(answer: Any) -> set[str]:
    assert answer.status_code == 422, answer.text
    return {error["source"]["pointer"] for error in answer.json()["errors"]}


def test_a_template_is_queued_and_sent(messaging: MessagingScenario) -> None:
    messaging.world.run_jobs()
    answer = messaging.send("template", template=PENDING)
    assert answer.status_code == 202
    data = answer.json()["data"]
    assert data["type"] == "message"
    assert data["attributes"]["state"] == "queued" and data["attributes"]["to"] == f"+{MARIA}"
    assert data["attributes"]["type"] == "template" and "content" not in data["attributes"]
    assert data["attributes"]["created_at"] == "2026-11-15T12:00:00+00:00"
    messaging.world.run_jobs()
    seen = look(messaging, data["id"])
    assert seen["state"] == "accepted" and seen["provider_id"].startswith("wamid.")
    assert seen["content"]["name"] == "mensaje_pendiente" and seen["content"]["body"] == PENDING["body"]
    assert look(messaging, seen["provider_id"]) == seen


@pytest.mark.parametrize(
    "kind, body, content",
    [
        ("text", TEXT, {"kind": "text", "body": "Su cita es el lunes."}),
        ("location", PLACE, {"latitude": 10.5, "longitude": -66.9, "name": "Hospital"}),
        (
            "media",
            {
                "media": {
                    "kind": "document",
                    "link": "https://ejemplo.com/a.pdf",
                    "filename": "a.pdf",
                    "caption": "Guía",
                }
            },
            {"link": "https://ejemplo.com/a.pdf", "filename": "a.pdf", "caption": "Guía"},
        ),
    ],
)
def test_free_messages_go_to_who_wrote_today(
    messaging: MessagingScenario, kind: str, body: Any, content: dict[str, Any]
) -> None:
    wamid = messaging.receive()
    answer = messaging.send(kind, **body, reply_to=wamid)
    assert answer.status_code == 202, answer.text
    assert answer.json()["data"]["attributes"]["reply_to"] == wamid
    messaging.world.run_jobs()
    seen = look(messaging, answer.json()["data"]["id"])
    assert seen["state"] == "accepted", seen
    assert content.items() <= seen["content"].items()


def test_after_the_day_is_over_the_fallback_goes(messaging: MessagingScenario) -> None:
    answer = messaging.send("text", **TEXT, fallback=PENDING)
    assert answer.status_code == 202, answer.text
    messaging.world.run_jobs()
    seen = look(messaging, answer.json()["data"]["id"])
    assert seen["state"] == "failed"
    assert seen["error"]["code"] == 131047 and seen["error"]["word"] == "ventana_cerrada"
    assert seen["error"]["sentence"].endswith(".")
    other = look(messaging, seen["replaced_by"])
    assert other["state"] == "accepted" and other["content"]["body"] == PENDING["body"]


def test_who_is_written_to_counts_as_read(messaging: MessagingScenario) -> None:
    first, second = messaging.receive("Hola"), messaging.receive("¿Hay alguien?")
    assert look(messaging, second)["dealt_at"] is None
    assert not messaging.is_read(second)
    assert messaging.send("text", **TEXT).status_code == 202
    assert look(messaging, first)["dealt_at"] and look(messaging, second)["dealt_at"]
    messaging.world.run_jobs()
    assert messaging.is_read(first) and messaging.is_read(second)


def test_a_received_message_says_who_wrote_what(messaging: MessagingScenario) -> None:
    seen = look(messaging, messaging.receive("Necesito ayuda"))
    assert seen["state"] == "received" and seen["from"] == f"+{MARIA}" and seen["to"] is None
    assert seen["content"]["text"] == {"body": "Necesito ayuda"} and not seen["is_test"]


def test_the_same_key_asks_once(messaging: MessagingScenario) -> None:
    key = {"Idempotency-Key": "aviso-17"}
    path, body = "/v2/whatsapp/messages/template", {"to": f"+{MARIA}", "template": PENDING}
    first = messaging.staff.post(path, body, headers=key)
    again = messaging.staff.post(path, body, headers=key)
    assert first.status_code == again.status_code == 202
    assert again.json() == first.json() and again.headers["Idempotency-Replayed"] == "true"
    assert messaging.staff.post(path, body | {"to": "+584125550000"}, headers=key).status_code == 409
    assert messaging.world.rows()["messages"] == 1


def test_who_wants_no_messages_gets_none(messaging: MessagingScenario) -> None:
    messaging.receive("BAJA")
    for kind, body in (("text", TEXT), ("template", {"template": PENDING}), ("location", PLACE)):
        answer = messaging.send(kind, **body)
        assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "contacto_de_baja"


def test_a_template_the_platform_does_not_know_is_refused_before_it_is_queued(messaging: MessagingScenario) -> None:
    messaging.world.do(SYNC)
    before = messaging.world.rows()
    assert pointers(messaging.send("template", template=PENDING | {"name": "no_existe"})) == {"/template/name"}
    assert pointers(messaging.send("template", template=PENDING | {"body": []})) == {"/template/body"}
    assert pointers(messaging.send("template", template=PENDING | {"header": ["x"]})) == {"/template/header"}
    wrong_place = {"buttons": [{"index": 3, "payload": "x"}]}
    assert pointers(messaging.send("template", template=PENDING | wrong_place)) == {"/template/buttons/0/index"}
    assert pointers(messaging.send("text", **TEXT, fallback=PENDING | {"body": ["a", "b"]})) == {"/fallback/body"}
    assert messaging.world.rows() == before


def test_buttons_and_their_values(messaging: MessagingScenario) -> None:
    messaging.world.run_jobs()
    alert = {
        "name": "alerta_emergencia",
        "language": "es",
        "body": ["Ana", "14:05", "Caracas"],
        "buttons": [{"index": 0, "payload": "voy-1"}, {"index": 2, "text": "x7Kd2"}],
    }
    assert messaging.send("template", template=alert).status_code == 202
    messaging.world.run_jobs()
    sent = str(messaging.accepted()[-1])
    assert "voy-1" in sent and "x7Kd2" in sent
    neither = alert | {"buttons": [{"index": 0}, {"index": 1, "payload": "a", "text": "b"}]}
    assert pointers(messaging.send("template", template=neither)) == {"/template/buttons/0", "/template/buttons/1"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "to", ["4125551111", "+58", "+0584125551111", "+58412555111122223", "US.", "us.134", "", None, 5, "+999999999999"]
)
def test_an_address_nobody_has(messaging: MessagingScenario, to: Any) -> None:
    assert pointers(messaging.send("text", **TEXT, to=to)) == {"/to"}


def test_somebody_without_a_number_is_written_to_by_user_id(messaging: MessagingScenario) -> None:
    answer = messaging.send("template", template=PENDING, to="US.13491208655302741918")
    assert answer.status_code == 202
    assert answer.json()["data"]["attributes"]["to"] == "US.13491208655302741918"


BAD = [
    ("text", {"text": {"body": ""}}, {"/text/body"}),
    ("text", {"text": {"body": "   "}}, {"/text/body"}),
    ("text", {"text": {"body": "x" * 4097}}, {"/text/body"}),
    ("text", {"text": {"body": "a\x00b"}}, {"/text/body"}),
    ("text", {"text": {"body": 5}}, {"/text/body"}),
    ("text", {"text": "Hola"}, {"/text"}),
    ("text", {}, {"/text"}),
    ("text", {**TEXT, "texto": "x"}, {"/texto"}),
    ("text", {**TEXT, "reply_to": "wamid.<x>"}, {"/reply_to"}),
    ("location", {"location": {"latitude": "10", "longitude": -66.9}}, {"/location/latitude"}),
    ("location", {"location": {"latitude": True, "longitude": 0}}, {"/location/latitude"}),
    ("location", {"location": {"latitude": 90.1, "longitude": 180.1}}, {"/location/latitude", "/location/longitude"}),
    ("location", {"location": {"latitude": 1}}, {"/location/longitude"}),
    ("location", {"location": {"latitude": 1, "longitude": 2, "name": "x" * 1001}}, {"/location/name"}),
    ("media", {"media": {"kind": "image"}}, {"/media"}),
    ("media", {"media": {"kind": "image", "media_id": "1", "link": "https://a.b/c"}}, {"/media"}),
    ("media", {"media": {"kind": "image", "link": "http://a.b/c"}}, {"/media/link"}),
    ("media", {"media": {"kind": "image", "link": "https://a b"}}, {"/media/link"}),
    ("media", {"media": {"kind": "image", "media_id": "../1"}}, {"/media/media_id"}),
    ("media", {"media": {"kind": "audio", "media_id": "1", "caption": "x"}}, {"/media/caption"}),
    ("media", {"media": {"kind": "image", "media_id": "1", "filename": "a.png"}}, {"/media/filename"}),
    ("media", {"media": {"kind": "image", "media_id": "1", "caption": "x" * 1025}}, {"/media/caption"}),
    ("media", {"media": {"kind": "gif", "media_id": "1"}}, {"/media/kind"}),
    ("media", {"media": {"kind": "image", "upload_id": 999}}, {"/media/upload_id"}),
    ("media", {"media": {"kind": "image", "upload_id": 2**70}}, {"/media/upload_id"}),
    ("template", {"template": {"name": "Con Espacio", "language": "es"}}, {"/template/name"}),
    ("template", {"template": {"name": "a", "language": "español"}}, {"/template/language"}),
    ("template", {"template": {**PENDING, "body": ["a\nb"]}}, {"/template/body/0"}),
    ("template", {"template": {**PENDING, "body": ["a     b"]}}, {"/template/body/0"}),
    ("template", {"template": {**PENDING, "fallback": PENDING}}, {"/template/fallback"}),
    ("template", {"template": PENDING, "fallback": PENDING}, {"/fallback"}),
]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("kind, body, where", BAD)
def test_what_cannot_be_sent_is_told_by_its_place(
    messaging: MessagingScenario, kind: str, body: Any, where: set[str]
) -> None:
    assert pointers(messaging.send(kind, **body)) == where
    assert messaging.world.rows()["messages"] == 0


def test_numbers_too_large_for_json_are_refused(messaging: MessagingScenario) -> None:
    body = b'{"to":"+584125551111","location":{"latitude":1e999,"longitude":0}}'
    headers = messaging.staff.headers | {"Content-Type": "application/json"}
    answer = messaging.world.client.post("/v2/whatsapp/messages/location", content=body, headers=headers)
    assert pointers(answer) == {"/location/latitude"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("message_id", ["0", "999999", "nada", "9" * 30, "wamid.no", "1/2", "text"])
def test_a_message_that_is_not_there(messaging: MessagingScenario, message_id: str) -> None:
    assert messaging.staff.get(f"/v2/whatsapp/messages/{message_id}").status_code == 404


def test_a_code_is_shown_to_nobody(messaging: MessagingScenario) -> None:
    ana = messaging.world.register(telefono="4125551111")
    assert ana.post("/v2/auth/phone/request-code").status_code == 200
    messaging.world.run_jobs()
    with messaging.world.parts.database.writing() as tx:
        tx.orm.execute(update(Message).values(state="queued", sealed=b"x"))  # Even while it waits.
    answer = messaging.staff.get("/v2/whatsapp/messages/1")
    assert answer.status_code == 200 and answer.json()["data"]["attributes"]["content"] is None


def test_what_was_erased_is_not_shown(messaging: MessagingScenario) -> None:
    message_id = messaging.send("template", template=PENDING).json()["data"]["id"]
    with messaging.world.parts.database.writing() as tx:
        tx.orm.execute(update(Thread).values(key_id=None, wrapped_key=None))
    assert look(messaging, message_id)["content"] is None


def test_only_staff(world: World) -> None:
    owner = world.somebody_with(Role.OWNER)
    assert owner.post("/v2/whatsapp/messages/text", {"to": f"+{MARIA}", **TEXT}).status_code == 403
    assert world.client.post("/v2/whatsapp/messages/text", json={}).status_code == 401


def test_named_variables_a_place_and_a_coupon_reach_the_platform(messaging: MessagingScenario) -> None:
    made = {
        "name": "cupon_con_lugar",
        "language": "es",
        "category": "MARKETING",
        "parameter_format": "NAMED",
        "components": [
            {"type": "HEADER", "format": "LOCATION"},
            {
                "type": "BODY",
                "text": "Hola {{persona}}",
                "example": {"body_text_named_params": [{"param_name": "persona", "example": "Ana"}]},
            },
            {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "example": "SALUD2026"}]},
        ],
    }
    path = "/v23.0/102290129340398/message_templates"
    created = local_http.post(
        f"{messaging.sandbox.url}{path}", json=made, headers={"Authorization": "Bearer sandbox-token"}
    )
    assert created.status_code == 200, created.text

    def approve(platforms: Any) -> None:
        templates = platforms.whatsapp.templates
        templates.find("cupon_con_lugar", "es").status = "APPROVED"

    messaging.sandbox.call(approve)
    messaging.world.do("whatsapp.plantillas")
    template = {
        "name": "cupon_con_lugar",
        "language": "es",
        "body_named": {"persona": "Ana"},
        "location": {"latitude": 10.5, "longitude": -66.9, "name": "Clínica", "address": "Caracas"},
        "buttons": [{"index": 0, "coupon_code": "SALUD2026"}],
    }
    answer = messaging.send("template", template=template)
    assert answer.status_code == 202, answer.text
    messaging.world.run_jobs()
    [sent] = messaging.accepted()
    kinds = {part["type"]: part["parameters"][0] for part in sent["template"]["components"]}
    assert kinds["header"]["location"]["name"] == "Clínica"
    assert kinds["body"]["parameter_name"] == "persona" and kinds["button"]["coupon_code"] == "SALUD2026"
    assert messaging.send("template", template=template | {"body": ["Ana"]}).status_code == 422


def test_a_file_after_the_day_is_told_of_by_a_template(messaging: MessagingScenario) -> None:
    messaging.receive()
    messaging.world.clock.move(hours=25)
    staff = messaging.world.somebody_with(Role.STAFF)
    body = {"to": f"+{MARIA}", "media": {"kind": "image", "media_id": "1037543291543636"}}
    assert staff.post("/v2/whatsapp/messages/media", body).status_code == 202
    messaging.world.run_jobs()
    [sent] = messaging.accepted()
    assert sent["type"] == "template" and "Tenemos un archivo" in str(sent["template"]["components"])
