"""What a client library expects of HTTP, whatever the operation: methods, headers, parameters, languages."""

import asyncio
import gzip
import json
import unicodedata
from datetime import date
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from ficha.accounts.accounts import Role
from ficha.api.operations import Deprecation, Operations
from ficha.asgi.routes import RouteGroup
from ficha.core.errors import NotFound
from tests.photos.pictures import encoded, face
from tests.world import Person, World, registration


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def codes_in(answer: Any) -> list[str]:
    return [each["code"] for each in answer.json()["errors"]]


def sent_raw(world: World, headers: list[tuple[bytes, bytes]], method: str = "GET", body: bytes = b"") -> list[Message]:
    """As the server hands a request on, with these headers and no other."""
    answered: list[Message] = []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": "/v2/auth/me",
        "raw_path": b"/v2/auth/me",
        "query_string": b"",
        "headers": headers,
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 5000),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        answered.append(message)

    asyncio.run(world.app(scope, receive, send))
    return answered


def test_head_is_answered_wherever_get_is_and_without_a_body(world: World, ana: Person) -> None:
    code = code_of(ana)
    paths = ("/v2/auth/me", "/v2/auth/tokens", "/health", "/v2/fmd/schemas", f"/v2/fmd/{code}", "/openapi.json")
    for path in (*paths, f"/v2/fmd/{code}/export", f"/v2/fmd/{code}/salud", "/v2/events", "/docs", "/robots.txt"):
        head = world.client.head(path, headers=ana.headers)
        assert (head.status_code, head.content) == (200, b""), path
    whole = ana.get("/v2/auth/me")
    assert world.client.head("/v2/auth/me", headers=ana.headers).headers["content-length"] == str(len(whole.content))
    assert world.client.head("/v2/auth/me").status_code == 401


def test_allow_names_every_method_of_the_address(client: TestClient) -> None:
    refused = {
        path: client.request("TRACE", path) for path in ("/v2/auth/tokens", "/v2/fmd/K7M2QX/salud", "/v2/user_pic")
    }
    assert {path: answer.headers["allow"] for path, answer in refused.items()} == {
        "/v2/auth/tokens": "GET, HEAD, POST",
        "/v2/fmd/K7M2QX/salud": "GET, HEAD, PATCH, PUT",
        "/v2/user_pic": "DELETE, GET, HEAD, PUT",
    }
    assert client.delete("/v2/webhook/whatsapp").headers["allow"] == "GET, HEAD, POST"


def test_health_answers_whatever_it_is_asked_with(client: TestClient) -> None:
    for path in ("/health", "/health/live", "/health/ready"):
        assert client.get(f"{path}?_=1794225600&x=1&x=2").status_code == 200


def test_a_request_without_a_host_is_400(world: World) -> None:
    start, body = sent_raw(world, [])
    assert start["status"] == 400 and json.loads(body["body"])["errors"][0]["code"] == "falta_host"
    assert sent_raw(world, [(b"host", b"testserver")])[0]["status"] == 401


def test_a_body_in_an_encoding_that_we_do_not_read_is_415(client: TestClient, world: World) -> None:
    body = json.dumps(registration()).encode()
    for kind, content in (("gzip", gzip.compress(body)), ("br", body)):
        sent = {"Content-Type": "application/json", "Content-Encoding": kind}
        refused = client.post("/v2/auth/register", content=content, headers=sent)
        assert (refused.status_code, codes_in(refused)) == (415, ["codificacion_no_admitida"])
    for charset, status in (("utf-16", 415), ("iso-8859-1", 415), ('"UTF-8"', 201)):
        sent = {"Content-Type": f"application/json; charset={charset}"}
        assert client.post("/v2/auth/register", content=body, headers=sent).status_code == status, charset
    assert world.rows()["accounts"] == 1


def test_a_blank_body_is_none(ana: Person, client: TestClient) -> None:
    for path, headers in (("/v2/auth/login", {}), ("/v2/email/verify-code", ana.headers)):
        told = [client.post(path, content=body, headers=headers) for body in (b"", b" \r\n\t ")]
        assert [(answer.status_code, codes_in(answer)) for answer in told] == [(422, ["falta"])] * 2
    assert client.post("/v2/auth/logout", content=b"\n", headers=ana.headers).status_code == 200


