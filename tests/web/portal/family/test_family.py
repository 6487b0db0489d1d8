"""The family's cards: what each says, and what they cost."""

import re
from datetime import date, timedelta
from typing import Any

import pytest

from ficha.fmd.catalog import CATALOG
from ficha.fmd.suggestions import SUGGESTIONS, next_suggestion
from ficha.products.codes import issue_code
from tests.photos.pictures import encoded, face
from tests.statement_counter import count_statements
from tests.web.portal.page_session import logged_in
from tests.web.portal.record.test_stickers import with_sticker
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
    found = next_suggestion(WHOLE | changes, TODAY)
    assert (found and found.name) == rule


def test_a_sticker_that_nobody_scanned_is_tried_by_a_drill() -> None:
    found = next_suggestion(WHOLE, TODAY, is_tried=False)
    assert found is not None and (found.name, found.model) == ("never_scanned", "simulacro")
    first = next_suggestion(WHOLE | {"emergencia": {}}, TODAY, is_tried=False)
    assert first is not None and first.name == "contact", "what helps more comes first"


def test_a_card_has_the_photo_and_the_last_opening(world: World, ana: Person) -> None:
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    assert "Nadie la ha abierto" in user.get("/app").text and user.get(f"/app/{code}/foto").status_code == 404
    shown, tag = with_sticker(world, ana)
    for name in ("alergiasm", "alergiasa", "salud"):
        assert ana.put(f"/v2/fmd/{shown}/{name}", {"ausencia": "ninguna_conocida"}).status_code == 200
    for name in ("personal", "emergencia", "medicacion"):
        model = CATALOG.find(name)
        assert model is not None and ana.put(f"/v2/fmd/{shown}/{name}", model.about.example).status_code == 200
    assert re.search(r'href="/app/\w{6}/simulacro">Nadie ha escaneado', user.get("/app").text)
    user.submit(f"/app/{code}/simulacro", do="run")
    assert "Nadie ha escaneado" not in user.get("/app").text and "Nadie la ha abierto" in user.get("/app").text
    assert world.reader.get(f"/E/{shown}/{tag}").status_code == 200
    world.drain_reads()
    assert "Abierta el 15/11/2026" in user.get("/app").text
    sent = {**ana.headers, "Content-Type": "image/jpeg"}
    assert ana.client.put("/v2/user_pic", content=encoded(face(), "JPEG"), headers=sent).status_code in (200, 201)
    assert 'class="face"' in user.get("/app").text
    photo = user.get(f"/app/{code}/foto")
    assert photo.headers["content-type"] == "image/jpeg" and photo.headers["cache-control"] == "private, no-store"
    # A delegate is not shown it.
    luis = world.register()
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta})
    world.accept_invitation(luis)
    delegate = logged_in(world, luis)
    assert 'class="face"' not in delegate.get("/app").text and delegate.get(f"/app/{code}/foto").status_code == 404


def test_every_rule_has_a_sentence_and_a_form(world: World, ana: Person) -> None:
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    for rule in SUGGESTIONS:
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
    with world.parts.database.writing() as tx:
        for _ in range(12):
            issue_code(tx, world.clock.now(), record_id=made.json()["data"]["id"])
    with count_statements(world.parts.database) as many:
        page = user.get("/app").text
    assert page.count('class="card"') == 8 and page.count("<code>") == 20
    assert "<b>Luis" not in page and "&lt;b&gt;Luis" in page
    assert many.statements == few.statements
