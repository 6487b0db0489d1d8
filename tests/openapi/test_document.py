"""The OpenAPI document tells the truth: examples fit their schemas, and answers fit what is told of them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from httpx2 import Response
from pydantic_core import to_jsonable_python

from ficha.asgi.frame import fixed_headers
from ficha.fmd.catalog import CATALOG
from tests.world import Person, World, build_world, registration, settings_for

Document = dict[str, Any]
JSON = "application/json"


@pytest.fixture(scope="module")
def document() -> Document:
    """As committed, which is as served (another test holds them together)."""
    return dict(json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8")))


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def faults(document: Document, schema: Document, value: Any) -> list[str]:
    whole = schema | {"components": document["components"]}
    return [f"{fault.instance_path}: {fault.message}" for fault in jsonschema_rs.iter_errors(whole, value)]


def told(document: Document, method: str, path: str, answer: Response) -> Document:
    """What the document says of this answer."""
    said = document["paths"][path][method.lower()]["responses"][str(answer.status_code)]
    return document["components"]["responses"][said["$ref"].rpartition("/")[2]] if "$ref" in said else dict(said)


def shown_and_told(document: Document) -> Iterator[tuple[str, Document, Any]]:
    """Every example with its schema, and where it stands."""
    for method, path, operation in operations(document):
        contents = {"body": operation.get("requestBody", {}).get("content", {})}
        contents |= {status: answer.get("content", {}) for status, answer in operation["responses"].items()}
        for place, kinds in contents.items():
            for said in kinds.values():
                schema = said.get("schema", {})
                for example in [said["example"]] if "example" in said else schema.get("examples", ()):
                    yield f"{method} {path} {place}", schema, example
        for parameter in operation.get("parameters", ()):
            for example in parameter["schema"].get("examples", ()):
                yield f"{method} {path} {parameter['name']}", parameter["schema"], example
    for name, schema in document["components"]["schemas"].items():
        for field, inner in {"": schema, **schema.get("properties", {})}.items():
            for example in inner.get("examples", ()):
                yield f"{name} {field}", inner, example


def test_every_example_fits_its_schema_with_its_nulls(document: Document) -> None:
    shown = list(shown_and_told(document))
    assert len(shown) > 400
    wrong = {where: found for where, schema, example in shown if (found := faults(document, schema, example))}
    assert wrong == {}
    [contacts] = [one for where, _, one in shown if where == "GET /v2/auth/tokens 200"]
    assert contacts["meta"]["page"]["next"] is None


def test_the_models_of_the_record_are_told_and_answers_fit_them(world: World, ana: Person, document: Document) -> None:
    """Each is put, read, changed and emptied as the document says, and answered as it says."""
    names = document["components"]["schemas"]["ModelName"]["enum"]
    assert names == [model.about.wire for model in CATALOG] and len(names) == 17
    [code] = ana.data["attributes"]["product_codes"]

    def send(method: str, below: str, path: str, body: Any = None) -> None:
        operation = document["paths"][path][method.lower()]
        if body is not None:
            assert faults(document, operation["requestBody"]["content"][JSON]["schema"], body) == []
        answer = world.reader.request(method, f"/v2/fmd/{code}{below}", json=body, headers=ana.headers)
        assert answer.status_code == 200, answer.text
        schema = told(document, method, path, answer)["content"][JSON]["schema"]
        assert faults(document, schema, answer.json()) == [], (method, below)

    one, whole = "/v2/fmd/{code}/{model}", "/v2/fmd/{code}"
    examples = {model.about.wire: to_jsonable_python(model.about.example) for model in CATALOG}
    for name, example in examples.items():
        send("GET", f"/{name}", one)  # It was never saved.
        send("PUT", f"/{name}", one, example)
        send("GET", f"/{name}", one)
    send("GET", "", whole)
    send("GET", "/models", "/v2/fmd/{code}/models")
    send("GET", "/exists", "/v2/fmd/{code}/exists")
    for model in CATALOG:
        asked = {name for name, field in model.model_fields.items() if field.is_required()}
        send("PATCH", f"/{model.about.wire}", one, dict.fromkeys(model.about.example.keys() - asked))
    send("PATCH", "", whole, examples | {"vacuna": None})
    send("GET", "/history", "/v2/fmd/{code}/history")
    # A typing mistake fits the document no more than it is taken.
    mistyped: Document = {"condicciones": []}
    for method in ("patch", "put"):
        schema = document["paths"][one][method]["requestBody"]["content"][JSON]["schema"]
        assert faults(document, schema, mistyped)
    refused = world.client.patch(f"/v2/fmd/{code}/salud", json=mistyped, headers=ana.headers)
    assert refused.status_code == 422


REFUSED: list[tuple[str, Document]] = [
    ("personal", {"idiomas": ["es", "es"]}),
    ("preferencia", {"canales": ["correo", "correo"]}),
    ("consentimiento", {"visibilidad": {"sald": "P"}}),
    ("consentimiento", {"visibilidad": {"sald/k7M2qX9a": "P"}}),
    ("modulo", {"modulos": {"saluds": True}}),
    *(("vacuna", {"vacunas": [{"vacuna": {"texto": "Gripe"}, "fecha": day}]})
      for day in ("0000", "1899", "2010-13", "2010-00", "2010-12-32", "2010-12-00", "1899-12-31", "2010-1")),
    ("medicacion", {"medicamentos": [{"medicamento": {"texto": "Gotas"}, "hasta": "2200"}]}),
]  # fmt: skip
TAKEN: list[tuple[str, Document]] = [
    ("personal", {"idiomas": ["es", "en"]}),
    ("consentimiento", {"visibilidad": {"salud": "P", "personalsermed": "R"}}),
    ("modulo", {"modulos": {"salud": True}}),
    *(("vacuna", {"vacunas": [{"vacuna": {"texto": "Gripe"}, "fecha": day}]})
      for day in ("1900", "2010", "2010-12", "2010-12-31", "2020-02-29")),
    ("vacuna", {"vacunas": [{"vacuna": {"texto": "Gripe"}, "dosis_numero": 2.0}]}),
    ("medicacion", {"medicamentos": [{"medicamento": {"texto": "Gotas"}, "hasta": "2199-12-31"}]}),
    ("cuerpo", {"peso_kg": 61.0}),
]  # fmt: skip


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_the_service_refuses_of_a_model_the_document_refuses_too(ana: Person, document: Document) -> None:
    schemas = {model.about.wire: document["components"]["schemas"][model.__name__] for model in CATALOG}
    [code] = ana.data["attributes"]["product_codes"]
    wrong = []
    for cases, status in ((REFUSED, 422), (TAKEN, 200)):
        for wire, given in cases:
            body = {**CATALOG.find(wire).about.example, **given} if wire == "personal" else given  # type: ignore[union-attr]
            answer = ana.put(f"/v2/fmd/{code}/{wire}", body)
            if answer.status_code != status or bool(faults(document, schemas[wire], body)) is (status == 200):
                wrong.append((wire, given, answer.text, faults(document, schemas[wire], body)))
    assert wrong == []


def test_a_whole_number_is_one_however_it_is_written(ana: Person) -> None:
    """JSON has one kind of number, and so has JSON Schema: clients of typed languages send 1.0."""
    path = f"/v2/fmd/{ana.data['attributes']['product_codes'][0]}/vacuna"

    def put(number: str) -> Response:
        body = f'{{"vacunas":[{{"vacuna":{{"texto":"Gripe"}},"dosis_numero":{number}}}]}}'
        headers = ana.headers | {"Content-Type": JSON}
        return ana.client.put(path, content=body.encode(), headers=headers)

    for number in ("1", "1.0", "1e0", "10E-1"):
        answer = put(number)
        assert answer.status_code == 200, answer.text
        kept = answer.json()["data"]["attributes"]["data"]["vacunas"][0]["dosis_numero"]
        assert repr(kept) == "1"
    for number in ("1.5", "0.0", "1e300", "1e400", '"1"', "true"):
        assert put(number).status_code == 422


def test_an_answer_about_one_model_is_told_by_its_name(document: Document) -> None:
    """So that a client reads the right one of seventeen."""
    out = document["components"]["schemas"]["ModelOut"]
    assert set(out["discriminator"]["mapping"]) == {model.about.wire for model in CATALOG}
    for wire, reference in out["discriminator"]["mapping"].items():
        told_by = document["components"]["schemas"][reference.rpartition("/")[2]]["properties"]["id"]
        assert told_by == {"type": "string", "const": wire}


def test_every_operation_says_who_may_call_it_and_what_may_be_left_out(document: Document) -> None:
    tags = {tag["name"] for tag in document["tags"] if tag["description"]}
    assert document["servers"] and document["info"]["contact"] and document["info"]["license"]
    for method, path, operation in operations(document):
        assert operation["security"] or operation["x-door"] in ("public", "tag", "link"), path
        assert set(operation["tags"]) <= tags
        schemas = [one["schema"] for one in operation.get("parameters", ())]
        schemas += [kind["schema"] for kind in operation.get("requestBody", {}).get("content", {}).values()]
        assert not any({"type": "null"} in schema.get("anyOf", ()) for schema in schemas), (method, path)
        if operation["x-door"] not in ("signed", "platform"):
            assert "422" in operation["responses"]  # A query parameter that nobody knows.
    logout = document["paths"]["/v2/auth/logout"]["post"]["requestBody"]
    assert logout == {"content": {JSON: {"schema": {"$ref": "#/components/schemas/Logout"}}}}
    emergency = document["paths"]["/v2/emergencies"]["post"]["responses"]
    assert emergency["200"]["content"][JSON]["schema"] == emergency["201"]["content"][JSON]["schema"]
    assert "x-by-model" not in str(document) and "x-named" not in str(document)


def test_the_headers_that_are_told_are_those_that_are_sent(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "limited", rate_limits="on", limit_login="1/minute"))
    document = world.app.openapi()
    body = registration()
    key = {"Idempotency-Key": "una-vez"}
    post, sent = world.reader.post, []
    sent.append(("/v2/auth/register", post("/v2/auth/register", json=body, headers=key)))
    token = {"Authorization": f"Bearer {sent[0][1].json()['data']['attributes']['token']}"}
    sent.append(("/v2/auth/register", post("/v2/auth/register", json=body, headers=key)))
    login = {"correo": body["correo"], "clave": "otra-clave-cualquiera"}
    sent += [("/v2/auth/login", post("/v2/auth/login", json=login)) for _ in range(2)]
    record = f"/v2/fmd/{sent[0][1].json()['data']['attributes']['product_codes'][0]}/salud"
    sent.append(("/v2/fmd/{code}/{model}", world.reader.get(record, headers=token)))
    sent.append(("/v2/fmd/{code}/{model}", world.reader.get(record, headers=token | {"If-None-Match": '"salud-0"'})))
    sent.append(("/v2/fmd/{code}/{model}", world.reader.get(record)))
    world.close()
    assert [answer.status_code for _, answer in sent] == [201, 201, 401, 429, 200, 304, 401]
    ours = {name.lower() for name, _ in fixed_headers(world.parts.settings)} | {"content-type", "content-length"}
    found = set()
    for path, answer in sent:
        promised = {name.lower() for name in told(document, answer.request.method, path, answer)["headers"]}
        assert set(answer.headers) - ours - {"connection", "set-cookie"} <= promised, (path, answer.status_code)
        found |= promised & set(answer.headers)
    # `Location` is not sent by any of these.
    assert found | {"location"} == {name.lower() for name in document["components"]["headers"]}
