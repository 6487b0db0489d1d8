"""The shared shapes: terms with codes, why a list is empty, phones, periods."""

import csv
from pathlib import Path
from typing import Any

import pytest

from ficha.fmd.model_parts import CodedFact, Sistema, is_well_formed
from ficha.fmd.terms import lookup
from tests.fmd.documents import model_named, refusals, stored_form

REFERENCE = Path(__file__).parents[3] / "shared" / "terms"


def _condition(**term: str) -> dict[str, Any]:
    return {"condiciones": [{"condicion": {"texto": "Epilepsia", **term}}]}


def test_text_alone_is_a_term() -> None:
    assert stored_form("salud", _condition())["condiciones"][0]["condicion"] == {"texto": "Epilepsia"}


def test_a_code_and_its_system_go_together() -> None:
    here = "/condiciones/0/condicion"
    assert refusals("salud", _condition(codigo="84757009")) == {f"{here}/sistema": "codigo_incompleto"}
    assert refusals("salud", _condition(sistema="snomed")) == {f"{here}/codigo": "codigo_incompleto"}
    stored_form("salud", _condition(sistema="snomed", codigo="84757009"))


@pytest.mark.parametrize(
    ("sistema", "good", "bad"),
    [
        ("snomed", "84757009", "84757008"),  # The check digit.
        ("snomed", "762952008", "769252008"),  # Two neighbours changed places.
        ("atc", "J01CE08", "J01CE8"),
        ("atc", "B01A", "b01a"),
        ("cvx", "08", "8888"),
        ("cie10", "E10.9", "10E"),
        ("loinc", "48765-2", "48765"),
    ],
)
def test_a_code_outside_our_catalogue_must_look_like_one(sistema: str, good: str, bad: str) -> None:
    stored_form("salud", _condition(sistema=sistema, codigo=good))
    wrong = refusals("salud", _condition(sistema=sistema, codigo=bad))
    assert wrong == {"/condiciones/0/condicion/codigo": "codigo_mal_formado"}


def test_a_known_code_speaks_three_languages() -> None:
    assert lookup("snomed", "84757009") == ("Epilepsia", "Epilepsy", "Epilepsia")
    assert lookup("snomed", "1") is None


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference lists are not here")
@pytest.mark.parametrize(("sistema", "file"), [("snomed", "snomed-gps"), ("atc", "atc"), ("cvx", "cvx")])
def test_every_published_code_is_well_formed(sistema: str, file: str) -> None:
    with (REFERENCE / f"{file}.csv").open(encoding="utf-8", newline="") as stream:
        codes = [row["codigo"] for row in csv.DictReader(stream)]
    system = next(each for each in Sistema if each == sistema)
    assert [code for code in codes if not is_well_formed(system, code)] == []


def test_absence_is_data_while_the_list_is_empty() -> None:
    assert stored_form("alergiasa", {"ausencia": "ninguna_conocida"}) == {"ausencia": "ninguna_conocida"}
    assert stored_form("alergiasa", {"alergias": [], "ausencia": "no_preguntado"}) == {"ausencia": "no_preguntado"}
    peanut = {"agente": {"texto": "Maní"}}
    both = {"alergias": [peanut], "ausencia": "ninguna_conocida"}
    assert refusals("alergiasa", both) == {"/ausencia": "ausencia_con_datos"}


def test_each_list_has_its_own_absence() -> None:
    stored_form("salud", {**_condition(), "ausencia_cirugias": "ninguna_conocida"})
    wrong = {"cirugias": [{"texto": "Cesárea"}], "ausencia_cirugias": "ninguna_conocida"}
    assert refusals("salud", wrong) == {"/ausencia_cirugias": "ausencia_con_datos"}


def test_a_phone_is_kept_as_given_and_as_dialled() -> None:
    doctor = {"nombre": "Inés", "cod_telefono": "+58", "telefono": "04125551111", "telefono_e164": "+1"}
    stored = stored_form("personalsermed", {"medicos": [doctor]})["medicos"][0]
    assert (stored["telefono"], stored["telefono_e164"]) == ("04125551111", "+584125551111")


def test_a_phone_is_whole_and_can_be_dialled() -> None:
    def doctor(**phone: str) -> dict[str, Any]:
        return {"medicos": [{"nombre": "Inés", **phone}]}

    assert "telefono_e164" not in stored_form("personalsermed", doctor())["medicos"][0]
    half = refusals("personalsermed", doctor(telefono="4125551111"))
    assert half == {"/medicos/0/cod_telefono": "telefono_incompleto"}
    ambulance = refusals("personalsermed", doctor(cod_telefono="+58", telefono="0000"))
    assert ambulance == {"/medicos/0/telefono": "telefono_invalido"}


def test_a_period_does_not_end_before_it_begins() -> None:
    def taken(desde: str, hasta: str) -> dict[str, Any]:
        return {"medicamentos": [{"medicamento": {"texto": "X"}, "desde": desde, "hasta": hasta}]}

    stored_form("medicacion", taken("2020-05", "2020"))
    assert refusals("medicacion", taken("2020-05", "2020-04")) == {"/medicamentos/0/hasta": "fechas_al_reves"}


def test_a_repeated_value_is_refused() -> None:
    assert refusals("preferencia", {"canales": ["push", "push"]}) == {"/canales": "repetido"}


def test_languages_and_countries_are_written_in_their_usual_case() -> None:
    stored = stored_form(
        "personal", {"nombres": "A", "apellidos": "B", "idiomas": ["ES-ve", "ZH-hant"], "nacionalidad": "ve"}
    )
    assert (stored["idiomas"], stored["nacionalidad"]) == (["es-VE", "zh-Hant"], "VE")


def test_a_document_that_was_valid_can_still_be_read_years_later() -> None:
    """Reading knows nothing of today, of phone books or of the other models."""
    model_named("salud").read({"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2020-01-01"}})
    model_named("personal").read({"nombres": "A", "apellidos": "B", "cod_telefono": "+58", "telefono": "0000"})
    model_named("modulo").read({"modulos": {"retirado": True}})
    assert CodedFact.model_validate({"texto": "X", "confirmado_en": "2199-01-01"}).confirmado_en == "2199-01-01"
