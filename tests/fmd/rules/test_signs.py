"""Stop signs: the cases that each rule carries, and what holds for any record at all."""

import csv
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from ficha.fmd.rules.advice import advice_for
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import advice_table, conflict_table, sign_table
from ficha.fmd.rules.signs import SIGNS_VERSION, found_signs
from ficha.fmd.terms import lookup
from tests.fmd.documents import TODAY, example_of, stop_signs, stored_form
from tests.fmd.test_documents import json_values

TABLE = sign_table()
CASES = [(rule["id"], case) for rule in TABLE["rules"] for case in rule["cases"]]
REFERENCE = Path(__file__).parents[4] / "shared" / "terms"


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}: {case['title']}" for rule, case in CASES])
def test_a_rule_does_what_its_case_says(rule: str, case: dict[str, Any]) -> None:
    signs = [
        sign for sign in stop_signs(case["documents"], date.fromisoformat(TABLE["cases_today"])) if sign.rule == rule
    ]
    assert [sign.text.es for sign in signs] == ([case["says"]] if case["says"] else [])
    if "detail" in case:
        assert (signs[0].detail and signs[0].detail.es) == case["detail"]


@pytest.mark.parametrize(("rule", "case"), CASES, ids=[f"{rule}: {case['title']}" for rule, case in CASES])
def test_a_case_is_made_of_documents_that_could_be_stored(rule: str, case: dict[str, Any]) -> None:
    for wire, document in case["documents"].items():
        stored_form(wire, document)


def test_the_table_is_the_published_version() -> None:
    assert TABLE["version"] == SIGNS_VERSION
    assert [rule["id"] for rule in TABLE["rules"]] == [
        "alergia",
        "mastocitosis",
        "ventilador",
        "anticoagulado",
        "diabetes",
        "epilepsia",
        "dispositivo",
        "suprarrenal",
        "hipofisis",
        "sangrado",
        "embarazo",
        "arritmia",
        "qt_largo",
        "via_aerea",
        "opioide",
        "sin_bazo",
        "cancer_sangre",
        "defensas",
        "clozapina",
        "drepanocitosis",
        "varices",
        "valvula",
        "oxigeno",
        "nitratos",
        "imao",
        "feocromocitoma",
        "lesion_medular",
        "miastenia",
        "distrofia",
        "hipertermia",
        "porfiria",
        "g6pd",
        "espina_bifida",
        "voluntad",
        "comunicacion",
    ]


@pytest.mark.parametrize("rule", TABLE["rules"], ids=lambda rule: rule["id"])
def test_every_rule_carries_cases_for_and_against(rule: dict[str, Any]) -> None:
    assert any(case["says"] for case in rule["cases"])
    assert any(case["says"] is None for case in rule["cases"])
    assert all(all(line["words"][language] for language in ("es", "en", "pt")) for line in rule["lines"])


def _codes(value: Any) -> dict[str, str]:
    """Every code of the rules with its reference name; cases hold documents, not rules."""
    found: dict[str, str] = {}
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str) and (name.isdigit() or (name[1:3].isdigit() and "." not in name)):
                found[name] = inner
            elif name not in ("cases", "told_by", "advice", "cie10", "with_cie10"):
                found |= _codes(inner)
    elif isinstance(value, list):
        for inner in value:
            found |= _codes(inner)
    return found


def test_every_code_of_the_table_can_be_said_in_three_languages() -> None:
    codes = [code for code in _codes(TABLE) if code.isdigit()]
    assert len(codes) > 90
    assert [code for code in codes if not lookup("snomed", code)] == []


def test_a_surgery_tells_of_a_device_that_we_know() -> None:
    (rule,) = (rule for rule in TABLE["rules"] if rule["id"] == "dispositivo")
    device = rule["lines"][0]["any"][0]["device"]
    assert all(lookup("snomed", surgery, "salud") for surgery in device["told_by"])
    assert {*device["told_by"].values(), *device["tipos"].values()} <= device["codes"].keys()


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference lists are not here")
@pytest.mark.parametrize("table", [sign_table, advice_table, conflict_table], ids=["signs", "advice", "conflicts"])
def test_every_code_of_the_rules_means_what_it_says(table: Callable[[], Mapping[str, Any]]) -> None:
    known: dict[str, str] = {}
    for file, column in (("snomed-gps.csv", "display"), ("atc.csv", "name")):
        with (REFERENCE / file).open(encoding="utf-8", newline="") as stream:
            known |= {row["codigo"]: row[column].strip() for row in csv.DictReader(stream)}
    codes = _codes(table())
    assert codes and [code for code, name in codes.items() if known.get(code) != name] == []


LIFELONG = [(system, code) for system, codes in TABLE["lifelong"].items() for code in codes]


