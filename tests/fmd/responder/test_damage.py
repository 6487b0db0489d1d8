"""A damaged record still helps: what can be read is shown, what cannot is named, and nothing hidden is told."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import ANYWHERE
from ficha.fmd.responder.view import DAMAGED
from tests.fmd.documents import example_of
from tests.fmd.responder.test_view import LANGUAGES, medicine, part, titles, view
from tests.fmd.test_documents import json_values


def test_a_damaged_model_is_named_and_the_rest_is_shown() -> None:
    documents = {"alergiasm": DAMAGED, "medicacion": {"medicamentos": [medicine("Warfarina")]}, "emergencia": DAMAGED}
    seen = view(documents)
    assert seen.unreadable == ("Alergias a medicamentos", "En una emergencia")
    assert titles(part(seen, "medicines")) == ["Warfarina"]
    assert part(seen, "allergies").sentences == (
        "A medicinas: no se pudo leer. Puede faltar algo importante.",
        "A alimentos y otras: sin registrar.",
    )
    assert seen.contact_sentences == (phrases.NOT_READABLE.es,)


def test_damage_behind_a_closed_door_is_not_told() -> None:
    documents: dict[str, Any] = {"salud": DAMAGED, "vacuna": DAMAGED, "preferencia": DAMAGED}
    documents["consentimiento"] = {"visibilidad": {"salud": "B"}}
    assert view(documents).unreadable == ()
    assert part(view(documents), "conditions").sentences == (
        "Reservado. El personal de salud lo abre con «Ver más datos».",
    )
    assert view(documents, door=Door.B).unreadable == ("Salud", "Vacunas")


def test_a_consent_that_cannot_be_read_closes_the_record_and_denies_nothing() -> None:
    documents = {model.about.wire: example_of(model) for model in CATALOG} | {"consentimiento": DAMAGED}
    for door in (Door.R, Door.B):
        seen = view(documents, door=door)
        assert seen.consent_unreadable
        assert (seen.who.name, seen.signs, seen.sections, seen.contact_sentences, seen.missing) == ("", (), (), (), ())
        assert seen.emergency == (ANYWHERE,)


def test_a_damaged_item_is_counted() -> None:
    documents: dict[str, Any] = {"medicacion": {"medicamentos": [None, {"dosis": "1 g"}, medicine("A")]}}
    medicines = part(view(documents), "medicines")
    assert (titles(medicines), medicines.sentences) == (["A"], ("Hay 2 datos que no se pudieron leer.",))
    documents["consentimiento"] = {"visibilidad": {"medicacion/AAAAAAAA": "P"}}
    assert part(view(documents), "medicines").sentences == ("Reservado por la persona.",)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_no_record_is_so_damaged_that_nothing_is_shown(data: st.DataObject) -> None:
    documents: dict[str, Any] = {model.about.wire: example_of(model) for model in CATALOG}
    for _ in range(data.draw(st.integers(1, 4))):
        inside: Any = documents
        while True:
            place = data.draw(st.sampled_from(list(inside) if isinstance(inside, dict) else range(len(inside))))
            if not isinstance(inside[place], dict | list) or not inside[place] or data.draw(st.booleans()):
                inside[place] = data.draw(json_values)
                break
            inside = inside[place]
    for door in (Door.R, Door.B):
        seen = view(documents, data.draw(st.sampled_from(LANGUAGES)), door)
        assert seen.emergency
        assert seen.consent_unreadable or len(seen.sections) >= 3
