"""Institutions, their tokens and roles, as an operator types it; every change is noted with before and after."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ficha.accounts.accounts import Role
from ficha.administration.admin_changes import admin_changes
from ficha.cli.app import app
from ficha.institutions.institution import institutions_with_role
from tests.processes import environment
from tests.world import World

SLUG = "colegio-san-luis"
Run = Callable[..., Result]


@pytest.fixture
def run(world: World) -> Run:
    env = environment(world.parts.settings.database, world.parts.settings.data_dir)
    return lambda *words: CliRunner().invoke(app, words, env=env)


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def noted(world: World) -> list[tuple[str, str, str, dict[str, Any], dict[str, Any]]]:
    with world.parts.database.reading() as tx:
        found = admin_changes(tx, before_id=2**62, limit=50)
    assert {each.actor for each in found} == {"operator"}
    return [(each.kind, each.target, each.action, each.before, each.after) for each in reversed(found)]


def test_an_institution_is_made_and_its_token_works_until_it_is_revoked(world: World, run: Run) -> None:
    made = told(run("institution", "create", SLUG, "--name", "Colegio [San] Luis", "--json"))
    assert (made["slug"], made["name"]) == (SLUG, "Colegio [San] Luis")
    assert run("institution", "create", SLUG, "--name", "Otro").exit_code == 1
    for bad in ("services", "Colegio", "1a"):
        assert run("institution", "create", bad, "--name", "x").exit_code in (1, 2)
    assert [each["slug"] for each in told(run("institution", "list", "--json"))] == [SLUG]
    assert "[San]" in run("institution", "list").stdout
    issued = told(run("institution", "token", SLUG, "--days", "400", "--json"))
    headers = {"Authorization": f"Bearer {issued['token']}"}

    def enrol() -> int:
        body = {"external_id": "1", "nombre": "Ana"}
        return world.client.post(f"/v1/{SLUG}/user", json=body, headers=headers).status_code

    assert enrol() == 200
    assert run("institution", "close", SLUG).exit_code == 0 and enrol() == 404
    assert run("institution", "open", SLUG).exit_code == 0 and enrol() == 200
    assert run("institution", "revoke", SLUG, str(issued["id"])).exit_code == 0 and enrol() == 401
    assert run("institution", "revoke", SLUG, str(issued["id"])).exit_code == 1
    assert run("institution", "token", "ninguna").exit_code == 1
    values = {"slug": SLUG, "name": "Colegio [San] Luis", "is_active": True}
    changes = noted(world)
    assert [each[:3] for each in changes] == [
        ("institution", SLUG, "created"),
        ("institution_token", str(issued["id"]), "created"),
        ("institution", SLUG, "changed"),
        ("institution", SLUG, "changed"),
        ("institution_token", str(issued["id"]), "revoked"),
    ]
    assert changes[2][3:] == (values, values | {"is_active": False})
    assert issued["token"].partition("|")[2] not in str(changes)


def test_roles_are_granted_and_withdrawn(world: World, run: Run) -> None:
    luis, ana = world.somebody_with(Role.OWNER), world.somebody_with(Role.OWNER)
    grant = ("admin", "grant", "--correo", luis.correo, "--role")
    assert luis.get("/v2/projects").status_code == 403
    assert told(run(*grant, "staff", "--json"))["roles"] == ["owner", "staff"]
    assert run(*grant, "staff").exit_code == 0
    assert luis.get("/v2/projects").status_code == 200
    assert run(*grant, "admin").exit_code == 0
    withdraw = ("admin", "withdraw", "--correo", luis.correo, "--role")
    assert run(*withdraw, "admin").exit_code == 1  # Nobody else could give it back.
    run("admin", "grant", "--correo", ana.correo, "--role", "admin")
    assert told(run(*withdraw, "admin", "--json"))["roles"] == ["owner", "staff"]
    assert run(*withdraw, "admin").exit_code == 1
    assert run(*withdraw, "staff").exit_code == 0
    assert luis.get("/v2/projects").status_code == 403
    for words in (("institution",), ("owner",)):
        assert run(*grant, *words).exit_code == 1
    assert run(*grant, "rey").exit_code == 2
    assert run("admin", "grant", "--correo", "nadie@ejemplo.com", "--role", "staff").exit_code == 2
    assert ana.get("/v2/batches").status_code == 200 and luis.get("/v2/batches").status_code == 403
    first, *_ = noted(world)
    assert first == ("role", f"account:{luis.id}", "granted", {"roles": ["owner"]}, {"roles": ["owner", "staff"]})
    assert len(noted(world)) == 5
    listed = told(run("admin", "changes", "--kind", "role", "--count", "1", "--json"))
    assert [each["action"] for each in listed] == ["withdrawn"]
    assert "granted" in run("admin", "changes").stdout


def test_a_role_within_an_institution_is_of_no_other(world: World, run: Run) -> None:
    ana = world.somebody_with(Role.OWNER)
    for slug in (SLUG, "otro"):
        run("institution", "create", slug, "--name", "Colegio")
    grant = ("institution", "grant", SLUG, "--correo", ana.correo, "--role")
    assert run(*grant, "staff").exit_code == run(*grant, "medical").exit_code == run(*grant, "medical").exit_code == 0
    assert run(*grant, "rey").exit_code == 2
    with world.parts.database.reading() as tx:
        assert [(place.slug, role) for place, role in institutions_with_role(tx, ana.id)] == [(SLUG, "medical")]
    assert run("institution", "withdraw", "otro", "--correo", ana.correo).exit_code == 1
    assert run("institution", "withdraw", SLUG, "--correo", ana.correo).exit_code == 0
    with world.parts.database.reading() as tx:
        assert institutions_with_role(tx, ana.id) == []
    roles = [each[2:] for each in noted(world) if each[0] == "institution_role"]
    assert roles == [
        ("granted", {"role": None}, {"role": "staff"}),
        ("granted", {"role": "staff"}, {"role": "medical"}),
        ("withdrawn", {"role": "medical"}, {"role": None}),
    ]
