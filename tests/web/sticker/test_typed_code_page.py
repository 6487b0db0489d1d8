"""A stranger types the code of a sticker: a first name, whom to call, an alert, and nothing clinical."""

from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Idioma
from ficha.events.events import Event
from ficha.products.decoys import make_decoys
from ficha.web.sticker.page_facts import AlertFacts, TypedCodePage
from ficha.web.sticker.typed_code_page import render_typed_code
from tests.web.sticker.sticker import ScannedSticker, actions, emergencies, sticker_of
from tests.world import World


@pytest.fixture
def sticker(world: World) -> ScannedSticker:
    return sticker_of(world)


def typed(language: str = "es", **more: Any) -> str:
    usual: dict[str, Any] = {"code": "K7M2QX", "emergency": ("911",), "alert_action": "/e/K7M2QX/alert"}
    return render_typed_code(TypedCodePage(language=Idioma(language), **usual | more)).decode()


def test_a_typed_code_gives_a_first_name_and_two_things_to_do() -> None:
    html = typed(first_name="Ana", languages="español")
    assert "<h1>Usted está ayudando a Ana</h1>" in html and "idioma: español" in html
    assert 'href="tel:911"' in html
    assert 'action="/e/K7M2QX/alert"' in html and "Avisar a la familia" in html
    assert "Este código no muestra datos médicos, y el QR que imprime una institución tampoco." in html


def test_a_code_that_never_existed_differs_by_the_name_alone() -> None:
    with_name, without = typed(first_name="Ana"), typed()
    assert with_name.replace("Usted está ayudando a Ana", "Usted está ayudando a alguien") == without
    assert typed(first_name="") == without


def test_after_the_alert_the_page_promises_no_more_than_it_knows() -> None:
    html = typed(first_name="Ana", alert=AlertFacts(("Avisando a la familia",)), refresh=10)
    assert "Si el código es correcto y hay a quién avisar, recibirá el aviso." in html
    assert "Aviso solicitado" in html and "en camino" not in html
    assert "<li>Avisando a la familia</li>" in html
    assert '<meta http-equiv="refresh" content="10">' in html
    assert "<form" not in html


def test_a_typed_code_tells_a_first_name_and_nothing_clinical(sticker: ScannedSticker) -> None:
    page = sticker.world.reader.get(f"/e/{sticker.code}")
    assert page.status_code == 200
    assert "Ana" in page.text and "Pérez" not in page.text and "Epilepsia" not in page.text
    unknown = sticker.world.reader.get("/e/222222")
    assert unknown.status_code == 200
    assert unknown.headers["content-type"] == page.headers["content-type"]
    assert ("typed", "record.named") in actions(sticker.world)


@pytest.mark.parametrize("code", ["K7M2Q", "K7M2QXA", "K7M2Q0", "hospital"])
def test_what_can_be_no_code_takes_no_alert(world: World, code: str) -> None:
    """Whoever misses a letter is told so, before she waits for a family that nobody alerts."""
    for language, sentence in (
        ("es", "seis letras y números"),
        ("en", "six letters and digits"),
        ("pt", "seis letras"),
    ):
        told = {"Accept-Language": f"{language}-VE"}
        opened = world.reader.get(f"/e/{code}", headers=told)
        pressed = world.reader.post(f"/e/{code}/avisar", data={}, headers=told)
        for page in (opened, pressed):
            assert page.status_code == 404 and sentence in page.text and 'href="tel:911"' in page.text
            assert "<form" not in page.text and "Aviso solicitado" not in page.text
    assert "<form" in world.reader.get("/e/222222").text


def test_the_button_alerts_the_family_of_a_typed_code(sticker: ScannedSticker) -> None:
    world = sticker.world
    known = world.reader.post(f"/e/{sticker.code}/avisar", data={})
    unknown = world.reader.post("/e/222222/avisar", data={})
    assert known.status_code == unknown.status_code == 200
    [emergency] = emergencies(world)
    assert emergency.entrance == "typed"
    assert "Epilepsia" not in known.text


def test_guessing_codes_is_limited_and_a_decoy_raises_the_alarm(world: World) -> None:
    with world.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, world.clock.now(), 1)
    assert world.reader.get(f"/e/{decoy}").text.replace(decoy, "") == world.reader.get("/e/333333").text.replace(
        "333333", ""
    )
    with world.parts.database.reading() as tx:
        assert [event.kind for event in tx.orm.scalars(select(Event))] == ["codes.decoy_touched"]
