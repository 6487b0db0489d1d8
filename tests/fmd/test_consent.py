"""What each door shows, what the owner can move, and that doubt keeps it closed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from tests.fmd.documents import example_of, stored_form
from tests.fmd.test_documents import json_values

RECORD = {
    model.about.wire: stored_form(model, example_of(model)) for model in CATALOG if model.about.wire != "consentimiento"
}
ALL_DOORS = (Door.R, Door.B, Door.P)


def seen(door: Door, rules: Any = None, **documents: Any) -> dict[str, Any]:
    consent = {"consentimiento": {"visibilidad": rules}} if rules is not None else {}
    return visible_documents(RECORD | consent | documents, door)


def test_each_door_shows_the_models_of_its_kind() -> None:
    responder = {model.about.wire for model in CATALOG if model.about.door is Door.R}
    glass = {model.about.wire for model in CATALOG if model.about.door is not Door.P}
    assert seen(Door.R).keys() == responder
    assert seen(Door.B).keys() == glass
    assert seen(Door.P) == RECORD


def test_single_fields_have_doors_of_their_own() -> None:
    hidden = {"documento_numero", "direccion", "cod_telefono", "telefono", "telefono_e164", "correo"}
    assert RECORD["personal"].keys() - seen(Door.R)["personal"].keys() == hidden
    assert RECORD["representante"].keys() - seen(Door.R)["representante"].keys() == {"documento"}
    assert seen(Door.B)["personal"] == RECORD["personal"]


def test_the_owner_moves_a_model() -> None:
    assert "salud" not in seen(Door.R, {"salud": "B"})
    assert "salud" in seen(Door.B, {"salud": "B"})
    assert "salud" not in seen(Door.B, {"salud": "P"})
    assert "vacuna" in seen(Door.R, {"vacuna": "R"})


def test_opening_a_model_does_not_open_its_private_fields() -> None:
    assert "documento_numero" not in seen(Door.R, {"personal": "R"})["personal"]


def test_the_owner_moves_a_single_fact() -> None:
    allergy = RECORD["alergiasa"]["alergias"][0]
    hidden = {f"alergiasa/{allergy['id']}": "P"}
    assert "alergiasa" not in seen(Door.B, hidden)
    dose = RECORD["vacuna"]["vacunas"][0]
    assert seen(Door.R, {f"vacuna/{dose['id']}": "R"})["vacuna"] == {"vacunas": [dose]}


def test_wishes_about_treatment_are_shown_and_the_rest_of_the_consent_is_not() -> None:
    consent = example_of(next(model for model in CATALOG if model.about.wire == "consentimiento"))
    shown = visible_documents({"consentimiento": consent}, Door.R)["consentimiento"]
    assert shown.keys() == {"voluntad_anticipada", "rechaza_transfusion", "donante_organos"}
    consent["visibilidad"] = {"consentimiento": "P"}
    assert visible_documents({"consentimiento": consent}, Door.B) == {}


@pytest.mark.parametrize("garbage", ["r", "", None, 5, [], {}, "PP"])
def test_a_rule_that_cannot_be_read_closes(garbage: Any) -> None:
    assert "salud" not in seen(Door.B, {"salud": garbage})
    allergy = RECORD["alergiasa"]["alergias"][0]
    assert "alergiasa" not in seen(Door.B, {f"alergiasa/{allergy['id']}": garbage})


@pytest.mark.parametrize("garbage", ["roto", 5, [], True])
def test_a_consent_that_cannot_be_read_closes_everything(garbage: Any) -> None:
    assert seen(Door.B, garbage) == {}
    assert visible_documents(RECORD | {"consentimiento": garbage}, Door.B) == {}
    assert visible_documents(RECORD | {"consentimiento": garbage}, Door.P).keys() >= RECORD.keys()


def test_a_fact_without_a_name_is_hidden_once_single_facts_are() -> None:
    nameless = {"alergias": [{"agente": {"texto": "Maní"}}]}
    assert "alergiasa" in seen(Door.R, alergiasa=nameless)
    assert "alergiasa" not in seen(Door.R, {"alergiasa/AAAAAAAA": "P"}, alergiasa=nameless)


def test_fields_that_we_no_longer_know_are_for_the_owner_only() -> None:
    old = RECORD["salud"] | {"antiguo": "secreto"}
    assert "secreto" not in repr(seen(Door.B, salud=old))
    assert seen(Door.P, salud=old)["salud"] == old


KEYS = [*CATALOG.names, *(f"{wire}/{fact['id']}" for wire, document in RECORD.items() for value in document.values()
        if isinstance(value, list) for fact in value if isinstance(fact, dict) and "id" in fact)]  # fmt: skip
rules = st.dictionaries(st.sampled_from(KEYS), st.sampled_from("RBP") | json_values, max_size=12)


def _atoms(value: Any, path: str = "") -> set[str]:
    if isinstance(value, dict):
        return {atom for name, inner in value.items() for atom in _atoms(inner, f"{path}/{name}")}
    if isinstance(value, list):
        return {
            atom
            for inner in value
            for atom in _atoms(inner, f"{path}/{inner.get('id') if isinstance(inner, dict) else ''}")
        }
    return {f"{path}={value!r}"}


@pytest.mark.slow
@settings(max_examples=150)
@given(rules)
def test_a_deeper_door_never_shows_less_and_none_shows_what_is_not_there(chosen: dict[str, Any]) -> None:
    at = {door: _atoms(seen(door, chosen)) for door in ALL_DOORS}
    assert at[Door.R] <= at[Door.B] <= at[Door.P]


@pytest.mark.slow
@settings(max_examples=150)
@given(rules)
def test_what_the_owner_closed_is_closed(chosen: dict[str, Any]) -> None:
    for door in (Door.R, Door.B):
        shown = seen(door, chosen)
        for wire, document in shown.items():
            model_rule = chosen.get(wire, "R")
            facts = [
                fact
                for value in document.values()
                if isinstance(value, list)
                for fact in value
                if isinstance(fact, dict)
            ]
            for fact in facts:
                rule = chosen.get(f"{wire}/{fact['id']}", model_rule) if "id" in fact else model_rule
                assert rule in ("R", door)
            if not facts:
                assert model_rule in ("R", door)
