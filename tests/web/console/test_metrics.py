"""/metrics opens to whom the setting says."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from ficha.accounts.accounts import Role
from tests.web.portal.account.test_second_factor import set_up
from tests.world import World, build_world, settings_for

Open = Callable[..., World]
HERE, ELSEWHERE = ("127.0.0.1", 5000), ("203.0.113.9", 5000)


@pytest.fixture
def open_world(database_url: str, tmp_path: Path) -> Iterator[Open]:
    worlds: list[World] = []

    def make(door: str, **changes: object) -> World:
        worlds.append(build_world(settings_for(database_url, tmp_path / "data", metrics_door=door, **changes)))
        return worlds[-1]

    yield make
    for world in worlds:
        world.close()


def reach(world: World, address: tuple[str, int], **headers: str) -> int:
    return TestClient(world.app, client=address).get("/metrics", headers=headers).status_code


def test_off_is_not_there(open_world: Open) -> None:
    assert reach(open_world("off"), HERE) == 404


def test_local_is_for_this_machine(open_world: Open) -> None:
    world = open_world("local")
    assert reach(world, HERE) == 200
    assert reach(world, ("::1", 5000)) == 200
    assert reach(world, ELSEWHERE) == 404


def test_local_is_not_for_those_behind_a_proxy(open_world: Open) -> None:
    assert reach(open_world("local"), HERE, **{"X-Forwarded-For": "203.0.113.9"}) == 404
    named = open_world("local", trusted_proxies=("127.0.0.1",))
    assert reach(named, HERE, **{"X-Forwarded-For": "203.0.113.9"}) == 404
    assert reach(named, HERE, **{"X-Forwarded-For": "127.0.0.1"}) == 404
    assert reach(named, HERE, Forwarded="for=127.0.0.1") == 404
    assert reach(named, HERE) == 200


def test_admin_asks_for_an_admin(open_world: Open) -> None:
    world = open_world("admin")
    admin, owner = world.somebody_with(Role.ADMIN), world.somebody_with(Role.OWNER)
    assert reach(world, ELSEWHERE, **admin.headers) == 200
    assert reach(world, ELSEWHERE, **owner.headers) == 403
    assert reach(world, HERE) == 401
    assert reach(world, HERE, Authorization="Bearer 1|x") == 401


def test_an_admin_without_the_second_factor_that_staff_must_have_reads_nothing(open_world: Open) -> None:
    world = open_world("admin", staff_second_factor=True)
    admin = world.somebody_with(Role.ADMIN)
    assert reach(world, ELSEWHERE, **admin.headers) == 403
    set_up(world, admin)
    assert reach(world, ELSEWHERE, Authorization=f"Bearer {world.token_for(admin.id)}") == 200


def test_public_is_for_anyone(open_world: Open) -> None:
    assert reach(open_world("public"), ELSEWHERE) == 200


def test_it_counts_answers_and_what_waits(open_world: Open) -> None:
    world = open_world("public")
    ana = world.register()
    world.client.post("/clave", data={"correo": ana.correo})
    text = world.client.get("/metrics").text
    assert 'ficha_requests_total{method="POST",route="/clave",status="200"} 1.0' in text
    assert 'ficha_jobs_waiting{kind="correo.recuperacion"} 1.0' in text
    world.run_jobs()
    assert 'ficha_jobs_waiting{kind="correo.recuperacion"} 0.0' in world.client.get("/metrics").text
