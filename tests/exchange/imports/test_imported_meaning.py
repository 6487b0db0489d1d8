"""What a hospital calls over, old or severe means the same once it is in the record."""

from typing import Any

from ficha.fmd.fhir_codes import LOINC, SNOMED, SYSTEMS, TERMINOLOGY
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import found_signs
from tests.exchange.imports.test_imports import bundle, decide, import_document, proposals, stored
from tests.exchange.samples import summary_of
from tests.world import Person, World

BORN = {"birthDate": "2012-05-03"}


def coded(system: str, code: str, words: str = "") -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code, "display": words}]}


def left_out(answer: Any) -> list[str]:
    [document] = answer.json()["data"]["attributes"]["documentos"]
    return [one["motivo"] for one in document["no_tomado"]]


def accepted(world: World, model: str, *resources: dict[str, Any], **patient: Any) -> tuple[dict[str, Any], list[str]]:
    """What the record of somebody new says after she accepted what concerns a model, and why the rest was not taken."""
    luis = world.register(nombre="Luis")
    made = import_document(luis, bundle(*resources, **patient))
    chosen = [one["numero"] for one in proposals(made) if one["modelo"] == model]
    answer = decide(luis, made, "accept", chosen, misma_persona=True)
    assert answer.status_code == 200, answer.text
    return stored(luis, model), left_out(made)


def signs(world: World, **documents: Any) -> list[str]:
    return [sign.rule for sign in found_signs(RecordForRules(documents, world.clock.now().date())).all]


def condition(state: str, **more: Any) -> dict[str, Any]:
    told = coded(f"{TERMINOLOGY}condition-clinical", state)
    return {
        "resourceType": "Condition",
        "clinicalStatus": told,
        "code": coded(SNOMED, "28293008", "Hemophilia A"),
        **more,
    }


def test_a_disease_without_symptoms_keeps_its_sign(world: World) -> None:
    for state in ("inactive", "remission"):
        salud, _ = accepted(world, "salud", condition(state))
        assert salud["condiciones"][0]["estado"] == "controlada"
        assert signs(world, salud=salud) == ["sangrado"]
    for over in (condition("resolved"), condition("inactive", abatementDateTime="2020")):
        salud, _ = accepted(world, "salud", over)
        assert salud["condiciones"][0]["estado"] == "resuelta"


def verified(kind: str, certainty: str) -> dict[str, Any]:
    return {"verificationStatus": coded(f"{TERMINOLOGY}{kind}", certainty)}


def test_a_suspected_disease_is_none(world: World, ana: Person) -> None:
    for certainty in ("unconfirmed", "provisional", "differential"):
        told = condition("active", **verified("condition-ver-status", certainty))
        assert left_out(import_document(ana, bundle(told))) == ["sin_confirmar"]
    salud, _ = accepted(world, "salud", condition("active", **verified("condition-ver-status", "confirmed")))
    assert signs(world, salud=salud) == ["sangrado"]


def test_an_allergy_counts_until_it_is_ruled_out(world: World, ana: Person) -> None:
    """Most that people tell are never confirmed."""
    told = allergy("high", "severe")
    unsure = (
        told | verified("allergyintolerance-verification", "unconfirmed") | {"note": [{"text": "A los seis años."}]}
    )
    found, _ = accepted(world, "alergiasm", unsure)
    assert found["alergias"][0]["notas"] == "Sin confirmar.\nA los seis años."
    assert signs(world, alergiasm=found) == ["alergia"]
    refuted = told | verified("allergyintolerance-verification", "refuted")
    assert left_out(import_document(ana, bundle(refuted))) == ["descartado"]


def test_that_there_is_nothing_is_doubted_as_well(ana: Person) -> None:
    none = {"resourceType": "AllergyIntolerance", "code": coded(SNOMED, "716186003", "No known allergy")}
    for more, why in (
        (verified("allergyintolerance-verification", "entered-in-error"), "descartado"),
        ({"patient": {"reference": "Patient/somebody-else"}}, "otra_persona"),
    ):
        made = import_document(ana, bundle(none | more))
        assert left_out(made) == [why] and proposals(made) == []


