"""An owner fills in her medical record."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ficha.audit.chain import AuditEntry
from ficha.audit.verify_entries import verify_record
from ficha.fmd.catalog import CATALOG, TEMPLATES
from tests.world import Person, World

EPILEPSY = {"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}, "estado": "controlada"}
MOTHER = {
    "nombre": "María Rojas",
    "relacion": "madre",
    "cod_telefono": "+58",
    "telefono": "4125551111",
    "canales": ["whatsapp"],
}


def fmd(person: Person, rest: str = "") -> str:
    return f"/v2/fmd/{person.data['attributes']['product_codes'][0]}{rest}"


def patch(person: Person, rest: str, body: Any, **headers: str) -> Any:
    return person.client.patch(fmd(person, rest), json=body, headers=person.headers | headers)


def put(person: Person, rest: str, body: Any, **headers: str) -> Any:
    return person.client.put(fmd(person, rest), json=body, headers=person.headers | headers)


def exported(person: Person) -> dict[str, Any]:
    content: dict[str, Any] = person.get(fmd(person, "/export")).json()
    return content


def pointers(answer: Any) -> set[str]:
    return {error["source"]["pointer"] for error in answer.json()["errors"]}


def test_several_models_are_saved_at_once(ana: Person) -> None:
    answer = patch(ana, "", {"salud": {"condiciones": [EPILEPSY]}, "cuerpo": {"peso_kg": 61, "grupo_sanguineo": "O-"}})
    assert answer.status_code == 200
    assert answer.headers["ETag"] == '"r-1"'
    attributes = answer.json()["data"]["attributes"]
    assert attributes["version"] == 1 and set(attributes["models"]) == {"salud", "cuerpo"}
    fact = attributes["models"]["salud"]["data"]["condiciones"][0]
    assert len(fact["id"]) == 8 and fact["confirmado_en"] == "2026-11-15" and fact["fuente"] == "representante"
    assert exported(ana)["modelos"]["cuerpo"] == {"peso_kg": 61, "grupo_sanguineo": "O-"}


def test_one_bad_model_saves_none_and_every_fault_is_named(world: World, ana: Person) -> None:
    before = world.rows()
    answer = patch(ana, "", {"cuerpo": {"peso_kg": 61}, "salud": {"condiciones": [{"estado": "regular"}]}, "x": {}})
    assert answer.status_code == 422 and pointers(answer) == {"/x"}
    answer = patch(ana, "", {"cuerpo": {"peso_kg": 9000}, "salud": {"condiciones": [{"estado": "regular"}]}})
    assert pointers(answer) == {"/cuerpo/peso_kg", "/salud/condiciones/0/condicion", "/salud/condiciones/0/estado"}
    assert world.rows() == before


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("body", [{}, [], None, "x", {"salud": []}, {"salud": "x"}, {"salud": 1}])
def test_what_is_no_patch_is_422(ana: Person, body: Any) -> None:
    assert patch(ana, "", body).status_code == 422


@pytest.mark.parametrize("model", [model.about.wire for model in CATALOG])
def test_every_model_takes_its_own_example(ana: Person, model: str) -> None:
    found = CATALOG.find(model)
    assert found is not None
    answer = put(ana, f"/{model}", dict(found.about.example))
    assert answer.status_code == 200, answer.text
    assert answer.headers["ETag"] == f'"{model}-1"'
    assert answer.json()["data"]["id"] == model
    assert exported(ana)["modelos"][model] == answer.json()["data"]["attributes"]["data"]


def test_a_patch_changes_what_it_names_and_null_removes(ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61, "estatura_cm": 165})
    answer = patch(ana, "/cuerpo", {"peso_kg": 62, "estatura_cm": None})
    assert answer.json()["data"]["attributes"] == {
        "version": 2,
        "updated_at": "2026-11-15T12:00:00+00:00",
        "data": {"peso_kg": 62},
    }


def test_letters_that_are_kept_as_two_are_no_fault_of_the_next_change(ana: Person) -> None:
    given = {"codigo_postal": "\ufb2a1", "ciudad": "\u0958" * 60}
    assert put(ana, "/personal", {"nombres": "A", "apellidos": "B", "direccion": given}).status_code == 200
    assert patch(ana, "/personal", {"nombres": "Ana"}).status_code == 200
    assert pointers(patch(ana, "/personal", {"direccion": {"ciudad": "\u0958" * 61}})) == {"/direccion/ciudad"}


def test_a_time_zone_that_there_is_not_is_refused(ana: Person) -> None:
    answer = patch(ana, "/preferencia", {"zona_horaria": "Mars/Phobos"}, **{"Accept-Language": "en"})
    assert answer.status_code == 422 and pointers(answer) == {"/zona_horaria"}
    [error] = answer.json()["errors"]
    assert error["code"] == "zona_desconocida"
    assert error["detail"] == "That time zone does not exist. Write it like America/Caracas."
    assert patch(ana, "/preferencia", {"zona_horaria": "Asia/Kathmandu"}).status_code == 200


def test_the_same_document_again_makes_no_new_version(ana: Person) -> None:
    for _ in range(2):
        assert put(ana, "/cuerpo", {"peso_kg": 61}).headers["ETag"] == '"cuerpo-1"'


def test_a_model_can_be_emptied(ana: Person) -> None:
    put(ana, "/personal", {"nombres": "Ana", "apellidos": "Pérez"})
    assert patch(ana, "", {"personal": None}).json()["data"]["attributes"]["models"]["personal"]["data"] == {}
    assert exported(ana)["modelos"]["personal"] == {}


def test_if_match_keeps_two_writers_from_losing_a_change(ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61})
    good = patch(ana, "/cuerpo", {"peso_kg": 62}, **{"If-Match": '"cuerpo-1"'})
    late = patch(ana, "/cuerpo", {"estatura_cm": 165}, **{"If-Match": '"cuerpo-1"'})
    assert (good.status_code, late.status_code) == (200, 412)
    assert late.json()["errors"][0]["source"] == {"header": "If-Match"}
    assert patch(ana, "/cuerpo", {"peso_kg": 1}, **{"If-Match": '"salud-2"'}).status_code == 412
    assert patch(ana, "/cuerpo", {"peso_kg": 1}, **{"If-Match": "2"}).status_code == 400
    assert patch(ana, "", {"cuerpo": {"peso_kg": 63}}, **{"If-Match": '"r-1"'}).status_code == 412
    assert patch(ana, "", {"cuerpo": {"peso_kg": 63}}, **{"If-Match": '"r-2"'}).status_code == 200


def test_if_match_is_read_as_the_standard_says(ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61})
    told = {
        given: patch(ana, "/cuerpo", {"peso_kg": 61}, **{"If-Match": given}).status_code
        for given in (
            '"cuerpo-1"',
            '"cuerpo-9", "cuerpo-1"',
            '"otra", "cuerpo-1"',
            "*",
            'W/"cuerpo-1"',
            '"cuerpo-9"',
            '"otra"',
            '""',
            "cuerpo-1",
            '"cuerpo-1',
            '"cuerpo-1" "cuerpo-2"',
            "",
        )
    }
    assert list(told.values()) == [200, 200, 200, 200, 412, 412, 412, 412, 400, 400, 400, 400]


def test_every_operation_that_changes_a_record_honours_if_match(world: World, ana: Person) -> None:
    """Each is sent the tag of a version that is gone, and changes nothing."""
    bodies: dict[tuple[str, str], Any] = {
        ("patch", ""): {"cuerpo": {"peso_kg": 70}},
        ("patch", "/relationship"): {"relacion": "padre"},
        ("patch", "/template-type"): {"template_type": "estudiante"},
        ("patch", "/emergency-contacts"): [MOTHER],
        ("put", "/emergency-contacts"): [MOTHER],
        ("patch", "/{model}"): {"peso_kg": 70},
        ("put", "/{model}"): {"peso_kg": 70},
    }
    start = "/v2/fmd/{code}"
    described = {
        (method, path.removeprefix(start))
        for path, operations in world.app.openapi()["paths"].items()
        for method, operation in operations.items()
        if path.startswith(start) and method in ("patch", "put")
    }
    assert described == set(bodies)
    [code] = ana.data["attributes"]["product_codes"]
    before = exported(ana)
    for (method, path), body in bodies.items():
        address = f"/v2/fmd/{code}{path.replace('{model}', 'cuerpo')}"
        headers = ana.headers | {"If-Match": '"r-99", "cuerpo-99", "emergencia-99"'}
        refused = world.client.request(method, address, json=body, headers=headers)
        assert refused.status_code == 412, (method, path, refused.text)
    assert exported(ana)["modelos"] == before["modelos"]
    settled = patch(ana, "/relationship", {"relacion": "padre"}, **{"If-Match": '"r-0"'})
    assert settled.status_code == 200 and settled.headers["etag"] == '"r-1"'


def test_of_many_writers_with_one_version_one_wins(ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61})
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(
            lambda kilos: patch(ana, "/cuerpo", {"peso_kg": kilos}, **{"If-Match": '"cuerpo-1"'}).status_code,
            range(50, 58),
        )
    assert Counter(answers) == {200: 1, 412: 7}


def test_writers_without_if_match_all_get_a_version(world: World, ana: Person) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda kilos: patch(ana, "/cuerpo", {"peso_kg": kilos}).status_code, range(50, 58)))
    assert answers == [200] * 8
    fmd_code = ana.data["attributes"]["fmd_code"]
    with world.parts.database.reading() as tx:
        assert verify_record(tx, fmd_code) == []
        assert tx.orm.query(AuditEntry).filter_by(record_id=fmd_code, action="record.changed").count() == 8


def test_contacts_are_merged_by_id_and_null_removes(ana: Person) -> None:
    first = patch(ana, "/emergency-contacts", [MOTHER, MOTHER | {"nombre": "Luis", "relacion": "padre"}])
    assert first.status_code == 200, first.text
    maria, luis = first.json()["data"]["attributes"]["data"]["contactos"]
    merged = patch(ana, "/emergency-contacts", {maria["id"]: {"prioridad": 1}, luis["id"]: None})
    contacts = merged.json()["data"]["attributes"]["data"]["contactos"]
    assert contacts == [maria | {"prioridad": 1}]
    assert contacts[0]["telefono_e164"] == "+584125551111"
    wrapped = patch(ana, "/emergency-contacts", {"contactos": [{"id": maria["id"], "prioridad": 2}]})
    assert wrapped.json()["data"]["attributes"]["data"]["contactos"][0]["prioridad"] == 2


def test_a_list_of_contacts_replaces_all(ana: Person) -> None:
    put(ana, "/emergencia", {"contactos": [MOTHER], "instrucciones": "Háblenle despacio."})
    answer = put(ana, "/emergency-contacts", [MOTHER | {"nombre": "Luis", "relacion": "padre"}])
    data = answer.json()["data"]["attributes"]["data"]
    assert [contact["nombre"] for contact in data["contactos"]] == ["Luis"]
    assert data["instrucciones"] == "Háblenle despacio."
    assert put(ana, "/emergency-contacts", {"contactos": []}).status_code == 200
    assert put(ana, "/emergency-contacts", [MOTHER] * 11).status_code == 422
    assert put(ana, "/emergency-contacts", {"a": MOTHER}).status_code == 422


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("body", [{"noexiste": {}}, [{"id": "noexiste"}], ["x"], [{"nombre": "Sin teléfono"}]])
def test_a_bad_contact_is_refused(ana: Person, body: Any) -> None:
    answer = patch(ana, "/emergency-contacts", body)
    assert answer.status_code == 422
    assert all(pointer.startswith("/contactos") for pointer in pointers(answer))


@pytest.mark.parametrize("send", [patch, put])
@pytest.mark.parametrize("inner", [None, 5])
def test_contacts_that_are_no_list_are_told_where_they_stand(ana: Person, send: Any, inner: Any) -> None:
    answer = send(ana, "/emergency-contacts", {"contactos": inner})
    assert answer.status_code == 422 and pointers(answer) == {"/contactos"}
    assert answer.json()["errors"][0]["code"] == "tipo_invalido"


def test_relationship_and_template_are_settled(ana: Person) -> None:
    answer = patch(ana, "/relationship", {"relacion": "titular"})
    assert answer.json()["data"]["attributes"]["relacion"] == "titular"
    for template in TEMPLATES:
        assert patch(ana, "/template-type", {"template_type": template}).status_code == 200
    assert exported(ana)["ficha"]["template_type"] == list(TEMPLATES)[-1]
    assert exported(ana)["modelos"]["modulo"]["modulos"]["estudiante"] is False
    for path, body in (("/template-type", {"template_type": "x"}), ("/relationship", {"relacion": ""})):
        assert patch(ana, path, body).status_code == 422


def test_history_tells_every_change_and_how_it_was(world: World, ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61, "estatura_cm": 165})
    between = world.clock.now()
    world.clock.move(days=1)
    ana = Person(world.client, ana.body, world.login(ana.correo).json()["data"])
    patch(ana, "", {"cuerpo": {"peso_kg": 62, "estatura_cm": None}, "salud": {"condiciones": [EPILEPSY]}})
    listed = ana.get(fmd(ana, "/history")).json()["data"]
    assert [change["id"] for change in listed] == [2, 1]
    assert listed[0]["attributes"]["models"]["cuerpo"] == {"version": 2, "patch": {"peso_kg": 62, "estatura_cm": None}}
    assert listed[0]["attributes"]["actor"] == f"account:{ana.id}"
    past = ana.get(fmd(ana, "/history"), params={"at": between.isoformat()}).json()["data"]
    assert past["attributes"]["models"]["cuerpo"]["data"] == {"peso_kg": 61, "estatura_cm": 165}
    assert "salud" not in past["attributes"]["models"]
    only = ana.get(fmd(ana, "/history"), params={"model": "salud", "size": 1}).json()
    assert [change["id"] for change in only["data"]] == [2] and only["meta"]["page"]["next"] is None
    assert ana.get(fmd(ana, "/history"), params={"model": "nada"}).status_code == 404
    assert ana.get(fmd(ana, "/history"), params={"at": "ayer"}).status_code == 422


def test_the_owner_reads_who_looked_and_that_is_written_too(ana: Person) -> None:
    put(ana, "/cuerpo", {"peso_kg": 61})
    ana.get(fmd(ana, "/access-log"))
    listed = ana.get(fmd(ana, "/access-log")).json()["data"]
    assert [entry["attributes"]["action"] for entry in listed] == [
        "log.read",
        "log.read",
        "record.changed",
        "record.created",
    ]
    assert listed[2]["attributes"]["what"] == ["cuerpo"] and listed[2]["attributes"]["via"] == "owner"


def test_unknown_codes_and_models_are_404(ana: Person) -> None:
    for path in ("/v2/fmd/ZZZZZZ", "/v2/fmd/x", "/v2/fmd/ZZZZZZ/salud"):
        assert ana.client.patch(path, json={"salud": {}}, headers=ana.headers).status_code == 404
    assert patch(ana, "/nada", {}).status_code == 404
    assert ana.get(fmd(ana, "/nada/exists")).status_code == 404


def test_somebody_else_s_record_is_indistinguishable_from_none(world: World, ana: Person) -> None:
    stranger = world.register()
    put(stranger, "/cuerpo", {"peso_kg": 61})
    for method, rest, body in (
        ("PATCH", "", {"cuerpo": {"peso_kg": 1}}),
        ("PUT", "/cuerpo", {"peso_kg": 1}),
        ("GET", "/history", None),
        ("GET", "/access-log", None),
        ("GET", "/export", None),
        ("GET", "/grants", None),
    ):
        theirs = ana.client.request(method, fmd(stranger, rest), json=body, headers=ana.headers)
        none = ana.client.request(method, f"/v2/fmd/ZZZZZZ{rest}", json=body, headers=ana.headers)
        assert theirs.status_code == none.status_code == 404, rest
        assert theirs.json()["errors"] == none.json()["errors"]


def test_schemas_and_terms_are_public(world: World) -> None:
    schemas = world.client.get("/v2/fmd/schemas").json()["data"]
    assert [schema["id"] for schema in schemas] == [model.about.wire for model in CATALOG]
    one = world.client.get("/v2/fmd/schemas/salud").json()["data"]["attributes"]
    assert set(one["titles"]) == {"es", "en", "pt"} and one["schema"]["properties"]["condiciones"]["x-titles"]
    assert world.client.get("/v2/fmd/schemas/nada").status_code == 404
    found = world.client.get("/v2/fmd/terms", params={"q": "epilepcia", "model": "salud"}).json()["data"]
    assert found[0]["attributes"]["codigo"] == "84757009"
    assert world.client.get("/v2/fmd/terms").status_code == 422
