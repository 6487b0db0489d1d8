"""What the server adds to a document: ids that stay, dates of new facts, and nothing that was not said."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import fact_ids, prepare_document
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.model_parts import Fuente
from tests.fmd.documents import NOW, TODAY, example_of, model_named, refusals, stored_form

PEANUT = {"agente": {"texto": "Maní"}}
EGG = {"agente": {"texto": "Huevo"}}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def test_a_new_fact_gets_an_id_and_is_confirmed_today() -> None:
    stored = prepare_document(model_named("alergiasa"), {"alergias": [PEANUT]}, None, NOW, fuente=Fuente.REPRESENTANTE)
    (fact,) = stored["alergias"]
    assert len(fact["id"]) == 8
    assert (fact["confirmado_en"], fact["fuente"]) == (TODAY.isoformat(), "representante")


def test_what_the_caller_says_about_a_new_fact_stays() -> None:
    said = PEANUT | {"confirmado_en": "2020-01-01", "fuente": "medico"}
    (fact,) = prepare_document(model_named("alergiasa"), {"alergias": [said]}, None, NOW, fuente=Fuente.TITULAR)[
        "alergias"
    ]
    assert (fact["confirmado_en"], fact["fuente"]) == ("2020-01-01", "medico")


def test_a_known_fact_keeps_its_id_and_is_not_confirmed_by_the_way() -> None:
    before = stored_form("alergiasa", {"alergias": [PEANUT | {"confirmado_en": "2020-01-01"}]})
    after = stored_form("alergiasa", {"alergias": [EGG, *before["alergias"]]}, before)
    assert after["alergias"][1] == before["alergias"][0]
    assert after["alergias"][0]["id"] != before["alergias"][0]["id"]


def changed(before: dict[str, Any], **to: Any) -> dict[str, Any]:
    """The one fact, written again by the family with these changes."""
    document = {"alergias": [before["alergias"][0] | to]}
    model = model_named("alergiasa")
    (fact,) = prepare_document(model, document, before, NOW, Fuente.TITULAR)["alergias"]
    return dict(fact)


def test_who_confirmed_what_a_fact_said_did_not_confirm_what_it_says_now() -> None:
    by_doctor = {"confirmado_en": "2020-01-01", "fuente": "medico"}
    before = stored_form("alergiasa", {"alergias": [PEANUT | by_doctor]})
    now_by_her = {"confirmado_en": TODAY.isoformat(), "fuente": "titular"}
    assert changed(before, criticidad="alta").items() >= now_by_her.items()
    assert changed(before, agente={"texto": "Nuez"}).items() >= now_by_her.items()
    assert changed(before, notas=None, reacciones=[]).items() >= by_doctor.items()  # As it was.


def test_a_date_or_source_that_is_changed_with_a_fact_stands() -> None:
    before = stored_form("alergiasa", {"alergias": [PEANUT | {"confirmado_en": "2020-01-01", "fuente": "medico"}]})
    again = changed(before, criticidad="alta", confirmado_en="2026-11-01")
    assert (again["confirmado_en"], again["fuente"]) == ("2026-11-01", "medico")
    school = changed(before, criticidad="alta", fuente="institucion")
    assert (school["confirmado_en"], school["fuente"]) == ("2020-01-01", "institucion")
    # The source alone is put right afterwards: that changes nothing that the fact says.
    assert changed(before, fuente="representante")["confirmado_en"] == "2020-01-01"


def test_the_order_of_calling_says_nothing_about_a_contact() -> None:
    person = {"nombre": "María", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    known = person | {"prioridad": 1, "confirmado_en": "2020-01-01", "fuente": "titular"}
    before = stored_form("emergencia", {"contactos": [known]})
    after = stored_form("emergencia", {"contactos": [before["contactos"][0] | {"prioridad": 2}]}, before)
    assert after["contactos"][0]["confirmado_en"] == "2020-01-01"


def test_ids_are_the_servers() -> None:
    before = stored_form("alergiasa", {"alergias": [PEANUT]})
    (fact,) = before["alergias"]
    assert refusals("alergiasa", {"alergias": [PEANUT | {"id": "AAAAAAAA"}]}) == {"/alergias/0/id": "id_desconocido"}
    assert refusals("alergiasa", {"alergias": [fact, fact]}, before) == {"/alergias/1/id": "id_repetido"}


def test_ids_are_unique_across_the_lists_of_a_model() -> None:
    document = {"condiciones": [{"condicion": {"texto": "A"}}] * 50, "cirugias": [{"texto": "B"}] * 50}
    assert len(fact_ids(stored_form("salud", document))) == 100


def test_writing_what_is_stored_changes_nothing() -> None:
    for each in CATALOG:
        stored = stored_form(each, example_of(each))
        assert stored_form(each, stored, stored) == stored


def test_a_time_zone_that_there_is_no_longer_stays_until_another_is_written() -> None:
    before = {"zona_horaria": "Mars/Phobos"}
    after = before | {"idioma": "es"}
    assert stored_form("preferencia", after, before) == after
    assert model_named("preferencia").read(before).model_dump(exclude_defaults=True) == before
    assert refusals("preferencia", {"zona_horaria": "Mars/Deimos"}, before) == {"/zona_horaria": "zona_desconocida"}


def test_emptiness_is_not_stored() -> None:
    assert stored_form("alergiasa", {"alergias": [], "ausencia": None}) == {}


def test_a_refusal_carries_no_value() -> None:
    """Errors are logged, and a health fact must not be."""
    try:
        stored_form(
            "salud", {"condiciones": [{"condicion": {"texto": 5}, "estado": "marcapalabra"}], "marca": "palabra"}
        )
    except InvalidDocument as error:
        assert "palabra" not in repr(error.faults) + repr(error.problems) + str(error)
        assert {problem.source.name for problem in error.under("salud").problems if problem.source} == {
            "/salud/condiciones/0/condicion/texto",
            "/salud/condiciones/0/estado",
            "/salud/marca",
        }


@settings(max_examples=60)
@given(st.data())
def test_any_document_is_stored_or_refused_and_never_breaks(data: st.DataObject) -> None:
    each = data.draw(st.sampled_from(list(CATALOG)))
    document = example_of(each)
    name = data.draw(st.sampled_from(list(document)) | st.text(max_size=5))
    document[name] = data.draw(json_values)
    previous: Any = data.draw(json_values)
    try:
        stored = stored_form(each, document, previous)
    except InvalidDocument as error:
        assert error.problems
    else:
        each.read(stored)