def allergy(criticality: str | None, *severities: str) -> dict[str, Any]:
    reactions = [{"severity": one, "manifestation": [coded(SNOMED, "247472004", "Wheal")]} for one in severities]
    told = {"criticality": criticality} if criticality else {}
    code = coded(SNOMED, "764146007", "Penicillin")
    return {
        "resourceType": "AllergyIntolerance",
        "category": ["medication"],
        "code": code,
        "reaction": reactions,
        **told,
    }


def test_an_allergy_with_a_severe_reaction_is_severe(world: World) -> None:
    for criticality in ("low", "unable-to-assess", None):
        found, _ = accepted(world, "alergiasm", allergy(criticality, "mild", "severe"))
        assert found["alergias"][0]["criticidad"] == "alta"
        assert "alergia" in signs(world, alergiasm=found)
    found, _ = accepted(world, "alergiasm", allergy("low", "moderate"))
    assert found["alergias"][0]["criticidad"] == "baja"


def test_an_intolerance_is_told_to_be_one(world: World) -> None:
    """And is one that may kill until the document says that it cannot."""
    lactose = {"category": ["food"], "code": {"text": "Lactosa"}, "type": "intolerance"}
    noted = {"notas": "Anotada como intolerancia."}
    for criticality, kept in ((None, noted), ("low", noted | {"criticidad": "baja"}), ("high", {"criticidad": "alta"})):
        found, _ = accepted(world, "alergiasa", allergy(criticality) | lactose)
        assert kept.items() <= found["alergias"][0].items()
        assert ("notas" in found["alergias"][0]) is ("notas" in kept)
    found, _ = accepted(world, "alergiasm", allergy(None) | {"type": "intolerance"})
    assert "notas" not in found["alergias"][0]


def medicine(atc: str, status: str, **more: Any) -> dict[str, Any]:
    concept = coded(SYSTEMS["atc"], atc, atc)
    return {"resourceType": "MedicationStatement", "status": status, "medicationCodeableConcept": concept, **more}


def test_a_stopped_medicine_has_ended_whatever_end_was_planned(world: World) -> None:
    planned = {"effectivePeriod": {"start": "2020", "end": "2030-01-01"}}
    for more, until in (({}, "2026-11-15"), ({"dateAsserted": "2026-06-01"}, "2026-06-01")):
        found, _ = accepted(world, "medicacion", medicine("B01AA03", "stopped", **planned, **more))
        assert found["medicamentos"][0]["hasta"] == until
    # One that is over keeps the end it names; one that is taken, the end that is planned.
    over = {"effectivePeriod": {"start": "2020", "end": "2021-02"}, "dateAsserted": "2026-06-01"}
    found, _ = accepted(world, "medicacion", medicine("B01AA03", "completed", **over))
    assert found["medicamentos"][0]["hasta"] == "2021-02"
    found, _ = accepted(world, "medicacion", medicine("B01AA03", "active", **planned))
    assert found["medicamentos"][0]["hasta"] == "2030-01-01"


def test_a_stopped_medicine_never_counts_as_taken(world: World, ana: Person) -> None:
    """Nor where its dates make no sense: the record would leave out the end."""
    backwards = {"effectivePeriod": {"start": "2025-01-01", "end": "2024-01-01"}, "dateAsserted": "2023-01-01"}
    found, _ = accepted(world, "medicacion", medicine("B01AA03", "stopped", **backwards))
    assert found["medicamentos"][0]["hasta"] == "2026-11-15"
    tomorrow = {"effectivePeriod": {"start": "2027-01-01", "end": "2027-03-01"}}
    assert left_out(import_document(ana, bundle(medicine("B01AA03", "cancelled", **tomorrow)))) == ["terminado"]


