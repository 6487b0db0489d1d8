"""Every field of every model: accepted at its limits, refused past them with the pointer to the field."""

import pytest

from ficha.fmd.catalog import CATALOG
from ficha.fmd.faults import pointer
from ficha.fmd.fields import fields_of
from ficha.fmd.shapes import Fact
from tests.fmd.leaves import Leaf, leaves
from tests.fmd.writing import example_of, refused, written

LEAVES = list(leaves())


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_is_accepted_at_its_limits(leaf: Leaf) -> None:
    for value in leaf.accepted:
        written(leaf.model, leaf.holding(value))


@pytest.mark.parametrize("leaf", LEAVES, ids=str)
def test_is_refused_past_them_where_it_stands(leaf: Leaf) -> None:
    for value in leaf.refused:
        assert pointer(leaf.path) in refused(leaf.model, leaf.holding(value)), value


def test_no_text_is_without_a_limit() -> None:
    for leaf in LEAVES:
        if leaf.schema["type"] == "string":
            assert leaf.schema.keys() & {"maxLength", "enum", "x-kind", "x-minimum"}, str(leaf)


@pytest.mark.parametrize("model", list(CATALOG), ids=lambda model: model.about.wire)
def test_required_fields_are_missed_where_they_belong(model: type) -> None:
    for field in fields_of(model):
        if field.required:
            document = example_of(model)
            del document[field.name]
            assert refused(model, document) == {f"/{field.name}": "missing"}
        if field.many and field.shape and issubclass(field.shape, Fact):
            required = {inner.name for inner in fields_of(field.shape) if inner.required}
            document = example_of(model)
            document[field.name] = [{}]
            assert {f"/{field.name}/0/{name}" for name in required} <= refused(model, document).keys()


def test_at_most_ten_emergency_contacts() -> None:
    contact = CATALOG.find("emergencia").about.example["contactos"][0]  # type: ignore[union-attr]
    assert len(written("emergencia", {"contactos": [contact] * 10})["contactos"]) == 10
    assert refused("emergencia", {"contactos": [contact] * 11}) == {"/contactos": "too_long"}


def test_doors_are_set_for_models_and_facts_that_can_exist() -> None:
    rules = {f"salud/{place:08}": "P" for place in range(200)}
    assert written("consentimiento", {"visibilidad": rules})["visibilidad"] == rules
    assert refused("consentimiento", {"visibilidad": {**rules, "salud": "R"}}) == {"/visibilidad": "too_long"}
    assert refused("consentimiento", {"visibilidad": {"salud": "X"}}) == {"/visibilidad/salud": "enum"}
    assert refused("consentimiento", {"visibilidad": {"sald": "P"}}) == {"/visibilidad/sald": "modelo_desconocido"}
    assert refused("consentimiento", {"visibilidad": {"salud/1": "P"}}).keys() == {"/visibilidad/salud~11"}


def test_modules_are_models() -> None:
    assert written("modulo", {"modulos": {"salud": False}}) == {"modulos": {"salud": False}}
    assert refused("modulo", {"modulos": {"saludd": True}}) == {"/modulos/saludd": "modelo_desconocido"}
    assert refused("modulo", {"modulos": {"salud": "si"}}) == {"/modulos/salud": "bool_type"}
