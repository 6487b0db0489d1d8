"""The house itself: imports go one way, everything is documented, what is committed is what is served."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fastapi.routing import APIRoute

from ficha.api.catalog import OPERATIONS
from ficha.core.db import Base, Database
from ficha.core.errors import TITLES, FichaError, Problem
from ficha.core.schema_version import is_at_newest, newest_version
from ficha.describe import DOCUMENTS, all_errors
from ficha.tables import TABLES, is_ours
from tests.world import World

HERE = Path(__file__).parents[2]
SHARED = HERE.parent / "shared"


def test_imports_go_one_way() -> None:
    answer = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_what_is_made_from_the_code_is_committed_as_it_is(name: str) -> None:
    committed = HERE / name
    assert committed.exists() and committed.read_text() == DOCUMENTS[name](), f"run `make docs` and commit {name}"


def test_migrations_and_tables_agree(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": is_ours, "compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_every_table_is_known_to_the_migrations() -> None:
    assert {table.__tablename__ for table in TABLES} == set(Base.metadata.tables)


def test_a_migrated_database_is_recognised_without_loading_the_tools(database: Database, tmp_path: Path) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    assert is_at_newest(url)
    assert not is_at_newest(f"sqlite:///{tmp_path / 'none.db'}")
    assert newest_version().count("_") == 1


def test_the_job_engine_s_tables_fit_its_version() -> None:
    """A newer engine needs a migration of its own, and then this line changes."""
    assert version("procrastinate") == "3.10.0"


def test_every_error_has_a_code_of_its_own_and_a_sentence() -> None:
    errors = all_errors()
    codes = [error.code for error in errors]
    assert len(codes) == len(set(codes))
    for error in errors:
        assert error.status in TITLES, error
        assert error.code.isascii() and error.code == error.code.lower() and " " not in error.code
        assert error.message.endswith(".") and "!" not in error.message


def test_every_error_answers_in_our_shape(world: World) -> None:
    """Each class is raised inside a real operation, and its answer looked at."""
    for number, error in enumerate(all_errors()):

        def fail(kind: type[FichaError] = error) -> None:
            raise _sample(kind)

        path = f"/v2/falla/{number}"
        world.app.router.routes.append(APIRoute(path, fail, methods=["GET"]))
        answer = world.client.get(path)
        content = answer.json()
        assert answer.status_code == content["meta"]["status"] == error.status, error
        assert set(content) == {"meta", "errors"}
        for entry in content["errors"]:
            assert set(entry) - {"source"} == {"status", "code", "title", "detail"}
            assert entry["title"] == TITLES[error.status]


def _sample(kind: type[FichaError]) -> FichaError:
    """Some carry what went wrong: a list of problems, a number of seconds, a name."""
    samples = {str: "x", int: 1, list[Problem]: [Problem("falta", "Falta.")]}
    if "__init__" not in vars(kind):
        return kind()
    carried = {name: type_ for name, type_ in get_type_hints(kind.__init__).items() if name != "return"}
    return kind(*(samples[type_] for type_ in carried.values()))


def test_every_operation_says_what_it_is(world: World) -> None:
    document = world.app.openapi()
    served = {
        (method.upper(), path): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert set(served) == {(entry.method, entry.path) for entry in OPERATIONS}
    for (method, path), operation in served.items():
        assert operation["x-status"] in ("Developing", "Testing")
        assert operation["x-seed-name"] and operation["summary"] and operation["description"], path
        success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
        # Some answer with a file.
        assert any(kind.get("example") for kind in success["content"].values()), path
        assert "default" not in operation["responses"]
        takes_bytes = "application/octet-stream" in operation.get("requestBody", {}).get("content", {})
        if "requestBody" in operation and method != "DELETE" and not takes_bytes:
            assert _fields_have_examples(document, operation), path


def _fields_have_examples(document: dict[str, Any], operation: dict[str, Any]) -> bool:
    """In each required field of the body's class, or for the body as a whole where it has no class."""
    body = operation["requestBody"]["content"]["application/json"]["schema"]
    references = [part["$ref"] for part in (body, *body.get("anyOf", [])) if "$ref" in part]
    if not references:
        return "examples" in body
    schema = document["components"]["schemas"][references[0].rpartition("/")[2]]
    return all("examples" in schema["properties"][field] for field in schema.get("required", []))


@pytest.mark.skipif(not (SHARED / "operations.json").exists(), reason="the wire contract is not beside this checkout")
def test_the_catalogue_follows_the_wire_contract() -> None:
    contract = {
        (operation["method"], operation["path"]): operation
        for operation in json.loads((SHARED / "operations.json").read_text())
    }
    for entry in OPERATIONS:
        if (entry.method, entry.path) not in contract:
            assert entry.seed is None, entry
            continue
        agreed = contract[entry.method, entry.path]
        assert (entry.name, entry.area, entry.door) == (agreed["name"], agreed["area"], agreed["door"])
    later = ("phone", "user_pic")
    accounts = {key for key, operation in contract.items() if operation["area"] == "accounts"}
    missing = accounts - {(entry.method, entry.path) for entry in OPERATIONS}
    assert all(any(word in path for word in later) for _, path in missing), missing


def test_locks_name_no_registry() -> None:
    for lock in (HERE / "requirements").glob("*.lock"):
        text = lock.read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text and "index-url" not in text and "find-links" not in text


def test_the_readme_shows_the_two_commands() -> None:
    readme = (HERE / "README.md").read_text()
    assert "make run" in readme and "make test" in readme
