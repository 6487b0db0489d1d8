"""A person registers."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from ficha.core.ids import CODE_ALPHABET
from ficha.products.codes import issue_code
from tests.world import World, registration


def printed_code(world: World) -> str:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now()).code


def pointers(answer: Any) -> set[str]:
    return {error["source"]["pointer"] for error in answer.json()["errors"]}


def test_the_answer_is_the_seed_s_envelope(client: TestClient) -> None:
    body = registration()
    answer = client.post("/v2/auth/register", json=body)
    assert answer.status_code == 201
    content = answer.json()
    assert set(content) == {"meta", "data"}
    assert set(content["meta"]) == {"timestamp", "api_version", "status", "copyright"}
    assert content["meta"]["status"] == 201
    attributes = content["data"]["attributes"]
    assert content["data"]["type"] == "user" and isinstance(content["data"]["id"], int)
    assert set(attributes) == {
        "correo",
        "fmd_code",
        "product_codes",
        "bp_codes",
        "token",
        "expiration_date",
        "session_key",
    }
    assert attributes["correo"] == body["correo"]
    assert attributes["fmd_code"] > 0
    assert len(attributes["product_codes"]) == 1
    assert len(attributes["product_codes"][0]) == 6 and set(attributes["product_codes"][0]) <= set(CODE_ALPHABET)
    assert attributes["bp_codes"] == []
    timestamp = datetime.fromisoformat(content["meta"]["timestamp"])
    expiration = datetime.fromisoformat(attributes["expiration_date"])
    assert timestamp.utcoffset() is not None
    assert expiration - timestamp == timedelta(hours=1)


def test_the_token_works_at_once(world: World) -> None:
    ana = world.register(nombre="Ana Pérez")
    me = ana.get("/v2/auth/me").json()["data"]
    assert (me["id"], me["attributes"]["nombre"]) == (ana.id, "Ana Pérez")


def test_a_used_correo_is_refused_whatever_its_case(client: TestClient, world: World) -> None:
    ana = world.register()
    before = world.rows()
    answer = client.post("/v2/auth/register", json=registration(correo=ana.correo.upper()))
    assert answer.status_code == 422
    assert pointers(answer) == {"/correo"}
    assert world.rows() == before


def test_a_printed_sticker_can_be_claimed_in_small_letters(client: TestClient, world: World) -> None:
    code = printed_code(world)
    answer = client.post("/v2/auth/register", json=registration(product_code=code.lower()))
    assert answer.status_code == 201
    assert answer.json()["data"]["attributes"]["product_codes"] == [code]


@pytest.mark.parametrize("state", ["unknown", "claimed"])
def test_a_code_that_cannot_be_claimed_is_the_seed_s_404_and_nothing_is_written(
    client: TestClient, world: World, state: str
) -> None:
    code = world.register().data["attributes"]["product_codes"][0] if state == "claimed" else "ZZZZZZ"
    before = world.rows()
    answer = client.post("/v2/auth/register", json=registration(product_code=code))
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["title"] == "Record Not Found"
    assert world.rows() == before


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("field", ["correo", "clave", "cod_telefono", "telefono", "relacion", "nombre"])
def test_all_six_fields_are_needed(client: TestClient, world: World, field: str) -> None:
    body = registration()
    del body[field]
    answer = client.post("/v2/auth/register", json=body)
    assert answer.status_code == 422
    assert pointers(answer) == {f"/{field}"}
    assert world.rows()["accounts"] == 0


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("correo", "sin arroba"),
        ("correo", "a@b"),
        ("correo", 7),
        ("correo", ""),
        ("correo", "x" * 300 + "@ejemplo.com"),
        ("clave", "corta"),
        ("clave", "x" * 129),
        ("clave", None),
        ("clave", "con\u0000nulo-adentro"),
        ("cod_telefono", "58"),
        ("cod_telefono", "+0"),
        ("cod_telefono", "+999"),
        ("telefono", "412-555"),
        ("telefono", "911"),
        ("telefono", "1234"),
        ("telefono", 4125551111),
        ("relacion", " "),
        ("nombre", ["Ana"]),
        ("nombre", "Ana\u0000"),
        ("nombre", "Ana\nPérez"),
        ("nombre", "x" * 10_000),
        ("nombre", "\u0958" * 61),  # Two letters each, as they are kept.
        ("correo", "\ufdfa" * 21 + "@ejemplo.com"),  # Eighteen each, as they are compared.
        ("idioma", "fr"),
        ("product_code", "O0I1"),
        ("sobra", "algo"),
        ("so\n/br~a", "algo"),
    ],
)
def test_a_bad_field_is_named_and_nothing_is_written(
    client: TestClient, world: World, field: str, value: object
) -> None:
    body = json.dumps(registration() | {field: value})
    answer = client.post("/v2/auth/register", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    escaped = field.replace("~", "~0").replace("/", "~1")
    expected = "/telefono" if (field, value) == ("cod_telefono", "+999") else f"/{escaped}"
    assert pointers(answer) == {expected}
    assert world.rows()["accounts"] == 0


def test_names_keep_their_accents_and_their_emoji(world: World) -> None:
    person = world.register(nombre="  María José Ñandú 🌻 ")
    assert person.get("/v2/auth/me").json()["data"]["attributes"]["nombre"] == "María José Ñandú 🌻"


def test_fifty_at_once_with_one_correo_make_one_account(client: TestClient, world: World) -> None:
    body = registration()
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda _: client.post("/v2/auth/register", json=body), range(50)))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 422: 49}
    assert world.rows()["accounts"] == world.rows()["records"] == world.rows()["products"] == 1


def test_fifty_at_once_claim_one_code_and_one_wins(client: TestClient, world: World) -> None:
    code = printed_code(world)
    bodies = [registration(product_code=code) for _ in range(50)]
    with ThreadPoolExecutor(25) as pool:
        answers = list(pool.map(lambda body: client.post("/v2/auth/register", json=body), bodies))
    assert Counter(answer.status_code for answer in answers) == {201: 1, 404: 49}
    assert world.rows()["accounts"] == 1
