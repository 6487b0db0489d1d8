"""Bodies, headers and parameters that cannot be read are refused, and change nothing."""

import json

import pytest
from starlette.testclient import TestClient

from tests.world import Person, World, registration

JSON = {"Content-Type": "application/json"}
GOOD = json.dumps(registration(correo="una@ejemplo.com"))


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"null",
        b"[]",
        b'"texto"',
        b"\xff\xfe",
        b"{'correo': 'a'}",
        GOOD.replace('"+58"', "NaN").encode(),
        GOOD.replace("{", '{"correo": "otra@ejemplo.com", ', 1).encode(),
        GOOD.replace("Mar\\u00eda", "\\ud800").encode(),
        b'{"nombre": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
        b'{"nombre": ' + b"[" * 70 + b"]" * 70 + b"}",
        GOOD.encode("utf-16"),
    ],
)
def test_what_is_not_our_json_is_refused(client: TestClient, world: World, body: bytes) -> None:
    answer = client.post("/v2/auth/register", content=body, headers=JSON)
    expected = 422 if body in (b"", b"null", b"[]", b'"texto"') else 400
    assert answer.status_code == expected
    assert answer.json()["errors"]
    assert world.rows()["accounts"] == 0


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_only_json_is_taken_as_json(client: TestClient, world: World, kind: str) -> None:
    answer = client.post("/v2/auth/register", content=GOOD, headers={"Content-Type": kind})
    assert answer.status_code == 415
    assert world.rows()["accounts"] == 0


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", "application/problem+json"])
def test_json_by_another_name_is_taken(client: TestClient, kind: str) -> None:
    assert client.post("/v2/auth/register", content=GOOD, headers={"Content-Type": kind}).status_code == 201


def test_a_body_that_announces_two_megabytes_is_refused(client: TestClient, world: World) -> None:
    answer = client.post("/v2/auth/register", content=b" " * 2_000_000, headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["errors"][0]["code"] == "cuerpo_demasiado_grande"
    assert world.rows()["accounts"] == 0


def test_a_body_that_does_not_announce_its_size_is_cut_off(client: TestClient) -> None:
    answer = client.post("/v2/auth/register", content=(b" " * 100_000 for _ in range(20)), headers=JSON)
    assert answer.status_code == 413


def test_a_body_of_just_a_megabyte_is_read(client: TestClient) -> None:
    padded = GOOD.encode() + b" " * (1_000_000 - len(GOOD))
    assert client.post("/v2/auth/register", content=padded, headers=JSON).status_code == 201


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("name", ["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id", "If-Match"])
def test_a_repeated_header_is_refused(client: TestClient, world: World, name: str) -> None:
    headers = [("Content-Type", "application/json"), (name, "Bearer 1|a"), (name, "Bearer 2|b")]
    answer = client.post("/v2/auth/register", content=GOOD, headers=headers)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["source"] == {"header": name.lower()}
    assert world.rows()["accounts"] == 0


def test_an_unknown_parameter_is_refused(client: TestClient) -> None:
    answer = client.get("/v1/welcome?nombre=x")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"parameter": "nombre"}


def test_a_body_of_many_values_is_refused_before_they_are_checked(client: TestClient, world: World) -> None:
    names = ",".join(f'"n{number}":1' for number in range(60_000))
    for body in ("[" + "{}," * 60_000 + "{}]", "{" + names + "}"):
        answer = client.post("/v2/auth/register", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (413, "demasiados_valores")
    assert world.rows()["accounts"] == 0


def test_an_answer_tells_twenty_problems_and_is_short(client: TestClient, ana: Person) -> None:
    body = {f"campo{number}": 1 for number in range(40_000)}
    refused = client.post("/v2/auth/register", json=body, headers={"Idempotency-Key": "muchos"})
    assert refused.status_code == 422
    assert len(refused.json()["errors"]) == 20 and len(refused.content) < 10_000
    [code] = ana.data["attributes"]["product_codes"]
    contacts = {"emergencia": {"contactos": [{"nombre": 7} for _ in range(400)]}}
    refused = client.patch(f"/v2/fmd/{code}", json=contacts, headers=ana.headers)
    assert refused.status_code == 422 and 1 <= len(refused.json()["errors"]) <= 20
