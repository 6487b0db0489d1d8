"""Our account on the platform: its token, its number, and verifying the number."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from ficha.sandbox.server import Sandbox
from tests.api.conftest import MessagingScenario
from tests.world import Person, World, build_world, settings_for

REQUEST_CODE, VERIFY_CODE = "/v2/whatsapp/phone/request-code", "/v2/whatsapp/phone/verify-code"


def test_the_state_of_the_token_and_never_the_token(messaging: MessagingScenario) -> None:
    answer = messaging.staff.get("/v2/whatsapp/oauth")
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert data["is_valid"] and data["type"] == "SYSTEM_USER" and data["expires_at"] is None
    assert "whatsapp_business_messaging" in data["scopes"] and data["app_id"] == "634974688087057"
    assert "sandbox-token" not in answer.text and "sandbox-app-secret" not in answer.text


def test_a_dead_token_is_described_too(database_url: str, tmp_path: Path, sandbox: Sandbox) -> None:
    settings = settings_for(
        database_url, tmp_path / "data", whatsapp_base_url=sandbox.url, whatsapp_token="expired-token"
    )
    world = build_world(settings)
    staff = world.somebody_with(Role.STAFF)
    data = staff.get("/v2/whatsapp/oauth").json()["data"]
    assert not data["is_valid"] and data["expires_at"] and data["scopes"] == []
    refused = staff.get("/v2/whatsapp/test-connection")
    assert refused.status_code == 502
    error = refused.json()["errors"][0]
    assert error["code"] == "plataforma_rechazo" and "(código 190)" in error["detail"]
    assert "Session" not in refused.text
    world.close()


def test_the_number_as_the_platform_sees_it(messaging: MessagingScenario) -> None:
    data = messaging.staff.get("/v2/whatsapp/test-connection").json()["data"]
    assert data["status"] == "CONNECTED" and data["quality_rating"] == "GREEN"
    assert data["phone_number_id"] == "106540352242922" and data["verified_name"] == "Ficha"
    assert data["api_version"] == "v23.0" and not data["is_sandbox"]


def test_the_platform_says_how_long_to_wait(messaging: MessagingScenario) -> None:
    messaging.set_faults({"action": "http", "status": 429, "body": "{}"})
    assert messaging.staff.get("/v2/whatsapp/test-connection").status_code == 502


@pytest.fixture
def admin(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[Person]:
    """Of a business whose number is not verified yet."""
    number = sandbox.whatsapp.config.new_phone_number_id
    settings = settings_for(
        database_url, tmp_path / "data", whatsapp_base_url=sandbox.url, whatsapp_phone_number_id=number
    )
    world = build_world(settings)
    yield world.somebody_with(Role.ADMIN)
    world.close()


def test_verifying_the_business_number(admin: Person, sandbox: Sandbox) -> None:
    answer = admin.post(REQUEST_CODE, {"code_method": "SMS", "language": "es_ES"})
    assert answer.status_code == 200 and answer.json()["data"] == {"requested": True}
    number = sandbox.whatsapp.numbers[sandbox.whatsapp.config.new_phone_number_id]
    assert number.code
    wrong = admin.post(VERIFY_CODE, {"code": f"{(int(number.code) + 1) % 1_000_000:06d}"})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["code"] == "plataforma_no_acepta"
    assert "incorrect" not in wrong.text
    assert admin.post(VERIFY_CODE, {"code": number.code}).json()["data"] == {"verified": True}
    assert number.verified


def test_asking_too_often_is_the_platform_s_to_refuse(admin: Person) -> None:
    answers = [admin.post(REQUEST_CODE, {"code_method": "VOICE", "language": "es"}) for _ in range(12)]
    assert answers[-1].status_code == 409 and "(código 136024)" in answers[-1].json()["errors"][0]["detail"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "path, body",
    [
        (REQUEST_CODE, {"code_method": "sms", "language": "es"}),
        (REQUEST_CODE, {"code_method": "SMS"}),
        (REQUEST_CODE, {"code_method": "SMS", "language": "español"}),
        (REQUEST_CODE, {"code_method": "SMS", "language": "es", "pin": "1"}),
        (VERIFY_CODE, {"code": "12345"}),
        (VERIFY_CODE, {"code": 123456}),
        (VERIFY_CODE, {}),
    ],
)
def test_what_the_platform_is_not_even_asked(admin: Person, sandbox: Sandbox, path: str, body: Any) -> None:
    assert admin.post(path, body).status_code == 422
    assert not sandbox.whatsapp.journal.entries


def test_owners_may_not_see_it_and_staff_may_not_verify(world: World) -> None:
    staff, owner = world.somebody_with(Role.STAFF), world.somebody_with(Role.OWNER)
    for path in ("oauth", "test-connection"):
        assert owner.get(f"/v2/whatsapp/{path}").status_code == 403
    assert staff.post(REQUEST_CODE, {"code_method": "SMS", "language": "es"}).status_code == 403
    assert staff.post(VERIFY_CODE, {"code": "123456"}).status_code == 403
