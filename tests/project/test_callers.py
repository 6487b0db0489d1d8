"""Every operation of the route table with every kind of caller, against an explicit table."""

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from starlette.responses import Response

from ficha.api.catalog import catalogue
from ficha.api.operations import OperationRow, Operations
from ficha.asgi.routes import RouteGroup
from ficha.describe import default_settings
from ficha.http.dependencies import Admin, CurrentCaller
from ficha.products.codes import issue_code
from ficha.sandbox.server import Sandbox
from tests.project.caller_table import ADMINISTERS, ATTEMPTS, Attempt
from tests.project.matrix_people import CALLERS, LIKE, SETTINGS, give_access, people_around
from tests.world import World, build_world, settings_for

ROWS = catalogue(default_settings(Path("data")))
CHANGING = [row for row in ROWS if row.method != "GET"]
Answers = dict[tuple[str, str], int]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def world(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[World]:
    """With the platform behind the operations that ask it."""
    platforms = {"whatsapp_base_url": sandbox.url, "chatwoot_base_url": sandbox.url}
    world = build_world(settings_for(database_url, tmp_path / "data", **platforms, **SETTINGS))
    yield world
    world.close()


def test_no_operation_is_left_out() -> None:
    """One that is new fails here until somebody has said who may do what with it."""
    assert set(ATTEMPTS) == {row.name for row in ROWS}
    assert len(CALLERS) >= 14 and set(LIKE) <= set(CALLERS)


def on_database(row: OperationRow) -> list[str]:
    """All on SQLite, and a third of them on PostgreSQL: who may call is the same code on both."""
    return ["sqlite", "postgresql"] if zlib.crc32(row.name.encode()) % 3 == 0 else ["sqlite"]


@pytest.mark.parametrize(
    ("row", "database_url"),
    [pytest.param(row, kind, id=f"{row.name}-{kind}") for row in CHANGING for kind in on_database(row)],
    indirect=["database_url"],
)
def test_each_caller_gets_what_the_table_says(world: World, row: OperationRow) -> None:
    assert answers_of(world, [row]) == expected_of([row])


def test_each_caller_may_read_what_the_table_says(world: World) -> None:
    """All in one world, which they leave as it is."""
    rows = [row for row in ROWS if row.method == "GET"]
    assert answers_of(world, rows) == expected_of(rows)


def expected_of(rows: list[OperationRow], attempts: Mapping[str, Attempt] = ATTEMPTS) -> Answers:
    def expected(table: dict[str, int], who: str) -> int:
        return table.get(who, table.get(LIKE.get(who, "else"), table["else"]))

    return {(row.name, who): expected(attempts[row.name].expected, who) for who in CALLERS for row in rows}


def answers_of(world: World, rows: list[OperationRow], attempts: Mapping[str, Attempt] = ATTEMPTS) -> Answers:
    found = people_around(world)
    code, answers = found.code, {}
    for who in CALLERS:
        give_access(found, who)
        for row in rows:
            attempt = attempts[row.name]
            path = attempt.path or row.path
            printed = printed_code(world) if "{printed}" in path else None
            path = path.format(code=code, printed=printed, model="salud", id=1)
            body = json.dumps(attempt.body(world, found.owner)).encode() if attempt.body else b""
            headers = found.headers(who, body) | ({"Content-Type": "application/json"} if body else {})
            # A stream that was begun never ends: its head says who gets in.
            method = "HEAD" if row.name == "Events" else row.method
            answer = world.reader.request(method, path, content=body, headers=headers)
            answers[row.name, who] = answer.status_code
            if row.name in ("Product lost", "Retire product") and answer.status_code == 200:
                code = found.new_code()
    return answers


def printed_code(world: World) -> str:
    """Of a sticker that belongs to nobody yet."""
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now()).code


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_check_that_somebody_takes_away_is_noticed(world: World) -> None:
    """Two operations that say they are for administrators, of which one has forgotten to look."""
    toys = Operations("utilities", "/toys")

    @toys.get("/shut", "Shut toy", callers="admin")
    def shut(_caller: Admin) -> Response:
        return Response()

    @toys.get("/open", "Open toy", callers="admin")
    def left_open(_caller: CurrentCaller) -> Response:
        return Response()

    world.app.router.routes.append(RouteGroup(toys.under))
    rows = list(toys.rows())
    assert {row.name for row in rows} - set(ATTEMPTS) == {"Shut toy", "Open toy"}, "without a row it fails"
    attempts = {row.name: Attempt(ADMINISTERS) for row in rows}
    expected, answers = expected_of(rows, attempts), answers_of(world, rows, attempts)
    wrong = {(name, who) for name, who in expected if expected[name, who] != answers[name, who]}
    assert {name for name, _ in wrong} == {"Open toy"}
    assert {who for _, who in wrong} >= {"owner", "other owner", "staff", "unproven admin"}
