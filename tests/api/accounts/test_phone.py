"""Verifying a phone, by WhatsApp, and by mail when WhatsApp cannot deliver."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import MessagingScenario
from tests.messaging.webhook_notifications import enveloped, notify, status, value
from tests.world import Person, World, build_world, settings_for

ASK, PROVE = "/v2/auth/phone/request-code", "/v2/auth/phone/verify-code"


@pytest.fixture
def ready(messaging: MessagingScenario) -> MessagingScenario:
    """The platform was asked for its templates before anybody needs one."""
    messaging.world.run_jobs()
    return messaging


def code_sent(messaging: MessagingScenario) -> str:
    body = messaging.accepted()[-1]
    assert body["template"]["name"] == "codigo_verificacion"
    return str(body["template"]["components"][0]["parameters"][0]["text"])


def code_mailed(world: World) -> str:
    found = re.search(r"\b\d{6}\b", world.mails()[0].text)
    assert found
    return found[0]


def me(person: Person) -> dict[str, Any]:
    attributes: dict[str, Any] = person.get("/v2/auth/me").json()["data"]["attributes"]
    return attributes


def test_six_digits_by_whatsapp(ready: MessagingScenario) -> None:
    ana = ready.world.register(telefono="4125551111")
    assert not me(ana)["telefono_verificado"]
    assert ana.post(ASK).json()["data"] == {"state": "queued"}
    ready.world.run_jobs()
    answer = ana.post(PROVE, {"codigo": code_sent(ready)})
    assert answer.status_code == 200
    assert answer.json()["data"] == {"telefono": "+584125551111", "telefono_verificado": True}
    assert me(ana)["telefono_verificado"]
    account = ready.world.account(ana.id)
    assert account and account.telefono_verificado_por == "whatsapp"


def test_a_code_serves_once_and_only_its_owner(ready: MessagingScenario) -> None:
    ana, other = ready.world.register(), ready.world.register()
    ana.post(ASK)
    ready.world.run_jobs()
    codigo = code_sent(ready)
    assert other.post(PROVE, {"codigo": codigo}).status_code == 422
    assert ana.post(PROVE, {"codigo": codigo}).status_code == 200
    again = ana.post(PROVE, {"codigo": codigo})
    assert again.status_code == 422 and again.json()["errors"][0]["code"] == "codigo_incorrecto"


def test_a_code_ends_by_age_and_by_wrong_tries(ready: MessagingScenario) -> None:
    ana = ready.world.register()
    ana.post(ASK)
    ready.world.run_jobs()
    codigo = code_sent(ready)
    wrong = f"{(int(codigo) + 1) % 1_000_000:06d}"
    for _ in range(5):
        assert ana.post(PROVE, {"codigo": wrong}).status_code == 422
    assert ana.post(PROVE, {"codigo": codigo}).status_code == 422
    ana.post(ASK)
    ready.world.run_jobs()
    codigo = code_sent(ready)
    ready.world.clock.move(minutes=10)
    assert ana.post(PROVE, {"codigo": codigo}).status_code == 422


def test_when_whatsapp_cannot_deliver_the_mail_goes(ready: MessagingScenario) -> None:
    ana = ready.world.register(telefono="4125551111")
    ana.post(ASK)
    ready.world.run_jobs()
    assert not ready.world.mails()
    [sent] = ready.sandbox.call(lambda platforms: [each.id for each in platforms.whatsapp.journal.accepted])
    at = int(ready.world.clock.now().timestamp())
    failed = status(sent, "failed", at=at, errors=[{"code": 131026, "title": "Message undeliverable"}])
    notify(ready.world, enveloped(value(statuses=[failed])))
    ready.world.run_jobs()
    ready.world.run_jobs()
    assert ana.post(PROVE, {"codigo": code_mailed(ready.world)}).status_code == 200
    account = ready.world.account(ana.id)
    assert account and account.telefono_verificado_por == "correo"


def test_another_number_must_be_verified_again(ready: MessagingScenario) -> None:
    ana = ready.world.register(telefono="4125551111")
    ana.post(ASK)
    ready.world.run_jobs()
    codigo = code_sent(ready)
    data = {"cod_telefono": "+58", "telefono": "4125552222", "relacion": "madre", "nombre": "Ana"}
    assert ana.put("/v1/local/data", data).status_code == 200
    assert ana.post(PROVE, {"codigo": codigo}).status_code == 422
    assert not me(ana)["telefono_verificado"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body", [{}, {"codigo": "12345"}, {"codigo": 123456}, {"codigo": "1234567"}, {"code": "123456"}]
)
def test_what_is_no_code(world: World, body: dict[str, Any]) -> None:
    assert world.register().post(PROVE, body).status_code == 422


def test_only_with_a_session(world: World) -> None:
    assert world.client.post(ASK).status_code == 401
    assert world.client.post(PROVE, json={"codigo": "123456"}).status_code == 401


def test_one_phone_rings_three_times_at_most_whoever_asks(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", rate_limits="on"))
    people = [world.register(telefono="4125551111") for _ in range(2)]
    answers = [people[turn % 2].post(ASK).status_code for turn in range(4)]
    assert answers == [200, 200, 200, 429]
    assert world.register(telefono="4125559999").post(ASK).status_code == 200
    world.close()