def test_stopped_steroids_without_an_end_still_count(world: World, ana: Person) -> None:
    since = {"effectivePeriod": {"start": "2020"}, "dateAsserted": "2026-11-10"}
    found, _ = accepted(world, "medicacion", medicine("H02AB07", "stopped", **since))
    assert found["medicamentos"][0]["hasta"] == "2026-11-10"
    assert signs(world, medicacion=found) == ["suprarrenal"]
    # Of others nobody asks when it was.
    assert left_out(import_document(ana, bundle(medicine("J01CA04", "stopped", **since)))) == ["terminado"]


def test_a_paused_medicine_is_not_taken(world: World, ana: Person) -> None:
    """As one that was stopped: it is felt for some time, if it is one of those."""
    found, _ = accepted(world, "medicacion", medicine("B01AA03", "on-hold", dateAsserted="2026-11-01"))
    assert found["medicamentos"][0]["hasta"] == "2026-11-01"
    assert signs(world, medicacion=found) == []
    for since in ({}, {"effectiveDateTime": "2024"}):
        assert left_out(import_document(ana, bundle(medicine("A10AB01", "on-hold", **since)))) == ["terminado"]


def test_a_medicine_that_is_only_meant_is_not_taken(world: World, ana: Person) -> None:
    for more in ({}, {"effectivePeriod": {"start": "2026-10-01"}}, {"effectiveDateTime": "2026"}):
        assert left_out(import_document(ana, bundle(medicine("H02AB07", "intended", **more)))) == ["no_hecho"]
    ordered = medicine("H02AB07", "active") | {"resourceType": "MedicationRequest"}
    for told in ({"doNotPerform": True}, {"intent": "proposal"}):
        assert left_out(import_document(ana, bundle({**ordered, **told}))) == ["no_hecho"]
    found, _ = accepted(world, "medicacion", medicine("H02AB07", "intended", effectivePeriod={"start": "2026-12-01"}))
    assert found["medicamentos"][0]["desde"] == "2026-12-01"


def test_a_medicine_that_a_ficha_wrote_for_later_has_begun_by_its_date(world: World, ana: Person) -> None:
    wrote = summary_of({"medicacion": {"medicamentos": [{"medicamento": {"texto": "Gotas"}, "desde": "2026-12-01"}]}})
    statements = [one["resource"] for one in wrote["entry"] if one["resource"]["resourceType"] == "MedicationStatement"]
    assert [one["status"] for one in statements] == ["intended"]
    world.clock.move(days=30)
    ana.data["attributes"]["token"] = world.token_for(ana.id)
    [kept] = [one["valor"] for one in proposals(import_document(ana, wrote)) if one["modelo"] == "medicacion"]
    assert kept["desde"] == "2026-12-01"


def taken(world: World, *dosages: dict[str, Any]) -> dict[str, Any]:
    """How a medicine is taken, after it was brought with these dosages."""
    found, _ = accepted(world, "medicacion", medicine("B01AA03", "active", dosage=list(dosages)))
    [kept] = found["medicamentos"]
    return {name: kept[name] for name in ("dosis", "via", "frecuencia") if name in kept}


def dose(value: float, **repeat: Any) -> dict[str, Any]:
    amount = {"doseQuantity": {"value": value, "unit": "mg"}}
    return {"doseAndRate": [amount], "timing": {"repeat": repeat}, "route": {"text": "oral"}}


def test_all_dosages_are_kept_whole(world: World) -> None:
    """Nobody reads that all of it is taken each day."""
    told = taken(world, {"text": "5 mg lun-mie-vie"}, {"text": "2,5 mg los demás días"})
    assert told == {"dosis": "5 mg lun-mie-vie; 2,5 mg los demás días"}
    some_days = dose(5, frequency=1, period=1, periodUnit="d", dayOfWeek=["mon", "fri"])
    told = taken(world, some_days, dose(2.5, when=["HS"], boundsDuration={"value": 5, "unit": "d"}))
    assert told == {"dosis": "5 mg, 1 × / 1 d, lun, vie; 2.5 mg, al acostarse, (5 d)", "via": "oral"}
    told = taken(world, {"text": "1 mg", "route": {"text": "oral"}}, {"text": "2 mg", "route": {"text": "nasal"}})
    assert told == {"dosis": "1 mg, oral; 2 mg, nasal"}
    steps = [{"text": f"Semana {week}: {40 - week} mg cada mañana"} for week in range(1, 20)]
    cut = taken(world, *steps)["dosis"]
    assert len(cut) <= 200 and cut.endswith("mg cada mañana; …")


