"""Every field of every model: accepted at its limits, refused past them with the pointer to the field."""

import pytest

from ficha.fmd.catalog import CATALOG
from ficha.fmd.faults import pointer
from ficha.fmd.fields import fields_of
from ficha.fmd.model_parts import Fact
from tests.fmd.documents import example_of, refusals, stored_form
from tests.fmd.field_values import FieldPlace, field_places

FIELDS = list(field_places())


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_is_accepted_at_its_limits(field: FieldPlace) -> None:
    for value in field.accepted:
        stored_form(field.model, field.document_with(value))


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_is_refused_past_them_where_it_stands(field: FieldPlace) -> None:
    for value in field.refused:
        assert pointer(field.path) in refusals(field.model, field.document_with(value)), value


def test_no_text_is_without_a_limit() -> None:
    for field in FIELDS:
        if field.schema["type"] == "string":
            assert field.schema.keys() & {"maxLength", "enum", "x-kind", "x-minimum"}, str(field)


@pytest.mark.parametrize("model", list(CATALOG), ids=lambda model: model.about.wire)
def test_required_fields_are_missed_where_they_belong(model: type) -> None:
    for field in fields_of(model):
        if field.required:
            document = example_of(model)
            del document[field.name]
            assert refusals(model, document) == {f"/{field.name}": "missing"}
        if field.many and field.shape and issubclass(field.shape, Fact):
            required = {inner.name for inner in fields_of(field.shape) if inner.required}
            document = example_of(model)
            document[field.name] = [{}]
            assert {f"/{field.name}/0/{name}" for name in required} <= refusals(model, document).keys()


def test_at_most_ten_emergency_contacts() -> None:
    contact = CATALOG.find("emergencia").about.example["contactos"][0]  # type: ignore[union-attr]
    assert len(stored_form("emergencia", {"contactos": [contact] * 10})["contactos"]) == 10
    assert refusals("emergencia", {"contactos": [contact] * 11}) == {"/contactos": "too_long"}


def test_doors_are_set_for_models_and_facts_that_can_exist() -> None:
    rules = {f"salud/{field:08}": "P" for field in range(200)}
    assert stored_form("consentimiento", {"visibilidad": rules})["visibilidad"] == rules
    assert refusals("consentimiento", {"visibilidad": {**rules, "salud": "R"}}) == {"/visibilidad": "too_long"}
    assert refusals("consentimiento", {"visibilidad": {"salud": "X"}}) == {"/visibilidad/salud": "enum"}
    assert refusals("consentimiento", {"visibilidad": {"sald": "P"}}) == {"/visibilidad/sald": "modelo_desconocido"}
    assert refusals("consentimiento", {"visibilidad": {"salud/1": "P"}}).keys() == {"/visibilidad/salud~11"}


def test_modules_are_models() -> None:
    assert stored_form("modulo", {"modulos": {"salud": False}}) == {"modulos": {"salud": False}}
    assert refusals("modulo", {"modulos": {"saludd": True}}) == {"/modulos/saludd": "modelo_desconocido"}
    assert refusals("modulo", {"modulos": {"salud": "si"}}) == {"/modulos/salud": "bool_type"}
