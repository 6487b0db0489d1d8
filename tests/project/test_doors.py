"""Every operation with every kind of caller, against an explicit table."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ficha.accounts.accounts import Role
from ficha.api.catalog import catalogue
from ficha.api.operations import OperationRow
from ficha.describe import default_settings
from ficha.fmd.grants import Grant, GrantKind
from ficha.institutions.institution import Institution
from ficha.products.codes import issue_code
from ficha.sandbox.server import Sandbox
from tests.project.door_table import ATTEMPTS
from tests.world import Person, World, build_world, settings_for

ROWS = catalogue(default_settings(Path("data")))
CALLERS = (
    "none",
    "expired",
    "responder",
    "owner",
    "guardian",
    "editor",
    "delegate",
    "ended delegate",
    "institution",
    "other institution",
    "other owner",
    "staff",
    "admin",
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def world(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[World]:
    """With the platform behind the operations that ask it."""
    world = build_world(
        settings_for(database_url, tmp_path / "data", whatsapp_base_url=sandbox.url, chatwoot_base_url=sandbox.url)
    )
    yield world
    world.close()


def test_no_operation_is_left_out() -> None:
    assert set(ATTEMPTS) == {row.name for row in ROWS}


@pytest.mark.parametrize("row", [row for row in ROWS if row.method != "GET"], ids=lambda row: row.name)
def test_each_caller_gets_what_the_table_says(world: World, row: OperationRow) -> None:
    assert answers_of(world, [row]) == expected_of([row])


def test_each_caller_may_read_what_the_table_says(world: World) -> None:
    """All in one world, which they leave as it is."""
    rows = [row for row in ROWS if row.method == "GET"]
    assert answers_of(world, rows) == expected_of(rows)


def expected_of(rows: list[OperationRow]) -> dict[tuple[str, str], int]:
    return {
        (row.name, who): ATTEMPTS[row.name].expected.get(who, ATTEMPTS[row.name].expected["else"])
        for who in CALLERS
        for row in rows
    }


def answers_of(world: World, rows: list[OperationRow]) -> dict[tuple[str, str], int]:
    owner = world.register()
    code = owner.data["attributes"]["product_codes"][0]
    put = owner.put(f"/v2/fmd/{code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    assert put.status_code == 200
    people = people_of(world)
    answers = {}
    for who in CALLERS:
        token = token_of(world, owner, people, who)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        for row in rows:
            attempt = ATTEMPTS[row.name]
            path = attempt.path or row.path
            printed = printed_code(world) if "{printed}" in path else None
            path = path.format(code=code, printed=printed, model="salud", id=1)
            body = attempt.body(world, owner) if attempt.body else None
            # A stream that was begun never ends: its head says who gets in.
            method = "HEAD" if row.name == "Events" else row.method
            answer = world.reader.request(method, path, json=body, headers=headers)
            answers[row.name, who] = answer.status_code
            if row.name in ("Product lost", "Retire product") and answer.status_code == 200:
                code = new_code_of(world, owner)
    return answers


def printed_code(world: World) -> str:
    """Of a sticker that belongs to nobody yet."""
    with world.parts.database.writing() as session:
        return issue_code(session, world.clock.now()).code


def new_code_of(world: World, owner: Person) -> str:
    with world.parts.database.writing() as session:
        return issue_code(session, world.clock.now(), record_id=owner.data["attributes"]["fmd_code"]).code


def people_of(world: World) -> dict[str, Person]:
    """Everybody with an account of his own, made in one transaction. An expired token ends as it begins."""
    roles = {
        "staff": Role.STAFF,
        "admin": Role.ADMIN,
        "institution": Role.INSTITUTION,
        "other institution": Role.INSTITUTION,
    }
    with world.parts.database.writing() as session:
        return {
            who: world.make_person(
                session,
                Role.OWNER,
                *([roles[who]] if who in roles else []),
                token_minutes=0 if who == "expired" else 60,
            )
            for who in CALLERS
            if who not in ("none", "responder", "owner")
        }


def token_of(world: World, owner: Person, people: dict[str, Person], who: str) -> str | None:
    """The token of this caller, who gets a grant or an institution only now: operations name them by their numbers."""
    if who == "none":
        return None
    if who == "responder":
        return "QX7M2K5TNBP4RWZC6DHJ3VFYGA"  # A tag opens the responder's page, and no operation for accounts.
    if who == "owner":
        return world.token_for(owner.id)
    person, now = people[who], world.clock.now()
    added: list[Grant | Institution] = []
    kinds = {"guardian": GrantKind.GUARDIAN, "institution": GrantKind.INSTITUTION}
    if who in ("guardian", "editor", "delegate", "ended delegate", "institution"):
        added.append(
            Grant(
                record_id=owner.data["attributes"]["fmd_code"],
                account_id=person.id,
                kind=kinds.get(who, GrantKind.DELEGATE),
                edits=who == "editor",
                granted_at=now - timedelta(days=2),
                ends_at=now - timedelta(seconds=1) if who == "ended delegate" else now + timedelta(days=1),
            )
        )
    if who in ("institution", "other institution"):
        slug = "colegio-san-luis" if who == "institution" else "otro-colegio"
        added.append(Institution(slug=slug, name=slug, account_id=person.id, is_active=True, created_at=now))
    if added:
        with world.parts.database.writing() as session:
            session.add_all(added)
    return person.token