def test_a_range_and_as_needed_are_kept(world: World) -> None:
    low, high = {"value": 1, "unit": "mg"}, {"value": 2, "unit": "mg"}
    eight = {"timing": {"repeat": {"frequency": 1, "period": 8, "periodUnit": "h"}}, "asNeededBoolean": True}
    for amount, told in (
        ({"doseRange": {"low": low, "high": high}}, "1 – 2 mg"),
        ({"doseRange": {"high": high}}, "≤ 2 mg"),
        ({"doseRange": {"low": {"value": 500, "unit": "µg"}, "high": high}}, "500 µg – 2 mg"),
        ({"rateRatio": {"numerator": high, "denominator": {"value": 1, "unit": "h"}}}, "2 mg / 1 h"),
    ):
        assert taken(world, {"doseAndRate": [amount], **eight}) == {
            "dosis": told,
            "frecuencia": "1 × / 8 h, si hace falta",
        }
    for_pain = taken(world, {"text": "1 mg", "asNeededCodeableConcept": {"text": "dolor"}})
    assert for_pain == {"dosis": "1 mg", "frecuencia": "si hace falta: dolor"}
    assert taken(world, {"text": "1 mg", "asNeededBoolean": False}) == {"dosis": "1 mg"}


def test_what_a_modifier_changes_is_not_taken(world: World, ana: Person) -> None:
    """It may say that all of it is not so, and only its writer knows."""
    changed = {"modifierExtension": [{"url": "https://hospital.example/not", "valueBoolean": True}]}
    insulin = medicine("A10AB01", "active")
    for told in (
        insulin | changed,
        insulin | {"dosage": [{"text": "10 U", **changed}]},
        {**allergy("high"), "reaction": [{"manifestation": [coded(SNOMED, "39579001")], **changed}]},
        {"resourceType": "AllergyIntolerance", "code": coded(SNOMED, "716186003", "No known allergy"), **changed},
    ):
        made = import_document(ana, bundle(told))
        assert left_out(made) == ["sentido_cambiado"] and proposals(made) == []
    named = {"resourceType": "Medication", "id": "m", "code": insulin["medicationCodeableConcept"], **changed}
    reference = {"medicationReference": {"reference": "Medication/m"}}
    told = {"resourceType": "MedicationStatement", "status": "active", **reference}
    assert left_out(import_document(ana, bundle(told, named))) == ["sin_nombre"]
    found, _ = accepted(world, "medicacion", insulin | {"modifierExtension": []})
    assert signs(world, medicacion=found) == ["diabetes"]


def observed(code: str, day: str | None, **value: Any) -> dict[str, Any]:
    dated = {"effectiveDateTime": day} if day else {}
    return {"resourceType": "Observation", "status": "final", "code": coded(LOINC, code), **dated, **value}


def pregnant(day: str | None) -> dict[str, Any]:
    return observed("82810-3", day, valueCodeableConcept=coded(SNOMED, "77386006", "Pregnant"))


def due(day: str, seen: str | None = None) -> dict[str, Any]:
    return observed("11778-8", seen, valueDateTime=day)


def test_an_earlier_pregnancy_is_not_this_one(world: World, ana: Person) -> None:
    for told in ([pregnant("2019-03-01"), due("2015-05-01", "2015-01-01")], [pregnant(None), due("2019-05-01")]):
        assert left_out(import_document(ana, bundle(*told))) == ["anticuado", "anticuado"]
    salud, left = accepted(world, "salud", pregnant("2026-10-01"), due("2027-05-01"), due("2015-05-01", "2015-01-01"))
    assert salud["embarazo"] == {"estado": "embarazada", "fecha_probable_parto": "2027-05-01"}
    assert left == ["anticuado"]
    salud, _ = accepted(world, "salud", pregnant(None))
    assert salud["embarazo"] == {"estado": "embarazada"}


