"""What we write as FHIR is read back whole."""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.exchange.imports.documents import read_bundle
from ficha.exchange.imports.proposals import ProposedFact, read_facts
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fhir_parts import FhirWriter
from ficha.fmd.fhir_reading import FhirReader
from ficha.fmd.from_fhir.catalog import FROM_FHIR
from tests.exchange.samples import BASE, NOW, RECORDS, WHOLE, any_record, stored, summary_of

TODAY = date(2026, 11, 18)
# What FHIR does not get from us (docs/fhir.md), and what the server computes.
NEVER_WRITTEN = {
    "personal": {"foto_id"},
    "consentimiento": {"visibilidad", "comparte_ubicacion", "acepta_terminos"},
    "estudiante": {"autorizados_retirar"},
    "preferencia": {"zona_horaria", "canales", "unidades", "aviso_por_lectura", "recordatorios"},
}
NOT_IN_FACTS = {"id", "telefono_e164", "canales"}


def test_every_model_that_writes_itself_is_read_back() -> None:
    written = {model.about.wire for model in CATALOG if model.to_fhir is not FmdModel.to_fhir}
    assert written == set(FROM_FHIR)


def _read_back(documents: Mapping[str, Any]) -> list[ProposedFact]:
    """Through the resources that the models write, all of them: what the owner hides is not asked here."""
    writer = FhirWriter(BASE, 7, "es", TODAY.isoformat(), has_guardian="representante" in documents)
    entries = []
    patient: dict[str, Any] = {"resourceType": "Patient"}
    for wire, document in documents.items():
        model = CATALOG.find(wire)
        assert model is not None
        for entry in model.read(document).to_fhir(writer):
            if entry.key == "patient" and entry.resource:
                for name, value in entry.resource.items():
                    patient[name] = [*patient.get(name, []), *value] if isinstance(value, list) else value
            elif entry.resource:
                entries.append((writer.url(entry.key), entry.resource))
    facts, left = read_facts(FhirReader([(writer.url("patient"), patient), *entries], "es", TODAY))
    assert left == []
    return facts