def test_a_parameter_comes_once(client: TestClient, ana: Person) -> None:
    twice = client.get("/v2/maps/url?lat=1&lat=2&lng=3")
    assert (twice.status_code, codes_in(twice)) == (422, ["parametro_repetido"])
    assert twice.json()["errors"][0]["source"] == {"parameter": "lat"}
    names = ana.get(f"/v2/fmd/{code_of(ana)}/models?names=salud&names=vacuna")
    assert (names.status_code, codes_in(names)) == (422, ["parametro_repetido"])


def test_a_cursor_belongs_to_its_list(world: World, ana: Person) -> None:
    world.login(ana.correo, ana.body["clave"])
    cursor = ana.get("/v2/auth/tokens?size=1").json()["meta"]["page"]["next"]
    assert ana.get(f"/v2/auth/tokens?size=2&cursor={cursor}").status_code == 200
    history = f"/v2/fmd/{code_of(ana)}/history"
    for path in (f"/v2/fmd?cursor={cursor}", f"{history}?cursor={cursor}", "/v2/auth/tokens?cursor=aWQ6MQ"):
        refused = ana.get(path)
        assert (refused.status_code, codes_in(refused)) == (422, ["cursor_invalido"]), path
    terms = world.client.get("/v2/fmd/terms?q=a&size=1").json()["meta"]["page"]["next"]
    assert world.client.get(f"/v2/fmd/terms?q=a&size=1&cursor={terms}").status_code == 200
    assert world.client.get(f"/v2/fmd/terms?q=e&size=1&cursor={terms}").status_code == 422, "another search"


@pytest.mark.parametrize(
    "path", ["/v2/fmd/terms?q=epilep", "/v2/fmd/schemas?", "/v2/fmd/{code}/grants?", "/v2/institutions?"]
)
def test_short_lists_come_in_pages_too(world: World, ana: Person, path: str) -> None:
    for _ in range(3):
        guest = {"correo": world.register().correo, "tipo": "delegate", "hasta": "2027-01-31T00:00:00+00:00"}
        assert ana.post(f"/v2/fmd/{code_of(ana)}/grants", guest).status_code == 201
    whole = ana.get(path.format(code=code_of(ana))).json()["data"]
    seen, cursor = [], ""
    while cursor is not None:
        page = ana.get(f"{path.format(code=code_of(ana))}&size=1{cursor and '&cursor=' + cursor}").json()
        seen += page["data"]
        cursor = page["meta"]["page"]["next"]
    assert seen == whole and len(whole) >= (0 if "institutions" in path else 2)


def test_a_clave_and_a_correo_are_read_at_login_as_at_registration(world: World) -> None:
    clave = "café-con-leche-año"
    ana = world.register(clave=unicodedata.normalize("NFD", clave), correo="  Zoe.Paz@ejemplo.com ")
    for form in ("NFC", "NFD"):
        written = unicodedata.normalize(form, clave)
        assert world.login("\tzoe.paz@EJEMPLO.com  ", written).status_code == 200
        assert ana.put("/v1/local/data", _account(ana) | {"clave": written, "clave_nueva": clave}).status_code == 200
    assert world.login("zoe.paz@ejemplo.com", clave.replace("é", "e")).status_code == 401


def _account(person: Person) -> dict[str, Any]:
    return {name: person.body[name] for name in ("cod_telefono", "telefono", "relacion", "nombre")}


