"""The test registration."""

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ficha.core.key_sources import create_key_file
from ficha.enrolment.erasure import erase_expired_accounts
from tests.world import CLAVE, PRODUCTION, World, build_world, new_correo, settings_for


def test_its_body_is_the_seed_s_own(client: TestClient) -> None:
    answer = client.post("/test/auth/register", json={"correo": new_correo(), "clave": CLAVE})
    assert answer.status_code == 200
    assert set(answer.json()) == {"data"}
    data = answer.json()["data"]
    assert set(data) == {"status", "message", "expiration-date", "token"}
    me = client.get("/v2/auth/me", headers={"Authorization": f"Bearer {data['token']}"})
    assert me.status_code == 200


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("body", [{}, {"correo": "x", "clave": CLAVE}, {"correo": "a@ejemplo.com", "clave": "corta"}])
def test_a_bad_body_is_422(client: TestClient, body: object) -> None:
    assert client.post("/test/auth/register", json=body).status_code == 422


def test_such_accounts_are_erased_after_a_day(client: TestClient, world: World) -> None:
    correo = new_correo()
    client.post("/test/auth/register", json={"correo": correo, "clave": CLAVE})
    world.clock.move(hours=23, minutes=59)
    assert world.login(correo).status_code == 200
    world.clock.move(minutes=1)
    assert world.login(correo).status_code == 401
    stays = world.register()
    with world.parts.database.writing() as tx:
        assert erase_expired_accounts(tx, world.parts.keyring, world.clock.now()) == 1
    assert world.login(stays.correo).status_code == 200
    assert world.rows()["accounts"] == 1


def test_it_is_off_in_production(database_url: str, tmp_path: Path) -> None:
    create_key_file(tmp_path / "data" / "keys.json", made_for="production")
    production = build_world(settings_for(database_url, tmp_path / "data", **PRODUCTION))
    answer = production.client.post("/test/auth/register", json={"correo": new_correo(), "clave": CLAVE})
    assert answer.status_code == 404
    assert answer.headers["Strict-Transport-Security"]
    production.close()
