"""The frame around every request: ids, headers, log lines, errors, health."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from starlette.testclient import TestClient

from ficha.core.db import Database
from tests.world import Person, World, build_world, settings_for


def test_every_answer_has_an_id_and_keeps_a_good_one(client: TestClient) -> None:
    assert len(client.get("/v1/welcome").headers["X-Request-Id"]) == 16
    given = client.get("/v1/welcome", headers={"X-Request-Id": "mi-peticion-1"})
    assert given.headers["X-Request-Id"] == "mi-peticion-1"
    hostile = client.get("/v1/welcome", headers={"X-Request-Id": "a\tb" * 40})
    assert len(hostile.headers["X-Request-Id"]) == 16


@pytest.mark.parametrize("path", ["/v1/maps/url", "/nada", "/v2/auth/me"])
def test_every_answer_carries_the_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"


def test_an_unknown_address_is_404_and_a_wrong_method_405(client: TestClient) -> None:
    assert client.get("/v2/nada").json()["errors"][0]["title"] == "Record Not Found"
    wrong = client.put("/v2/auth/me")
    assert wrong.status_code == 405 and wrong.headers["Allow"] == "GET, HEAD"
    assert wrong.json()["errors"][0]["code"] == "metodo_no_permitido"


def test_a_bug_is_a_500_in_our_shape_without_a_word_about_its_cause(world: World, ana: Person) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret cause")

    world.parts.last_used.note = broken  # type: ignore[method-assign]
    answer = ana.get("/v2/auth/me")
    assert answer.status_code == 500
    assert answer.json()["errors"][0]["code"] == "error_interno"
    assert "secret cause" not in answer.text and "Traceback" not in answer.text


def test_a_log_line_says_route_and_status_and_nothing_private(world: World) -> None:
    with structlog.testing.capture_logs() as lines:
        ana = world.register(nombre="Ana Secreta")
        ana.delete(f"/v2/auth/tokens/{ana.token.partition('|')[0]}")
    requests = [line for line in lines if line["event"] == "request"]
    assert [(line["route"], line["status"]) for line in requests] == [
        ("/v2/auth/register", 201),
        ("/v2/auth/tokens/{id}", 200),
    ]
    assert not any(word in str(lines) for word in (ana.correo, "Ana Secreta", ana.token, "4125551111"))


def test_other_origins_are_answered_only_when_a_setting_names_them(database_url: str, tmp_path: Path) -> None:
    origin = {"Origin": "https://escuela.example"}
    for origins, expected in (((), None), (("https://escuela.example",), "https://escuela.example")):
        world = build_world(settings_for(database_url, tmp_path / "data", cors_origins=origins))
        answer = world.client.get("/v1/welcome", headers=origin)
        assert answer.headers.get("Access-Control-Allow-Origin") == expected
        world.close()


@pytest.fixture
def dead_database(tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for("postgresql://nobody@127.0.0.1:1/none", tmp_path / "data"), has_database=False)
    yield world
    world.close()


def test_health_names_the_part_that_is_down(dead_database: World) -> None:
    answer = dead_database.client.get("/health")
    assert answer.status_code == answer.json()["meta"]["status"] == 503
    assert answer.json()["data"]["parts"]["database"]["status"] == "down"
    assert dead_database.client.get("/health/ready").status_code == 503
    assert dead_database.client.get("/health/live").status_code == 200
    assert "nobody" not in answer.text


def test_health_is_up_when_everything_is(world: World) -> None:
    assert isinstance(world.parts.database, Database)
    data = world.client.get("/health").json()["data"]
    assert data["status"] == "up" and set(data["parts"]) >= {"database", "keys"}
    assert world.client.get("/health/ready").status_code == 200


def test_a_stopping_service_is_not_ready_but_alive(world: World) -> None:
    world.app.state.is_stopping = True
    assert world.client.get("/health/ready").status_code == 503
    assert world.client.get("/health/live").status_code == 200
