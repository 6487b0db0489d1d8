"""Idempotency-Keys: a stranger's never stand in another's way, cost a bounded room, and come after the limits."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import func, select
from starlette.testclient import TestClient

from ficha.http.idempotency import KEPT_ERROR_BYTES
from ficha.http.kept_answers import KEPT_ANSWER_BYTES, KeptAnswer
from tests.api.fmd.test_fmd import fmd
from tests.exchange.imports.test_imports import bundle
from tests.photos.pictures import encoded
from tests.web.sticker.sticker import sticker_of
from tests.world import CLAVE, Person, World, build_world, registration, settings_for

KEY = {"Idempotency-Key": "1"}


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[World]:
    settings = settings_for(database_url, tmp_path / "data", rate_limits="on", limit_key="3/hour", limit_login="4/hour")
    world = build_world(settings)
    yield world
    world.close()


def from_address(world: World, address: str) -> TestClient:
    return TestClient(world.app, client=(address, 50_000), raise_server_exceptions=False)


def kept(world: World) -> int:
    with world.parts.database.reading() as tx:
        return tx.orm.scalar(select(func.count()).select_from(KeptAnswer)) or 0


def test_a_strangers_key_takes_nobody_elses(world: World, ana: Person) -> None:
    sticker = sticker_of(world)
    attacker, victim = from_address(world, "203.0.113.7"), from_address(world, "198.51.100.2")
    assert attacker.post("/v2/auth/login", json={"nada": 1}, headers=KEY).status_code == 422
    login = victim.post("/v2/auth/login", json={"correo": ana.correo, "clave": CLAVE}, headers=KEY)
    assert login.status_code == 200 and "Idempotency-Replayed" not in login.headers
    key = {"Idempotency-Key": "2"}
    alert = {"code": sticker.code, "tag": sticker.tag}
    assert attacker.post("/v2/emergencies", json={"nada": 1}, headers=key).status_code == 422
    assert victim.post("/v2/emergencies", json=alert, headers=key).status_code == 201
    assert victim.post("/v2/emergencies", json=alert, headers=key).headers["Idempotency-Replayed"] == "true"


def test_addresses_of_one_household_share_their_keys(world: World) -> None:
    body = registration()
    first = from_address(world, "2001:db8:1:2::7").post("/v2/auth/register", json=body, headers=KEY)
    again = from_address(world, "2001:db8:1:2::8").post("/v2/auth/register", json=body, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotency-Replayed"] == "true"


def test_strangers_keep_few_answers_and_an_alert_is_answered_all_the_same(limited: World) -> None:
    sticker = sticker_of(limited)
    attacker = from_address(limited, "203.0.113.7")
    made_up = {"Authorization": "Bearer 7|made-up"}
    statuses = [
        attacker.post("/v2/email/request-code", headers={"Idempotency-Key": f"k{number}"} | made_up).status_code
        for number in range(6)
    ]
    assert statuses == [401, 401, 401, 429, 429, 429]
    assert kept(limited) == 3
    alert = {"code": sticker.code, "tag": sticker.tag}
    assert attacker.post("/v2/emergencies", json=alert, headers=KEY).status_code == 201
    assert kept(limited) == 3
    assert from_address(limited, "198.51.100.2").post("/v2/emergencies", json=alert, headers=KEY).status_code == 200
    assert kept(limited) == 4


def test_limits_come_before_the_body_is_parsed_and_before_the_claim(limited: World) -> None:
    client = from_address(limited, "203.0.113.7")
    broken: dict[str, Any] = {"content": b"{" * 1_000, "headers": {"Content-Type": "application/json"}}
    assert [client.post("/v2/auth/login", **broken).status_code for _ in range(6)] == [400] * 4 + [429] * 2
    keyed = broken | {"headers": broken["headers"] | KEY}
    assert client.post("/v2/auth/login", **keyed).status_code == 429
    assert kept(limited) == 0


def test_whoever_has_no_session_is_refused_before_the_body_is_parsed(world: World) -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer 7|made-up"}
    assert world.client.patch("/v2/fmd/K7M2QX", content=b"{" * 1_000, headers=headers).status_code == 401


def test_a_long_error_is_not_kept(world: World) -> None:
    body = json.dumps({f"{number:03d}" + "ñ" * 190: 1 for number in range(30)})
    headers = {"Content-Type": "application/json", **KEY}
    answers = [world.client.post("/v2/auth/register", content=body, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert len(answers[0].content) > KEPT_ERROR_BYTES
    assert kept(world) == 0


def test_a_long_answer_to_what_changed_nothing_is_made_again(ana: Person, world: World) -> None:
    """A noisy picture is answered with 10 MB, and keys cost nothing."""
    noisy = encoded(Image.frombytes("RGB", (300, 300), random.Random(7).randbytes(270_000)), "PNG")
    headers = ana.headers | KEY | {"Content-Type": "image/png", "Accept": "image/png"}
    answers = [ana.client.post("/api/remove-background", content=noisy, headers=headers) for _ in range(2)]
    assert len(answers[0].content) > KEPT_ANSWER_BYTES and answers[0].content == answers[1].content
    assert [answer.status_code for answer in answers] == [200, 200]
    assert "idempotency-replayed" not in answers[1].headers and kept(world) == 0


def test_of_a_long_answer_it_is_kept_that_it_was_given(ana: Person, world: World) -> None:
    allergies = [{"resourceType": "AllergyIntolerance", "code": {"text": f"Cosa {number}"}} for number in range(600)]
    path, document = fmd(ana, "/imports"), bundle(*allergies)
    first, again = (ana.post(path, document, headers=KEY) for _ in range(2))
    assert first.status_code == 201 and len(first.content) > KEPT_ANSWER_BYTES
    assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "respuesta_no_guardada")
    assert len(ana.get(path).json()["data"]) == 1
    with world.parts.database.reading() as tx:
        assert len(tx.orm.scalars(select(KeptAnswer.answer)).one() or b"") < 1_000
    other = ana.post(path, bundle(*allergies[1:]), headers=KEY)
    assert other.json()["errors"][0]["code"] == "clave_de_idempotencia_reusada"
