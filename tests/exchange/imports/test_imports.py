"""What a hospital wrote comes into the record, as far as she accepts it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ficha.exchange.imports.bounded_json import MOST_FACTS
from ficha.exchange.imports.imports import KEPT, Import
from ficha.fmd.grants import GrantKind
from ficha.fmd.models.people import MAX_CONTACTS
from ficha.worker import prune
from tests.api.fmd.test_fmd import fmd, patch
from tests.api.fmd.test_grants import let_in
from tests.exchange.samples import SMALL, WHOLE, summary_of
from tests.world import Person, World

IPS = Path(__file__).parents[1] / "node_modules" / "hl7.fhir.uv.ips-2.0.0" / "example"
ALLERGY = {
    "resourceType": "AllergyIntolerance",
    "category": ["medication"],
    "criticality": "high",
    "code": {"text": "Penicilina", "coding": [{"system": "http://www.whocc.no/atc", "code": "J01C"}]},
}


def bundle(*resources: dict[str, Any], **patient: Any) -> dict[str, Any]:
    everything = [{"resourceType": "Patient", **patient}, *resources]
    return {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in everything]}


def import_document(
    who: Person, content: Any, owner: Person | None = None, language: str = "es", kind: str = "application/fhir+json"
) -> Any:
    sent = content if isinstance(content, bytes) else json.dumps(content).encode()
    told = who.headers | {"Content-Type": kind, "Accept-Language": language}
    return who.client.post(fmd(owner or who, "/imports"), content=sent, headers=told)


def proposals(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code in (200, 201), answer.text
    found: list[dict[str, Any]] = answer.json()["data"]["attributes"]["propuestas"]
    return found


def decide(who: Person, answer: Any, how: str, numbers: list[int] | None = None, **more: Any) -> Any:
    chosen = numbers or [one["numero"] for one in proposals(answer)]
    return who.post(fmd(who, f"/imports/{answer.json()['data']['id']}/{how}"), {"propuestas": chosen, **more})


def stored(who: Person, model: str) -> dict[str, Any]:
    document: dict[str, Any] = who.get(fmd(who, f"/{model}")).json()["data"]["attributes"]["data"]
    return document


def actions(who: Person, world: World) -> list[str]:
    world.drain_reads()
    return [one["attributes"]["action"] for one in who.get(fmd(who, "/access-log")).json()["data"]]


def later(world: World, who: Person) -> None:
    """When all imports of now have expired."""
    world.clock.move(days=KEPT.days)
    who.data["attributes"]["token"] = world.token_for(who.id)


def test_nothing_changes_until_she_accepts(world: World, ana: Person) -> None:
    made = import_document(ana, bundle(ALLERGY))
    [one] = proposals(made)
    assert made.status_code == 201 and (one["efecto"], one["estado"], one["actual"]) == ("nuevo", "pendiente", None)
    assert ana.get(fmd(ana, "/alergiasm")).json()["data"]["attributes"]["data"] == {}
    accepted = decide(ana, made, "accept")
    assert [one["estado"] for one in proposals(accepted)] == ["aceptada"]
    [fact] = stored(ana, "alergiasm")["alergias"]
    assert fact["medicamento"]["codigo"] == "J01C" and fact["criticidad"] == "alta"
    assert fact["fuente"] == "representante"  # Nobody signed it: it is the word of who accepts it.
    assert {"import.proposed", "import.accepted", "record.changed"} <= set(actions(ana, world))


def test_accepting_again_changes_nothing(ana: Person) -> None:
    made = import_document(ana, bundle(ALLERGY))
    decide(ana, made, "accept")
    version = ana.get(fmd(ana)).headers["etag"]
    assert decide(ana, made, "accept").status_code == 200
    assert decide(ana, made, "refuse").status_code == 200  # It is decided already.
    assert ana.get(fmd(ana)).headers["etag"] == version
    assert len(stored(ana, "alergiasm")["alergias"]) == 1


def test_accepted_by_many_at_once_it_is_there_once(ana: Person) -> None:
    made = import_document(ana, bundle(ALLERGY))
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _n: decide(ana, made, "accept").status_code, range(6)))
    assert set(answers) <= {200, 503} and 200 in answers
    assert len(stored(ana, "alergiasm")["alergias"]) == 1


def test_the_same_file_again_is_the_same_import(world: World, ana: Person) -> None:
    made = import_document(ana, bundle(ALLERGY))
    assert import_document(ana, bundle(ALLERGY)).json()["data"]["id"] == made.json()["data"]["id"]
    decide(ana, made, "accept")
    assert [one["estado"] for one in proposals(import_document(ana, bundle(ALLERGY)))] == ["aceptada"]
    other = import_document(ana, bundle({**ALLERGY, "id": "another"}))  # Other bytes, the same fact.
    assert [one["efecto"] for one in proposals(other)] == ["igual"]
    before = stored(ana, "alergiasm")
    decide(ana, other, "accept")
    assert stored(ana, "alergiasm") == before
    later(world, ana)
    assert [one["efecto"] for one in proposals(import_document(ana, bundle(ALLERGY)))] == ["igual"]


def test_what_differs_is_shown_beside_what_is_there_and_keeps_its_id(ana: Person) -> None:
    patch(ana, "", {"alergiasm": {"alergias": [{"medicamento": {"texto": "penicilina"}, "notas": "De niña."}]}})
    [before] = stored(ana, "alergiasm")["alergias"]
    made = import_document(ana, bundle(ALLERGY))
    [one] = proposals(made)
    assert one["efecto"] == "distinto" and one["actual"]["notas"] == "De niña."
    decide(ana, made, "accept")
    [after] = stored(ana, "alergiasm")["alergias"]
    assert after["id"] == before["id"] and after["notas"] == "De niña."
    assert after["criticidad"] == "alta" and after["medicamento"]["codigo"] == "J01C"


def test_the_date_of_a_document_stays_though_the_record_had_the_same(ana: Person) -> None:
    known = {"medicamento": {"texto": "penicilina"}, "confirmado_en": "2024-03-01", "fuente": "representante"}
    patch(ana, "", {"alergiasm": {"alergias": [known]}})
    decide(ana, import_document(ana, bundle(ALLERGY | {"recordedDate": "2024-03-01"})), "accept")
    [after] = stored(ana, "alergiasm")["alergias"]
    assert after["criticidad"] == "alta" and after["confirmado_en"] == "2024-03-01"


def test_refused_it_is_not_proposed_again(ana: Person, world: World) -> None:
    made = import_document(ana, bundle(ALLERGY))
    assert [one["estado"] for one in proposals(decide(ana, made, "refuse"))] == ["rechazada"]
    decide(ana, made, "accept")
    assert ana.get(fmd(ana, "/alergiasm")).json()["data"]["attributes"]["data"] == {}
    assert "import.refused" in actions(ana, world)


def test_another_person_is_said_before_anything(ana: Person) -> None:
    patch(ana, "", {"personal": SMALL["personal"]})
    name = {"name": [{"family": "Gómez", "given": ["Luis"]}], "birthDate": "1970-01-01"}
    made = import_document(ana, bundle(ALLERGY, **name))
    [document] = made.json()["data"]["attributes"]["documentos"]
    assert document["distinto"] == ["nombre", "fecha_nacimiento"] and document["persona"] == "Luis Gómez"
    allergy = next(one["numero"] for one in proposals(made) if one["modelo"] == "alergiasm")
    refused = decide(ana, made, "accept", [allergy])
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "persona_distinta"
    assert ana.get(fmd(ana, "/alergiasm")).json()["data"]["attributes"]["data"] == {}
    assert decide(ana, made, "accept", [allergy], misma_persona=True).status_code == 200
    # A second family name, and capitals, make nobody another person.
    same = import_document(
        ana, bundle(ALLERGY, name=[{"family": "PEREZ ROJAS", "given": ["Ana"]}], birthDate="2012-05-03")
    )
    assert same.json()["data"]["attributes"]["documentos"][0]["distinto"] == []


def test_none_known_is_not_accepted_over_what_is_there(ana: Person) -> None:
    none = {"resourceType": "AllergyIntolerance", "code": {"coding": [{"system": SNOMED, "code": "716186003"}]}}
    made = import_document(ana, bundle(none))
    assert {one["modelo"] for one in proposals(made)} == {"alergiasa", "alergiasm"}
    patch(ana, "", {"alergiasm": WHOLE["alergiasm"]})
    read = ana.get(fmd(ana, f"/imports/{made.json()['data']['id']}"))
    effects = {one["modelo"]: one["efecto"] for one in proposals(read)}
    assert effects == {"alergiasa": "nuevo", "alergiasm": "contradice"}
    assert decide(ana, made, "accept").json()["errors"][0]["code"] == "propuesta_contradice"
    assert decide(ana, made, "accept", [2 if proposals(made)[1]["modelo"] == "alergiasa" else 1]).status_code == 200
    assert stored(ana, "alergiasa") == {"ausencia": "ninguna_conocida"}
    # And the other way round: who accepts an allergy no longer says that there are none.
    peanut = {**ALLERGY, "category": ["food"], "code": {"text": "Maní"}}
    decide(ana, import_document(ana, bundle(peanut)), "accept")
    assert "ausencia" not in stored(ana, "alergiasa")


SNOMED = "http://snomed.info/sct"


def test_our_own_document_proposes_nothing_new(ana: Person) -> None:
    patch(ana, "", {**SMALL, "cuerpo": {"grupo_sanguineo": "O-", "peso_kg": 47.5}})
    answer = ana.get(fmd(ana, "/ips"))
    again = import_document(ana, answer.content)
    assert {one["efecto"] for one in proposals(again)} == {"igual"}
    [document] = again.json()["data"]["attributes"]["documentos"]
    assert document["distinto"] == [] and document["no_tomado"] == []


def test_into_an_empty_record_it_is_whole(world: World, ana: Person) -> None:
    luis = world.register(nombre="Luis")
    made = import_document(luis, summary_of({**WHOLE, "preferencia": {}}))
    assert {one["efecto"] for one in proposals(made)} <= {"nuevo", "distinto"}
    answer = decide(luis, made, "accept", misma_persona=True)
    assert answer.status_code == 200, answer.text
    for wire in ("alergiasa", "alergiasm", "medicacion", "vacuna", "consideracion"):
        [lists] = [value for value in stored(luis, wire).values() if isinstance(value, list)]
        [wanted] = [value for value in WHOLE[wire].values() if isinstance(value, list)]
        unsaid = ("id", "fuente")
        assert [{name: part for name, part in one.items() if name not in unsaid} for one in lists] == [
            {name: part for name, part in one.items() if name not in unsaid} for one in wanted
        ]


def test_it_is_kept_encrypted_and_for_some_days(world: World, ana: Person) -> None:
    made = import_document(ana, bundle(ALLERGY))
    with world.parts.database.reading() as tx:
        [kept] = tx.orm.query(Import).all()
        assert b"J01C" not in kept.sealed and b"enicilin" not in kept.sealed
    path = fmd(ana, f"/imports/{made.json()['data']['id']}")
    assert ana.get(path).status_code == 200 and len(ana.get(fmd(ana, "/imports")).json()["data"]) == 1
    later(world, ana)
    assert ana.get(path).status_code == 404 and ana.get(fmd(ana, "/imports")).json()["data"] == []
    prune(world.parts)
    with world.parts.database.reading() as tx:
        assert tx.orm.query(Import).all() == []


def test_only_who_manages_the_record_may(world: World, ana: Person) -> None:
    luis, tutora, nobody = world.register(), world.register(), world.register()
    let_in(world, ana, luis, edita=True)
    let_in(world, ana, tutora, tipo=GrantKind.GUARDIAN)
    made = import_document(ana, bundle(ALLERGY))
    path = fmd(ana, f"/imports/{made.json()['data']['id']}")
    assert import_document(luis, bundle(ALLERGY), ana).status_code == luis.get(path).status_code == 403
    assert import_document(nobody, bundle(ALLERGY), ana).status_code == nobody.get(path).status_code == 404
    assert import_document(tutora, bundle(ALLERGY), ana).status_code == 201 and tutora.get(path).status_code == 200
    # Another's record has no such import.
    assert nobody.get(fmd(nobody, f"/imports/{made.json()['data']['id']}")).status_code == 404


def test_what_is_no_document_is_refused(ana: Person) -> None:
    deep: Any = {}
    for _ in range(60):
        deep = {"a": deep}
    two = bundle({"resourceType": "Patient"})
    many = {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Basic"}}] * 1001}
    refused = {
        b"": 422,
        b"not json": 422,
        b"[]": 422,
        b'{"resourceType": "Patient"}': 422,
        b'{"resourceType": "Bundle", "entry": {}}': 422,
        b'{"resourceType": "Bundle", "entry": [1, null, {"resource": []}]}': 422,
        json.dumps({"resourceType": "Bundle", "entry": [deep]}).encode(): 413,
        b"[" * 100_000: 422,
        json.dumps(two).encode(): 422,
        json.dumps(many).encode(): 413,
        b"{" + b" " * 1_100_000 + b"}": 413,
    }
    for content, status in refused.items():
        answer = import_document(ana, content)
        assert answer.status_code == status, (content[:40], answer.text)
        assert answer.json()["errors"]
    told = import_document(ana, b"nothing", language="pt").json()["errors"][0]["detail"]
    assert told.startswith("Não é um resumo de saúde")
    assert ana.get(fmd(ana, "/imports")).json()["data"] == []


def test_one_resource_may_not_name_thousands(world: World, ana: Person) -> None:
    """Few entries and few bytes, and more to look at than anybody can."""
    reached = bundle(contact=contacts(MOST_FACTS + 1))
    unreached = bundle(contact=[{"name": {"text": f"A{number}"}} for number in range(MOST_FACTS + 1)])
    for document in (reached, unreached):
        refused = import_document(ana, document)
        assert refused.status_code == 413
        assert refused.json()["errors"][0]["code"] == "documento_demasiado_grande"
    assert world.rows()["imports"] == 0
    assert len(proposals(import_document(ana, bundle(contact=contacts(MOST_FACTS))))) == MOST_FACTS


def test_more_than_a_list_takes_is_not_accepted(ana: Person) -> None:
    refused = decide(ana, import_document(ana, bundle(contact=contacts(MAX_CONTACTS + 5))), "accept")
    assert refused.status_code == 422 and refused.json()["errors"][0]["code"] == "muy_largo"
    made = import_document(ana, bundle(contact=contacts(MAX_CONTACTS)))
    assert decide(ana, made, "accept").status_code == 200
    assert len(stored(ana, "emergencia")["contactos"]) == MAX_CONTACTS


def contacts(count: int) -> list[dict[str, Any]]:
    """As a hospital's Patient names them."""
    return [
        {"name": {"text": f"A{number}"}, "telecom": [{"system": "phone", "value": f"+58414{number:07}"}]}
        for number in range(count)
    ]