def _joined(facts: list[ProposedFact]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for fact in facts:
        document = found.setdefault(fact.model, {})
        if fact.field:
            document.setdefault(fact.field, []).append(fact.value)
        else:
            document |= fact.value
    return found


def _expected(documents: Mapping[str, Any]) -> dict[str, Any]:
    expected = {}
    for wire, document in documents.items():
        kept = {name: value for name, value in document.items() if name not in NEVER_WRITTEN.get(wire, ())}
        kept = {name: value for name, value in kept.items() if not name.startswith("ausencia")}
        kept = {name: _plain(value) for name, value in kept.items() if name not in NOT_IN_FACTS}
        if wire == "personal" and "documento_numero" not in kept:
            kept.pop("documento_tipo", None)  # A kind of document without its number.
        if wire == "estudiante" and "institucion" not in kept:
            kept = {}
        if wire == "consentimiento" and kept.get("voluntad_anticipada"):
            kept["voluntad_anticipada"].pop("documento_id", None)
        if wire == "salud" and kept.get("embarazo", {}).get("estado") == "no_embarazada":
            kept["embarazo"].pop("fecha_probable_parto", None)
        kept = {name: value for name, value in kept.items() if value not in ({}, [])}
        if kept and wire in FROM_FHIR:
            expected[wire] = kept
    return expected


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {name: one for name, one in value.items() if name not in NOT_IN_FACTS} if isinstance(value, dict) else value


@given(any_record())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_fact_is_lost_on_the_way_there_and_back(record: dict[str, Any]) -> None:
    documents = stored(record)
    found, expected = _joined(_read_back(documents)), _expected(documents)
    spoken = found.get("personal", {}).get("idiomas", [])
    if spoken and (preferred := documents.get("preferencia", {}).get("idioma")):
        # A language that is preferred is spoken too.
        expected.setdefault("personal", {}).setdefault("idiomas", [])
        assert set(spoken) == {*expected["personal"]["idiomas"], preferred}
        expected["personal"]["idiomas"] = spoken
    assert found == expected


@pytest.mark.parametrize("language", ["es", "en", "pt"])
@pytest.mark.parametrize("name", sorted(RECORDS))
def test_the_whole_document_is_read_back(name: str, language: str) -> None:
    assert_whole(RECORDS[name], language)


@given(any_record(), st.sampled_from(["es", "en", "pt"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_document_of_any_record_is_read_back(record: dict[str, Any], language: str) -> None:
    assert_whole(record, language)


HIDEABLE = ("alergiasa", "alergiasm", "cardiologico", "cuerpo", "medicacion", "salud", "vacuna")


@given(any_record(), st.sets(st.sampled_from(HIDEABLE), min_size=1))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_she_hides_does_not_come_back_and_the_rest_does(record: dict[str, Any], hidden: set[str]) -> None:
    shown = {wire: document for wire, document in record.items() if wire not in hidden}
    found = assert_whole(record | {"consentimiento": {"visibilidad": dict.fromkeys(hidden, "P")}}, "es", shown)
    assert not hidden & found.keys()


def assert_whole(record: Mapping[str, Any], language: str, shown: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """No fact of what is shown is lost, and nothing is said to be absent of which the record does not say so."""
    shown = record if shown is None else shown
    document = read_bundle(summary_of(record, language), language, NOW.date())
    assert list(document.not_taken) == []
    found = _joined(list(document.facts))
    assert "Ficha" in document.authors
    for wire, expected in _expected(stored(shown)).items():
        if wire not in ("estudiante", "poliza", "preferencia", "consentimiento"):
            assert _without_absences(found.get(wire, {})) == _without_absences(expected)
    for wire, told in found.items():
        absent = {name: why for name, why in told.items() if why == "ninguna_conocida"}
        assert absent.items() <= shown.get(wire, {}).items()
    return found


def _without_absences(document: Mapping[str, Any]) -> dict[str, Any]:
    """Nor languages: what is preferred is spoken."""
    return {name: value for name, value in document.items() if name != "idiomas" and not name.startswith("ausencia")}


@pytest.mark.parametrize("answer", [True, False])
def test_wishes_are_read_back_also_as_they_were_written_before(answer: bool) -> None:
    wishes = {"rechaza_transfusion": answer, "donante_organos": answer}
    bundle = summary_of({"personal": RECORDS["small"]["personal"], "consentimiento": wishes})
    earlier = json.dumps(bundle, ensure_ascii=False)
    for code, before in (("transfusion", "rechaza_transfusion"), ("donacion_organos", "donante_organos")):
        earlier = earlier.replace(f'"code": "{code}"', f'"code": "{before}"')
    assert "rechaza_transfusion" in earlier
    for document in (bundle, json.loads(earlier)):
        assert _joined(list(read_bundle(document, "es", NOW.date()).facts))["consentimiento"] == wishes


def test_absences_are_read_back() -> None:
    document = read_bundle(summary_of(RECORDS["none known"]), "es", NOW.date())
    found = _joined(list(document.facts))
    for wire in ("alergiasa", "alergiasm", "medicacion", "vacuna", "salud"):
        assert found[wire]["ausencia"] == "ninguna_conocida"
    assert found["cardiologico"]["ausencia_antecedentes"] == "ninguna_conocida"
    asked = _joined(list(read_bundle(summary_of(RECORDS["not asked"]), "es", NOW.date()).facts))
    assert asked["alergiasm"] == asked["alergiasa"] == asked["medicacion"] == {"ausencia": "no_preguntado"}


def test_stop_signs_are_not_read_back() -> None:
    bundle = summary_of(WHOLE)
    flags = [one for one in bundle["entry"] if one["resource"]["resourceType"] == "Flag"]
    document = read_bundle(bundle, "es", NOW.date())
    considered = [fact for fact in document.facts if fact.model == "consideracion"]
    assert len(flags) > len(considered) + 1
    assert len(considered) == 1