@pytest.mark.parametrize(("system", "code"), LIFELONG, ids=[code for _, code in LIFELONG])
def test_what_lasts_for_life_is_told_though_somebody_calls_it_resolved(system: str, code: str) -> None:
    term = {"texto": code, "sistema": system, "codigo": code}
    told = []
    for state in ({"estado": "resuelta"}, {}):
        record = RecordForRules({"salud": {"condiciones": [{"condicion": term, **state}]}}, TODAY)
        signs = found_signs(record).all
        told.append((signs, advice_for(record, signs)))
    assert told[0] == told[1] != ([], [])


LONGER = [(code, longer) for longer in TABLE["after_the_end"]["longer"] for code in longer["atc"]]
# Below a group that acts for a shorter time: what is asked of the group holds for the rest of it.
UNTIL = {code: longer["days"] for code, longer in LONGER}


@pytest.mark.parametrize(("code", "longer"), LONGER, ids=[code for code, _ in LONGER])
def test_what_the_body_still_feels_has_its_sign_until_its_last_day(code: str, longer: dict[str, Any]) -> None:
    def signs(days: int) -> list[str]:
        end = TODAY - timedelta(days=days)
        medicine = {"medicamento": {"texto": code, "sistema": "atc", "codigo": code}, "desde": "2020"}
        found = found_signs(RecordForRules({"medicacion": {"medicamentos": [{**medicine, "hasta": str(end)}]}}, TODAY))
        assert not found.unjudged
        return [sign.detail.es if sign.detail else "" for sign in found.all]

    last = signs(longer["days"])
    assert last and all("terminó en" in detail for detail in last)
    assert signs(longer["days"] + 1) == []
    assert longer["days"] == max(days for group, days in UNTIL.items() if code.startswith(group))


def peanut(name: str) -> dict[str, Any]:
    return {"agente": {"texto": name}, "criticidad": "alta"}


def test_each_severe_allergy_has_its_own_line_while_there_is_room() -> None:
    signs = stop_signs({"alergiasa": {"alergias": [peanut("Maní"), peanut("Huevo")]}}, TODAY)
    assert [sign.text.en for sign in signs] == ["Severe allergy: Maní", "Severe allergy: Huevo"]


def test_many_allergies_do_not_push_the_anticoagulant_off_the_page() -> None:
    documents = {
        "alergiasa": {"alergias": [peanut(f"Agente {number}") for number in range(8)]},
        "cardiologico": {"anticoagulado": True},
    }
    allergies, blood = stop_signs(documents, TODAY)
    assert allergies.text.es.endswith("Agente 4, Agente 5, +2")
    assert blood.text.pt == "Usa anticoagulante"


def test_a_record_with_everything_shows_six_most_dangerous_first() -> None:
    documents = {model.about.wire: example_of(model) for model in CATALOG}
    documents["salud"]["embarazo"]["estado"] = "embarazada"
    documents["consideracion"]["consideraciones"][0]["tipo"] = "no_verbal"
    rules = [sign.rule for sign in stop_signs(documents, TODAY)]
    assert rules == ["alergia", "anticoagulado", "diabetes", "epilepsia", "dispositivo", "embarazo"]


def test_a_long_name_is_cut() -> None:
    (sign,) = stop_signs({"alergiasa": {"alergias": [peanut("x" * 200)]}}, TODAY)
    assert len(sign.text.es) < 110


def test_what_the_owner_hid_raises_no_sign() -> None:
    documents = {
        "alergiasa": {"alergias": [peanut("Maní")]},
        "consentimiento": {"visibilidad": {"alergiasa": "B"}, "rechaza_transfusion": True},
    }
    assert [sign.rule for sign in stop_signs(visible_documents(documents, Door.R), TODAY)] == ["voluntad"]
    assert [sign.rule for sign in stop_signs(visible_documents(documents, Door.B), TODAY)] == ["alergia", "voluntad"]


def test_a_damaged_document_does_not_silence_the_others() -> None:
    documents = {"salud": "roto", "alergiasa": {"alergias": [None, 5, {"agente": []}, peanut("Maní")]}}
    assert [sign.text.es for sign in stop_signs(documents, TODAY)] == ["Alergia grave: Maní"]


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_no_record_is_so_damaged_that_it_raises(data: st.DataObject) -> None:
    documents: dict[str, Any] = {model.about.wire: example_of(model) for model in CATALOG}
    for _ in range(data.draw(st.integers(1, 4))):
        inside: Any = documents
        while True:
            place = data.draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside))))
            if not isinstance(inside[place], dict | list) or not inside[place] or data.draw(st.booleans()):
                inside[place] = data.draw(json_values)
                break
            inside = inside[place]
    signs = stop_signs(documents, TODAY)
    assert len(signs) <= 6 + 1  # And the line of allergies of unknown severity.
    assert all(isinstance(word, str) and word for sign in signs for word in (*sign.text, *sign.label))
    visible_documents(documents, Door.R)