def test_a_form_with_a_file_works_too(ana: Person) -> None:
    files = {"archivo": ("ips.json", json.dumps(bundle(ALLERGY)).encode(), "application/json")}
    made = ana.client.post(fmd(ana, "/imports"), files=files, headers=ana.headers)
    assert len(proposals(made)) == 1
    wrong = ana.client.post(fmd(ana, "/imports"), files={"otro": files["archivo"]}, headers=ana.headers)
    assert wrong.status_code == 422


def test_references_in_circles_and_outside_are_not_followed(ana: Person) -> None:
    medication = {"resourceType": "MedicationStatement", "id": "a", "status": "active", "medicationReference": {}}
    for target in ("#a", "MedicationStatement/a", "https://127.0.0.1/Medication/1"):
        answer = import_document(ana, bundle({**medication, "medicationReference": {"reference": target}}))
        assert proposals(answer) == []
        [document] = answer.json()["data"]["attributes"]["documentos"]
        assert [one["motivo"] for one in document["no_tomado"]] == ["sin_nombre"]


def test_a_code_of_a_system_that_nobody_knows_stays_in_the_words(ana: Person) -> None:
    unknown = {"system": "urn:oid:1.2.3.4", "code": "X-77", "display": "Penicilina V"}
    made = import_document(ana, bundle(ALLERGY | {"code": {"coding": [unknown]}}))
    assert decide(ana, made, "accept").status_code == 200
    [allergy] = stored(ana, "alergiasm")["alergias"]
    assert allergy["medicamento"] == {"texto": "Penicilina V (urn:oid:1.2.3.4 X-77)"}