def test_put_can_ask_to_write_only_what_is_new(world: World, ana: Person) -> None:
    admin, new = world.somebody_with(Role.ADMIN), {"If-None-Match": "*"}

    def put(person: Person, path: str, body: Any, headers: dict[str, str] = new) -> int:
        return int(person.client.put(path, json=body, headers=person.headers | headers).status_code)

    code, project = code_of(ana), {"name": "Uno", "url": "https://ejemplo.com/"}
    contact = {"nombre": "Eva", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    for person, path, body in (
        (ana, f"/v2/fmd/{code}/cuerpo", {"peso_kg": 61}),
        (ana, f"/v2/fmd/{code}/emergency-contacts", [contact]),
        (admin, "/v1/services/uno", {"name": "Uno"}),
        (admin, "/v1/navigation-buttons/uno", {"label": "Uno", "url": "https://ejemplo.com/"}),
    ):
        assert [put(person, path, body), put(person, path, body), put(person, path, body, {})] == [200, 412, 200], path
    assert put(ana, "/v1/local/data", _account(ana)) == 412
    made = admin.client.put("/v2/projects/uno", json=project, headers=admin.headers | new)
    assert (made.status_code, made.headers["location"]) == (201, "/v2/projects/uno")
    assert put(admin, "/v2/projects/uno", project) == 412
    assert put(admin, "/v1/services/uno", {"name": "Dos"}, {"If-None-Match": '"x"'}) == 400
    photo: dict[str, Any] = {
        "content": encoded(face(), "PNG"),
        "headers": ana.headers | new | {"Content-Type": "image/png"},
    }
    assert [ana.client.put("/v2/user_pic", **photo).status_code for _ in range(2)] == [200, 412]


def test_what_was_made_says_where_it_is(world: World, ana: Person) -> None:
    code, admin, staff = code_of(ana), world.somebody_with(Role.ADMIN), world.somebody_with(Role.STAFF)
    guest = {"correo": "luis@ejemplo.com", "tipo": "delegate", "hasta": "2027-01-31T00:00:00+00:00"}
    file = {"file_name": "x.pdf", "file_length": 4, "file_type": "application/pdf"}
    for person, path, body in (
        (ana, "/v2/fmd", {"relacion": "madre"}),
        (ana, f"/v2/fmd/{code}/grants", guest),
        (ana, f"/v2/carnet/{code}/issue", None),
        (ana, "/v2/emergencies", {"code": code}),
        (ana, "/v2/subscription", {}),
        (admin, "/v2/generators/codes", {"count": 2}),
        (staff, "/v2/whatsapp/uploads", file),
    ):
        made = person.post(path, body)
        assert made.status_code == 201, (path, made.text)
        found = person.get(made.headers["location"])
        assert found.status_code == 200, (path, made.headers["location"])
    registered = world.client.post("/v2/auth/register", json=registration())
    assert registered.headers["location"] == "/v2/auth/me"
    assert ana.post("/v2/auth/tokens").headers["location"] == "/v2/auth/tokens"


PUBLIC = ("/v2/fmd/schemas", "/v2/fmd/schemas/salud", "/v2/fmd/terms?q=epilep", "/v1/welcome", "/v2/push/key")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("path", [*PUBLIC, "/openapi.json", "/robots.txt", "/push-worker.js", "/favicon.ico"])
def test_what_everybody_may_have_can_be_kept_and_is_sent_compressed(client: TestClient, path: str) -> None:
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert plain.status_code == 200 and plain.headers["vary"] == "Accept-Encoding"
    assert plain.headers["etag"] == packed.headers["etag"] and plain.headers["cache-control"] != "no-store"
    assert (packed.headers.get("content-encoding") == "gzip") == (len(plain.content) >= 1_000)
    kept = client.get(path, headers={"If-None-Match": plain.headers["etag"]})
    assert (kept.status_code, kept.content) == (304, b"")


def test_the_same_json_in_another_order_is_the_same_request(client: TestClient, world: World) -> None:
    body = registration()
    key = {"Idempotency-Key": "alta-en-otro-orden", "Content-Type": "application/json"}
    first = client.post("/v2/auth/register", content=json.dumps(body), headers=key)
    turned = json.dumps(dict(reversed(body.items())), indent=3)
    again = client.post("/v2/auth/register", content=turned, headers=key)
    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["idempotency-replayed"] == "true" and again.headers["location"] == first.headers["location"]
    other = client.post("/v2/auth/register", content=json.dumps(body | {"relacion": "padre"}), headers=key)
    assert other.status_code == 409 and world.rows()["accounts"] == 1


def test_a_background_is_removed_once_for_a_key(ana: Person) -> None:
    """The second time the form has another boundary."""
    files = {"image": ("foto.png", encoded(face(), "PNG"), "image/png")}
    for number, accept in enumerate(("application/json", "image/png")):
        headers = ana.headers | {"Idempotency-Key": f"fondo-{number}", "Accept": accept}
        first, again = (ana.client.post("/api/remove-background", files=files, headers=headers) for _ in range(2))
        assert (first.status_code, again.content) == (200, first.content)
        assert "idempotency-replayed" not in first.headers and again.headers["idempotency-replayed"] == "true"
        assert again.headers["content-type"] == first.headers["content-type"]
        other = {"image": ("foto.png", encoded(face(), "JPEG"), "image/jpeg")}
        assert ana.client.post("/api/remove-background", files=other, headers=headers).status_code == 409


def test_only_the_part_image_is_a_picture(ana: Person) -> None:
    photo = ("foto.png", encoded(face(), "PNG"), "image/png")
    for files in ({"file": photo}, {"image": photo, "file": photo}):
        refused = ana.client.post("/api/remove-background", files=files, headers=ana.headers)
        assert refused.status_code == 422 and codes_in(refused)[0] == "campo_desconocido"


def test_errors_speak_the_caller_s_language(client: TestClient, ana: Person) -> None:
    code = code_of(ana)
    for asked, language, sentences in (
        (
            "en-GB,en;q=0.9,es;q=0.1",
            "en",
            ("There is no record", "It must have at least 10", "It must be a list", "one of: pers"),
        ),
        ("pt-BR", "pt", ("Não há uma ficha", "Deve ter pelo menos 10", "Deve ser uma lista", "um de: pers")),
        ("de", "es", ("No hay una ficha", "Debe tener al menos 10", "Debe ser una lista", "uno de: pers")),
    ):
        spoken = {"Accept-Language": asked}
        answers = (
            ana.get("/v2/fmd/ZZZZZZ", headers=spoken),
            client.post("/v2/auth/register", json=registration(clave="corta"), headers=spoken),
            client.put(f"/v2/fmd/{code}/emergency-contacts", json={}, headers=ana.headers | spoken),
            ana.get(f"/v2/fmd/{code}/models?names=nada", headers=spoken),
        )
        for answer, sentence in zip(answers, sentences, strict=True):
            assert sentence in answer.json()["errors"][0]["detail"] and answer.headers["content-language"] == language
        assert [codes_in(each) for each in answers] == [
            ["ficha_no_encontrada"],
            ["muy_corto"],
            ["tipo_invalido"],
            ["valor_desconocido"],
        ]
    dated = client.patch(
        f"/v2/fmd/{code}/personal",
        json={"fecha_nacimiento": "1400-01-01"},
        headers=ana.headers | {"Accept-Language": "en"},
    )
    told = {each["source"]["pointer"]: each["detail"] for each in dated.json()["errors"]}
    assert told["/fecha_nacimiento"].startswith("The date must be between 1900-01-01")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "one_of", "number"),
    [
        ("es", "Debe ser uno de: ", "Debe ser un número."),
        ("en", "It must be one of: ", "It must be a number."),
        ("pt", "Deve ser um de: ", "Deve ser um número."),
    ],
)
def test_what_a_value_may_be_is_told_in_one_language(
    client: TestClient, ana: Person, language: str, one_of: str, number: str
) -> None:
    spoken = ana.headers | {"Accept-Language": language}
    joining = client.post("/v2/auth/register", json=registration(idioma="fr"), headers=spoken)
    closing = client.patch("/v2/emergencies/1", json={"state": "over"}, headers=spoken)
    body = client.patch(f"/v2/fmd/{code_of(ana)}/cuerpo", json={"grupo_sanguineo": "Z"}, headers=spoken)
    place = client.get("/v2/maps/url?lat=10.6&lng=x", headers=spoken)
    details = [answer.json()["errors"][0]["detail"] for answer in (joining, closing, body, place)]
    assert details == [
        f"{one_of}es, en, pt.",
        f"{one_of}acknowledged, resolved, canceled.",
        f"{one_of}A+, A-, B+, B-, AB+, AB-, O+, O-.",
        number,
    ]


def test_an_operation_that_will_go_says_so_in_every_answer(world: World) -> None:
    operations = Operations("utilities", prefix="/old")
    going = Deprecation(date(2026, 11, 18), date(2027, 6, 1), "/v2/new")

    @operations.get("", "Old", callers="public", example={}, deprecated=going)
    def old(name: str = "") -> dict[str, str]:
        if name:
            raise NotFound
        return {}

    world.app.router.routes.append(RouteGroup(operations.under))
    for path in ("/old", "/old?name=x"):
        headers = world.client.get(path).headers
        assert (headers["deprecation"], headers["sunset"]) == ("@1794960000", "Tue, 01 Jun 2027 00:00:00 GMT")
        assert headers["link"] == '</v2/new>; rel="successor-version"'
    assert operations.under()[0].described.deprecated
    with pytest.raises(ValueError, match="180 days"):
        Deprecation(date(2026, 11, 18), date(2027, 1, 1), "/v2/new")
