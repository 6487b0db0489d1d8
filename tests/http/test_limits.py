"""Rate limits: shown in headers, enforced, and off while their store is down."""

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog
from starlette.testclient import TestClient

from ficha.http.limits import RateLimit, limits_in
from tests.ports import ReservedPort
from tests.waiting import eventually
from tests.world import CLAVE, World, build_world, new_correo, registration, settings_for

Builder = Callable[..., World]


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[Builder]:
    built: list[World] = []

    def build(**changes: Any) -> World:
        built.append(build_world(settings_for(database_url, tmp_path / "data", rate_limits="on", **changes)))
        return built[-1]

    yield build
    for world in built:
        world.close()


def test_the_sixth_login_of_a_minute_waits(limited: Builder) -> None:
    world = limited()
    answers = [world.login(new_correo()) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429]
    refused = answers[-1]
    assert refused.json()["errors"][0]["code"] == "demasiadas_peticiones"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Policy"].startswith('"login";q=5;w=60')
    assert refused.headers["RateLimit"].startswith('"login";r=0;t=')
    assert answers[0].headers["RateLimit"].startswith('"login";r=4;t=')


def test_one_account_has_a_limit_of_its_own(limited: Builder) -> None:
    world = limited(limit_login="1000/minute")
    correo = new_correo()
    answers = [world.login(correo).status_code for _ in range(12)]
    # A window slides by estimate: where two of them meet, an eleventh may pass.
    assert answers[:10] == [401] * 10 and answers[11] == 429


def test_the_right_clave_forgives_the_wrong_ones(limited: Builder) -> None:
    world = limited(limit_login="1000/minute")
    ana = world.register()
    for _ in range(2):
        assert [world.login(ana.correo, "no-es-esta").status_code for _ in range(9)] == [401] * 9
        assert world.login(ana.correo).status_code == 200


def test_registrations_are_limited_and_the_refused_write_nothing(limited: Builder) -> None:
    world = limited()
    answers = [world.client.post("/v2/auth/register", json=registration()).status_code for _ in range(6)]
    assert answers == [201] * 5 + [429]
    assert world.rows()["accounts"] == 5


def test_codes_to_one_mailbox_are_limited(limited: Builder) -> None:
    world = limited()
    ana = world.register()
    assert [ana.post("/v2/email/request-code").status_code for _ in range(4)] == [200] * 3 + [429]
    forgot = [world.client.post("/v2/auth/password/forgot", json={"correo": "a@ejemplo.com"}) for _ in range(4)]
    assert [answer.status_code for answer in forgot] == [200] * 3 + [429]


def test_a_token_has_its_own_limit(limited: Builder) -> None:
    world = limited(limit_token="3/9999 days")
    ana, luis = world.register(), world.register()
    assert [ana.get("/v2/auth/me").status_code for _ in range(4)] == [200] * 3 + [429]
    assert luis.get("/v2/auth/me").status_code == 200


def test_a_refusal_under_a_key_is_not_kept(limited: Builder) -> None:
    world = limited()
    for _ in range(5):
        world.login(new_correo())
    body, key = {"correo": new_correo(), "clave": CLAVE}, {"Idempotency-Key": "entrada-1"}
    assert world.client.post("/v2/auth/login", json=body, headers=key).status_code == 429
    world.app.state.limiter.reset()
    assert world.client.post("/v2/auth/login", json=body, headers=key).status_code == 401


def test_a_dead_store_lets_people_in_and_says_so(limited: Builder) -> None:
    with ReservedPort() as port, structlog.testing.capture_logs() as lines:
        world = limited(limits_url=f"redis://127.0.0.1:{port}")
        started = time.perf_counter()
        answers = [world.login(new_correo()).status_code for _ in range(8)]
    assert answers == [401] * 8
    assert time.perf_counter() - started < 20
    health = world.client.get("/health")
    errors = [line["event"] for line in lines if line["log_level"] == "error" and line["event"] != "alarm.began"]
    assert errors == ["limits.store_down"]
    assert health.status_code == 200 and health.json()["data"]["status"] == "degraded"
    assert health.json()["data"]["limits"] == {"store": "redis", "status": "down"}


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server on this machine")
def test_two_processes_share_their_counts_in_redis(limited: Builder, tmp_path: Path) -> None:
    reserved = ReservedPort()
    port = reserved.number
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
        stdout=subprocess.DEVNULL,
    )

    def is_open() -> bool:
        assert server.poll() is None, "it has ended"
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    try:
        eventually(is_open)
        worlds = [limited(limits_url=f"valkey://127.0.0.1:{port}") for _ in range(2)]
        answers = [worlds[turn % 2].login(new_correo()).status_code for turn in range(6)]
        assert answers == [401] * 5 + [429]
        health = worlds[0].client.get("/health").json()["data"]
        assert health["status"] == "up" and health["limits"] == {"store": "redis", "status": "up"}
    finally:
        server.terminate()
        server.wait()
        reserved.release()


def test_whoever_has_a_token_cannot_guess_the_clave_with_it(limited: Builder) -> None:
    world = limited()
    ana = world.register()
    told = [ana.delete("/v1/local/data", {"clave": f"no-es-esta-{number}"}).status_code for number in range(11)]
    assert told == [422] * 10 + [429]
    changed = registration() | {"clave": "tampoco-es-esta", "clave_nueva": "otra-clave-larga"}
    assert ana.put("/v1/local/data", {name: changed[name] for name in changed if name != "correo"}).status_code == 429


def test_the_right_clave_sets_the_count_to_zero(limited: Builder) -> None:
    world = limited()
    ana = world.register()
    for _ in range(3):
        wrong = [ana.delete("/v1/local/data", {"clave": "no-es-esta"}).status_code for _ in range(9)]
        assert wrong == [422] * 9
        same = {name: value for name, value in ana.body.items() if name != "correo"}
        assert ana.put("/v1/local/data", same).status_code == 200


def test_forgetting_the_clave_is_limited_by_address(limited: Builder) -> None:
    asked, begun = [], -1.0
    while begun != time.time() // 60:  # Again if a minute ended meanwhile: what was asked before it then counts less.
        world, begun = limited(), time.time() // 60
        asked = [world.client.post("/v2/auth/password/forgot", json={"correo": new_correo()}) for _ in range(6)]
    assert [answer.status_code for answer in asked] == [200] * 5 + [429]


def test_typed_codes_leave_the_links_of_contacts_alone(limited: Builder) -> None:
    world = limited()
    typed = [world.client.get("/e/ABC234").status_code for _ in range(11)]
    assert typed[-1] == 429
    assert world.client.get("/a/no-es-un-enlace").status_code != 429


def test_addresses_of_one_household_share_a_count(limited: Builder) -> None:
    world = limited()
    told = [
        TestClient(world.app, client=(f"2001:db8::{number}", 5)).post("/v2/auth/login", json=body).status_code
        for number, body in enumerate([{"correo": new_correo(), "clave": CLAVE}] * 6)
    ]
    assert told == [401] * 5 + [429]


def test_every_limit_has_a_setting(tmp_path: Path) -> None:
    settings = settings_for("", tmp_path, limit_login="7/2 minutes")
    limits = limits_in(settings)
    assert limits[RateLimit.LOGIN] == (7, 120)
    assert set(limits) == set(RateLimit)
    assert {f"limit_{each}" for each in RateLimit} == {
        name for name in type(settings).model_fields if name.startswith("limit_")
    }