EXPECTED = {
    "Bundle-bundle-minimal": ({"alergiasm": 1, "medicacion": 1, "salud": 1, "personal": 5}, {"sin_telefono": 1}),
    "Bundle-bundle-no-info-required-sections": ({"vacuna": 2, "personal": 5}, {"sin_telefono": 2}),
    "Bundle-IPS-examples-Bundle-01": (
        {"alergiasm": 1, "medicacion": 2, "salud": 2, "cuerpo": 1, "personal": 5},
        {"otra_clase": 6, "sin_telefono": 1, "ausencia_en_parte": 1},
    ),
    "Bundle-IPS-examples-Bundle-with-immunization": (
        {"alergiasm": 1, "medicacion": 2, "salud": 2, "cuerpo": 1, "vacuna": 1, "personal": 5},
        {"otra_clase": 6, "sin_telefono": 1, "ausencia_en_parte": 1},
    ),
    "Bundle-bundle-ips-all-sections": (
        {
            "alergiasm": 1, "medicacion": 2, "salud": 5, "cardiologico": 1, "cuerpo": 2, "vacuna": 8,
            "consideracion": 1, "consentimiento": 1, "personal": 4,
        },
        {"otra_clase": 11, "terminado": 1, "anticuado": 1, "sin_telefono": 1},
    ),
}  # fmt: skip


@pytest.mark.skipif(
    not IPS.exists(), reason="the definitions of the guide are not here (make conformance fetches them)"
)
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_examples_of_the_guide(world: World, name: str) -> None:
    """What comes in of each, what does not, and that accepting all of it is accepted."""
    luis = world.register(nombre="Luis")
    made = import_document(luis, (IPS / f"{name}.json").read_bytes())
    models = [one["modelo"] for one in proposals(made)]
    taken, left = EXPECTED[name]
    assert {one: models.count(one) for one in models} == taken
    [document] = made.json()["data"]["attributes"]["documentos"]
    reasons = [one["motivo"] for one in document["no_tomado"]]
    assert {one: reasons.count(one) for one in reasons} == left
    assert all(one["que"] and one["palabras"] for one in document["no_tomado"])
    answer = decide(luis, made, "accept", misma_persona=True)
    assert answer.status_code == 200, answer.text
    assert {one["efecto"] for one in proposals(answer)} == {"igual"}
