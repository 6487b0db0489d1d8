"""The International Patient Summary as owners, doctors and integrators get it: what is in it, and who said it."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from ficha.exchange.imports.documents import read_bundle
from ficha.exchange.ips.document import RecordToTell, patient_summary
from ficha.fmd.base import Door
from ficha.fmd.responder.view import DAMAGED
from tests.api.fmd.test_fmd import fmd, patch
from tests.exchange.ips.mutations import first, section
from tests.exchange.samples import BASE, NOW, RECORDS, SMALL, WHOLE, Bundle, stored, summary_of
from tests.world import Person, World

ALLERGIES, MEDICINES, PROBLEMS, PREGNANCY = "48765-2", "10160-0", "11450-4", "10162-6"


def every(bundle: Bundle, kind: str) -> list[dict[str, Any]]:
    found = [entry["resource"] for entry in bundle["entry"]]
    return [resource for resource in found if resource["resourceType"] == kind]


def codes(resource: dict[str, Any]) -> list[tuple[str, str]]:
    concept = resource.get("code") or resource["medicationCodeableConcept"]
    return [(coding["system"], coding["code"]) for coding in concept.get("coding", ())]


def test_the_owner_downloads_it_and_the_log_says_so(world: World, ana: Person) -> None:
    patch(ana, "", {**SMALL, "cuerpo": {"grupo_sanguineo": "O-", "peso_kg": 47.5}})
    answer = ana.get(fmd(ana, "/ips"), headers=ana.headers | {"Accept-Language": "pt"})
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/fhir+json"
    bundle = answer.json()
    composition = bundle["entry"][0]["resource"]
    assert composition["language"] == "pt" and composition["title"] == "Sumário internacional do paciente"
    assert first(bundle, "Patient")["name"][0]["family"] == "Pérez"
    assert codes(first(bundle, "AllergyIntolerance")) == [("http://www.whocc.no/atc", "J01C")]
    assert "Penicilinas (classe)" in section(bundle, ALLERGIES)["text"]["div"]
    # The same document where integrators look for it.
    code = ana.data["attributes"]["product_codes"][0]
    again = ana.get(f"/fhir/Patient/{code}/$summary?idioma=pt").json()
    assert again["identifier"] != bundle["identifier"]
    assert [entry["fullUrl"] for entry in again["entry"]] == [entry["fullUrl"] for entry in bundle["entry"]]
    world.drain_reads()
    told = [entry["attributes"] for entry in ana.get(fmd(ana, "/access-log")).json()["data"]]
    read = next(one for one in told if one["action"] == "record.summary")
    assert {"alergiasm", "medicacion", "personal"} <= set(read["what"])


def test_a_ward_reads_it_as_a_page_and_as_pdf(ana: Person) -> None:
    patch(ana, "", {"personal": SMALL["personal"], "alergiasm": WHOLE["alergiasm"]})
    page = ana.get(fmd(ana, "/ips.html?idioma=en"))
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    told = page.text
    assert "Ana Pérez" in told and "Penicillins (class)" in told and "Not recorded." in told
    printed = ana.get(fmd(ana, "/ips.pdf?idioma=en"))
    assert printed.headers["content-type"] == "application/pdf" and printed.content.startswith(b"%PDF-1.7")


def test_what_the_owner_hides_is_not_in_it_and_is_not_called_absent(ana: Person) -> None:
    patch(ana, "", {**SMALL, "personalsermed": WHOLE["personalsermed"]})
    patch(ana, "", {"consentimiento": {"visibilidad": {"alergiasm": "P", "salud": "B"}}})
    for_staff = ana.get(fmd(ana, "/ips?door=P")).json()
    assert not every(for_staff, "AllergyIntolerance") and every(for_staff, "Condition")
    reason = section(for_staff, ALLERGIES)["emptyReason"]
    assert reason["coding"][0]["code"] == "withheld" and "enicil" not in ana.get(fmd(ana, "/ips")).text
    for_whoever_scans = ana.get(fmd(ana, "/ips?door=R")).json()
    assert not every(for_whoever_scans, "Condition") and not every(for_whoever_scans, "Practitioner")
    assert section(for_whoever_scans, PROBLEMS)["emptyReason"]["coding"][0]["code"] == "withheld"
    # What she put behind a stricter door than usual is marked, and so is the whole document.
    [condition] = every(for_staff, "Condition")
    assert condition["meta"]["security"][0]["code"] == "R"
    assert for_staff["meta"]["security"][0]["code"] == for_staff["entry"][0]["resource"]["confidentiality"] == "R"


def test_three_ways_to_have_nothing_are_three_things() -> None:
    none_known, not_asked, nothing = (summary_of(RECORDS[name]) for name in ("none known", "not asked", "empty"))
    told = [codes(every(none_known, kind)[0]) for kind in ("AllergyIntolerance", "MedicationStatement", "Condition")]
    assert [code for [(_, code)] in told] == ["716186003", "787481004", "160245001"]
    for code in (ALLERGIES, MEDICINES, PROBLEMS):
        assert section(none_known, code)["entry"] and "emptyReason" not in section(none_known, code)
        assert section(not_asked, code)["emptyReason"]["coding"][0]["code"] == "notasked"
        assert section(nothing, code)["emptyReason"]["coding"][0]["code"] == "unavailable"
    assert section(none_known, "11369-6")["emptyReason"]["coding"][0]["code"] == "nilknown"
    assert {entry["resource"]["resourceType"] for entry in nothing["entry"]} == {"Composition", "Patient", "Device"}


def test_no_medicine_allergy_says_nothing_of_food() -> None:
    bundle = summary_of({"alergiasm": {"ausencia": "ninguna_conocida"}})
    assert [codes(one) for one in every(bundle, "AllergyIntolerance")] == [[("http://snomed.info/sct", "409137002")]]
    assert "Sin registrar" in section(bundle, ALLERGIES)["text"]["div"]
    assert first(bundle, "AllergyIntolerance")["code"]["text"] == "Ninguna alergia conocida a medicinas"


def test_words_without_a_code_stay_words() -> None:
    bundle = summary_of(RECORDS["words alone"])
    assert first(bundle, "AllergyIntolerance")["code"] == {"text": "Un jarabe <rojo> & otro"}
    assert "Un jarabe &lt;rojo&gt; &amp; otro" in section(bundle, ALLERGIES)["text"]["div"]


def test_what_is_shunned_is_marked() -> None:
    labels = first(summary_of(RECORDS["sensitive"]), "Condition")["meta"]["security"]
    assert [label["code"] for label in labels] == ["R", "HIV"]
    assert summary_of(SMALL)["meta"]["security"][0]["code"] == "N"


def test_only_the_directive_is_called_signed_by_its_document() -> None:
    will = {"tipo": "limitar", "documento_id": "doc_7Kq2ZpX9"}
    bundle = summary_of({"consentimiento": {"voluntad_anticipada": will, "rechaza_transfusion": True}})
    worths = [consent["policyRule"]["text"] for consent in every(bundle, "Consent")]
    assert worths == ["Con documento firmado", "Preferencia declarada"]


@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_what_is_wished_is_named_alike_whichever_the_answer(language: str) -> None:
    """A reader who sees only the name takes nobody who accepts blood for one who refuses it."""
    told = {}
    for answer in (True, False):
        bundle = summary_of({"consentimiento": {"rechaza_transfusion": answer, "donante_organos": answer}}, language)
        for consent in every(bundle, "Consent"):
            [kind], [same] = consent["category"], consent["provision"]["code"]
            assert kind == same and kind["coding"][0]["display"] == kind["text"]
            told[kind["coding"][0]["code"], answer] = kind["text"], consent["provision"]["type"]
    blood, organs = (told[code, True][0] for code in ("transfusion", "donacion_organos"))
    assert told == {
        ("transfusion", True): (blood, "deny"),
        ("transfusion", False): (blood, "permit"),
        ("donacion_organos", True): (organs, "permit"),
        ("donacion_organos", False): (organs, "deny"),
    }
    assert (blood, organs) == {
        "es": ("Transfusión de sangre", "Donación de órganos"),
        "en": ("Blood transfusion", "Organ donation"),
        "pt": ("Transfusão de sangue", "Doação de órgãos"),
    }[language]


def test_each_fact_says_whose_word_it_is() -> None:
    """Software put the document together, and says so. The doctor stands behind her fact, not behind the document."""
    bundle = summary_of(WHOLE)
    composition, guardian = (
        bundle["entry"][0]["resource"],
        next(
            entry["fullUrl"]
            for entry in bundle["entry"]
            if entry["resource"].get("relationship") == [{"text": "madre"}]
        ),
    )
    urls = {entry["fullUrl"]: entry["resource"] for entry in bundle["entry"]}
    [author] = composition["author"]
    assert urls[author["reference"]]["deviceName"][0]["name"] == "Ficha"
    parties = [urls[one["party"]["reference"]]["resourceType"] for one in composition["attester"]]
    assert parties == ["Patient", "RelatedPerson"] and guardian in urls
    assert first(bundle, "AllergyIntolerance")["asserter"] == {"type": "Practitioner", "display": "El médico"}
    medicine = first(bundle, "MedicationStatement")
    assert urls[medicine["informationSource"]["reference"]]["name"] == [{"text": "María Rojas"}]
    sign = next(flag for flag in every(bundle, "Flag") if "Alergia grave" in flag["code"]["text"])
    assert sign["author"] == author


def test_what_does_not_open_is_not_called_absent() -> None:
    documents = stored(SMALL) | {"alergiasm": DAMAGED}
    bundle = patient_summary(RecordToTell(1, documents, Door.B, "es", BASE), NOW).bundle
    assert "No se pudo leer" in section(bundle, ALLERGIES)["text"]["div"]
    # Without its consent it is not known what may be seen, so nothing is.
    hidden = patient_summary(RecordToTell(1, documents | {"consentimiento": DAMAGED}, Door.B, "es", BASE), NOW).bundle
    assert "No se pudo leer" in section(hidden, MEDICINES)["text"]["div"] and not every(hidden, "Condition")


def test_one_damaged_fact_does_not_hide_the_others() -> None:
    documents = stored(SMALL)
    documents["medicacion"]["medicamentos"].append({"id": "zzzzzzzz", "medicamento": {"codigo": 5}})
    bundle = patient_summary(RecordToTell(1, documents, Door.B, "es", BASE), NOW).bundle
    assert len(every(bundle, "MedicationStatement")) == 1


def test_integrators_learn_what_there_is(client: TestClient) -> None:
    told = client.get("/fhir/metadata")
    assert told.headers["content-type"] == "application/fhir+json"
    statement = told.json()
    assert statement["fhirVersion"] == "4.0.1" and statement["kind"] == "instance"
    [patient] = [one for one in statement["rest"][0]["resource"] if one["type"] == "Patient"]
    assert patient["operation"][0]["name"] == "summary"
    url = first(summary_of(SMALL), "AllergyIntolerance")["extension"][0]["url"]
    definition = client.get(url.removeprefix(BASE)).json()
    assert definition["resourceType"] == "StructureDefinition" and definition["url"].endswith("/ficha")


def test_a_due_date_long_past_makes_nobody_pregnant() -> None:
    """No program reads a pregnancy, and people are told as on the page."""
    past = {"salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2021-06-01"}}}
    bundle = summary_of(past)
    assert not every(bundle, "Observation")
    told = section(bundle, PREGNANCY)["text"]["div"]
    assert "embarazada; fecha probable de parto 01/06/2021; fecha ya pasada" in told
    assert len(every(summary_of(RECORDS["pregnant"]), "Observation")) == 2


def test_a_low_risk_is_told_only_where_nothing_says_otherwise() -> None:
    """One allergy has one severity, in the alerts, in the list and in its code."""
    peanut = {"agente": {"texto": "Maní", "sistema": "snomed", "codigo": "762952008"}, "criticidad": "baja"}
    anaphylaxis = {"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}
    told = {
        "bajo riesgo": peanut,
        "no se sabe si es grave": peanut | {"autoinyector": True},
        "": peanut | {"reacciones": [anaphylaxis], "autoinyector": True},
    }
    for words, allergy in told.items():
        bundle = summary_of({"alergiasa": {"alergias": [allergy]}})
        assert first(bundle, "AllergyIntolerance").get("criticality") == ("low" if words == "bajo riesgo" else None)
        narrative = section(bundle, ALLERGIES)["text"]["div"]
        assert [words] == [one for one in told if one and one in narrative] or not words
        assert "mortal" not in narrative and ("bajo riesgo" in narrative) is (words == "bajo riesgo")
        [fact] = [fact for fact in read_bundle(bundle, "es", NOW.date()).facts if fact.field]
        assert fact.value["criticidad"] == "baja"
    severe = summary_of({"alergiasa": {"alergias": [peanut | {"criticidad": "alta"}]}})
    assert "grave: puede ser mortal" in section(severe, ALLERGIES)["text"]["div"]
