"""Template types choose what is asked and in which order; they hide nothing."""

import pytest

from ficha.fmd.catalog import CATALOG, TEMPLATES, Catalog, RecordTemplate, form_order
from ficha.fmd.models.health import Salud
from tests.fmd.documents import stored_form


def test_the_template_types() -> None:
    assert list(TEMPLATES) == ["general", "estudiante", "adulto_mayor", "deportista", "viajero", "embarazo"]


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_switches_every_model_on_or_off(template: RecordTemplate) -> None:
    assert set(template.modules) <= CATALOG.names
    assert len(set(template.modules)) == len(template.modules)
    assert template.modules[0] == "personal"
    switches = template.switches()
    assert stored_form("modulo", {"modulos": switches})["modulos"] == switches
    assert [name for name in switches if switches[name]] == sorted(template.modules, key=list(switches).index)


def test_a_template_hides_nothing_that_holds_data() -> None:
    athlete = TEMPLATES["deportista"]
    order = form_order(athlete, frozenset({"estudiante", "salud"}))
    assert order == [*athlete.modules, "estudiante"]


def test_two_models_cannot_share_a_name() -> None:
    with pytest.raises(AssertionError):
        Catalog([Salud, Salud])


def test_an_unknown_name_is_nobody() -> None:
    assert CATALOG.find("saludd") is None
