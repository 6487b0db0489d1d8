"""A child that was born today is told its age and weight, whatever day it is in UTC."""

from typing import Any

import pytest

from ficha.fmd.base import Door
from ficha.fmd.responder.build_view import responder_view
from tests.fmd.documents import NOW


@pytest.mark.parametrize(
    ("born", "traits"),
    [("2026-11-15", ("0 días", "3,1 kg")), ("2026-11-16", ("0 días", "3,1 kg")), ("2026-11-17", ())],
)
def test_a_newborn_whose_birth_is_tomorrow_in_utc(born: str, traits: tuple[str, ...]) -> None:
    documents: dict[str, Any] = {"personal": {"nombres": "Ana", "fecha_nacimiento": born}, "cuerpo": {"peso_kg": 3.1}}
    assert responder_view(documents, Door.R, NOW, "es", saved={"cuerpo": NOW}).who.traits == traits
