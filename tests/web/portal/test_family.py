"""The family's cards: what each says, and what they cost."""

from datetime import date
from typing import Any

import pytest

from ficha.fmd.next_things import RULES, next_thing
from ficha.products.codes import issue_code
from tests.statement_counter import count_statements
from tests.web.portal.page_session import logged_in
from tests.world import Person, World

TODAY = date(2026, 11, 15)
WHOLE: dict[str, Any] = {
    "personal": {"nombres": "Ana", "apellidos": "Rojas", "fecha_nacimiento": "1990-01-01"},
    "emergencia": {"contactos": [{"nombre": "María"}]},
    "alergiasm": {"ausencia": "ninguna_conocida"},
    "alergiasa": {"ausencia": "ninguna_conocida"},
    "medicacion": {
        "medicamentos": [
            {"medicamento": {"texto": "Warfarina", "codigo": "B01AA03"}, "desde": "2019", "confirmado_en": "2026-11-01"}
        ]
    },
    "salud": {"ausencia": "ninguna_conocida"},
    "cuerpo": {"grupo_sanguineo": "O-"},
}
MEDICINE = WHOLE["medicacion"]["medicamentos"][0]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"personal": {"nombres": "Ana"}}, "name"),
        ({"emergencia": {}}, "contact"),
        ({"alergiasm": {}}, "medicine_allergies"),
        ({"medicacion": {}}, "medicines"),
        ({"medicacion": {"medicamentos": [MEDICINE | {"desde": ""}]}}, "since_when"),
        ({"medicacion": {"medicamentos": [MEDICINE | {"confirmado_en": "2026-01-01"}]}}, "old_medicines"),
        ({}, None),
    ],
)
def test_the_next_useful_thing(changes: dict[str, Any], rule: str | None) -> None:
    found = next_thing(WHOLE | changes, TODAY)
    assert (found and found.name) == rule


def test_every_rule_has_a_sentence_and_a_form(world: World, ana: Person) -> None:
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    for rule in RULES:
        assert user.get(f"/app/{code}/{rule.model}").status_code == 200
    page = user.get("/app").text
    assert f"/app/{code}/personal" in page and "Escriba los apellidos" in page


def test_eight_records_and_twenty_stickers_take_as_many_statements_as_one(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    user.get("/app")
    with count_statements(world.parts.database) as few:
        assert user.get("/app").text.count('class="card"') == 1
    for number in range(7):
        made = ana.post("/v2/fmd", {"relacion": "madre", "nombres": f"<b>Luis {number}"})
        assert made.status_code == 201
    with world.parts.database.writing() as session:
        for _ in range(12):
            issue_code(session, world.clock.now(), record_id=made.json()["data"]["id"])
    with count_statements(world.parts.database) as many:
        page = user.get("/app").text
    assert page.count('class="card"') == 8 and page.count("<code>") == 20
    assert "<b>Luis" not in page and "&lt;b&gt;Luis" in page
    assert many.statements == few.statements
