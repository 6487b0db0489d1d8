"""The operations: each is declared once, served, described, and as the wire contract says."""

import json
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import ficha.api
from ficha.api.catalog import catalogue, groups_of, served_operations
from ficha.api.operations import Operations
from ficha.describe import default_settings
from tests.world import World

SETTINGS = default_settings(Path("data"))
ROWS = catalogue(SETTINGS)
CONTRACT = Path(__file__).parents[3] / "shared" / "operations.json"


def test_names_and_paths_are_unique() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert len({(row.method, row.path) for row in ROWS}) == len(ROWS)


def test_whatever_is_declared_is_served() -> None:
    """A file whose operations stand in no list of its area would be forgotten silently."""
    served = {id(operations) for _, group in served_operations(SETTINGS) for operations in group}
    for found in walk_packages(ficha.api.__path__, "ficha.api."):
        module = import_module(found.name)
        for operations in vars(module).values():
            if isinstance(operations, Operations):
                assert id(operations) in served, f"add {found.name} to the __init__.py of its area"


def test_what_is_loaded_later_is_found_by_what_its_paths_begin_with() -> None:
    """Otherwise nobody could ask for it before something else has loaded it."""
    for group in groups_of(SETTINGS):
        for row in (row for operations in group.operations() for row in operations.rows()):
            fixed = row.path.partition("{")[0]  # Of the gateway that is less than what it is found by.
            begins = [start for start in group.starts if row.path.startswith(start) or start.startswith(fixed)]
            assert begins or not group.starts, f"{group.prefix}{row.path} begins with none of {group.starts}"


def test_the_area_of_an_operation_is_its_folder() -> None:
    for found in walk_packages(ficha.api.__path__, "ficha.api."):
        for operations in vars(import_module(found.name)).values():
            if isinstance(operations, Operations):
                assert {row.area for row in operations.rows()} == {found.name.split(".")[2]}, found.name


def test_every_operation_says_what_it_is(world: World) -> None:
    document = world.app.openapi()
    served = {
        (method.upper(), path): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert set(served) == {(row.method, row.path) for row in ROWS}
    for (method, path), operation in served.items():
        assert operation["x-status"] in ("Developing", "Testing")
        assert operation["x-seed-name"] and operation["summary"] and operation["description"], path
        success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
        # Some answer with a file.
        assert any(kind.get("example") for kind in success["content"].values()), path
        words = {"200": "Success", "201": "Created", "202": "Accepted"}
        assert all(
            operation["responses"].get(code, {}).get("description", word) == word for code, word in words.items()
        )
        assert "default" not in operation["responses"]
        kinds = operation.get("requestBody", {}).get("content", {})
        takes_bytes = "application/octet-stream" in kinds or "multipart/form-data" in kinds
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


@pytest.mark.skipif(not CONTRACT.exists(), reason="the wire contract is not beside this checkout")
def test_the_catalogue_follows_the_wire_contract() -> None:
    contract = {(operation["method"], operation["path"]): operation for operation in json.loads(CONTRACT.read_text())}
    for row in ROWS:
        if (row.method, row.path) not in contract:
            assert row.seed is None, row
            continue
        agreed = contract[row.method, row.path]
        assert (row.name, row.area, row.callers) == (agreed["name"], agreed["area"], agreed["door"])
    later = ("phone", "user_pic")
    accounts = {key for key, operation in contract.items() if operation["area"] == "accounts"}
    missing = accounts - {(row.method, row.path) for row in ROWS}
    assert all(any(word in path for word in later) for _, path in missing), missing


# Of the wire contract's text, and not of its list.
ALSO_SETTLED = {"Health: live", "Health: ready", "Carnet PDF", "Carnet PNG", "Carnet SVG"}


@pytest.mark.skipif(not CONTRACT.exists(), reason="the wire contract is not beside this checkout")
def test_testing_is_what_the_contract_settles_and_developing_what_may_still_change() -> None:
    settled = {(operation["method"], operation["path"]) for operation in json.loads(CONTRACT.read_text())}
    for row in ROWS:
        is_settled = (row.method, row.path) in settled or row.name in ALSO_SETTLED
        assert row.progress == ("Testing" if is_settled else "Developing"), row.name


def test_every_list_has_a_cursor_and_every_put_may_ask_for_what_is_new(world: World) -> None:
    for path, operations in world.app.openapi()["paths"].items():
        named = {method: {each["name"] for each in one.get("parameters", [])} for method, one in operations.items()}
        if "put" in operations:
            assert "If-None-Match" in named["put"] and "412" in operations["put"]["responses"], path
        example = str(operations.get("get", {}).get("responses", {}).get("200", {}))
        if "'next': None" in example and not path.endswith("/models"):  # As many as there are models, in their order.
            assert {"cursor", "size"} <= named["get"], path
            described = operations["get"]["description"]
            assert re.search(r"first|by their|by position|in the order|in their order|newest", described), path