def test_a_pregnancy_by_the_answers_of_loinc(world: World, ana: Person) -> None:
    """As earlier versions of the IPS ask for."""
    for answer, state in (("LA15173-0", "embarazada"), ("LA26683-5", "no_embarazada")):
        told = observed("82810-3", "2026-10-01", valueCodeableConcept=coded(LOINC, answer))
        salud, _ = accepted(world, "salud", told)
        assert salud["embarazo"] == {"estado": state}
    unknown = observed("82810-3", "2026-10-01", valueCodeableConcept=coded(LOINC, "LA4489-6", "Unknown"))
    assert left_out(import_document(ana, bundle(unknown))) == ["no_se_entiende"]


def weight(day: str | None, value: float, **unit: str) -> dict[str, Any]:
    return observed("29463-7", day, valueQuantity={"value": value, **unit})


KILOS = {"unit": "kg", "code": "kg"}


def test_the_weight_of_a_child_is_that_of_now(world: World, ana: Person) -> None:
    """The record keeps no date of it, and doses go by it."""
    old, pounds = weight("2016-01-01", 8.2, **KILOS), weight("2026-10-20", 55, unit="lb", system="x")
    cuerpo, left = accepted(world, "cuerpo", old, pounds, weight("2017-01-01", 8200, unit="g"), **BORN)
    assert cuerpo == {"peso_kg": 24.9} and left == ["ya_hay_otro", "ya_hay_otro"]
    for told in (bundle(old, **BORN), bundle(old), bundle(weight("2026-08-01", 9, **KILOS), birthDate="2025-10-01")):
        assert left_out(import_document(ana, told)) == ["anticuado"]
    for told in (weight("2016-01-01", 61, **KILOS), weight(None, 61, **KILOS)):
        cuerpo, _ = accepted(world, "cuerpo", told, birthDate="1980-05-03")
        assert cuerpo == {"peso_kg": 61}


def wish(provision: dict[str, Any] | None, code: str = "acd", words: str = "Blood transfusion") -> dict[str, Any]:
    told = {"provision": provision} if provision else {}
    category = coded(f"{TERMINOLOGY}consentcategorycodes", code, words)
    scope = coded(f"{TERMINOLOGY}consentscope", "adr")
    return {"resourceType": "Consent", "status": "active", "scope": scope, "category": [category], **told}


def test_a_wish_says_what_it_allows_and_what_not(world: World) -> None:
    """In the language of whoever brings it."""
    surgery, dialysis = ({"code": [{"text": words}]} for words in ("Surgery", "Dialysis"))
    for told, resumen in (
        (wish(None), "Blood transfusion"),
        (wish({"type": "permit"}), "Permite: Blood transfusion"),
        (wish({"type": "deny"}), "No permite: Blood transfusion"),
        (wish({"type": "deny", **surgery}, words="My wishes"), "My wishes. No permite: Surgery"),
        (
            wish({"type": "permit", **surgery, "provision": [{"type": "deny", **dialysis}]}, words="My wishes"),
            "My wishes. Permite: Surgery. No permite: Dialysis",
        ),
        (
            wish({"type": "permit", "provision": [{"type": "deny", "purpose": []}]}),
            "Permite: Blood transfusion. Con excepciones que solo dice el documento",
        ),
        # No denial of a denial.
        (wish({"type": "deny"}, "dnr", "Do not resuscitate"), "Do not resuscitate"),
    ):
        found, _ = accepted(world, "consentimiento", told)
        assert found["voluntad_anticipada"]["resumen"] == resumen
    luis = world.register(nombre="Luis")
    for language, resumen in (("en", "Does not allow: Dialysis"), ("pt", "Não permite: Dialysis")):
        [one] = proposals(
            import_document(luis, bundle(wish({"type": "deny"}, words="Dialysis"), id=language), language=language)
        )
        assert one["valor"]["voluntad_anticipada"]["resumen"] == resumen
