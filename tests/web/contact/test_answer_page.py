"""A contact who was alerted opens the link, sees where and since when, and answers."""

from datetime import timedelta
from typing import Any

import pytest

from ficha.accounts.accounts import Idioma
from ficha.emergencies.statements import called_in
from ficha.emergencies.steps import token_for
from ficha.web.contact.answer_page import AnswerPage, ShownAnswer, render_answer
from tests.fmd.documents import NOW
from tests.web.sticker.sticker import CONTACT, emergencies, sticker_of
from tests.world import World


def answered(answer: ShownAnswer, language: str = "es", **more: Any) -> str:
    usual: dict[str, Any] = {
        "emergency": ("911",), "name": "Ana", "since": NOW - timedelta(minutes=7), "now": NOW, "action": "/a/TOKEN",
        "where": "Av. Bolívar", "map_url": "https://maps.example/?q=1,2", "with_whom": "Paramédico 12",
        "since_text": "07:53 (hora de Caracas)",
    }  # fmt: skip
    return render_answer(AnswerPage(language=Idioma(language), answer=answer, **usual | more)).decode()


def test_a_contact_is_asked_where_since_when_and_with_whom() -> None:
    html = answered(ShownAnswer.ASKED, lines=("Luis leyó el aviso hace 40 s",), responder_phone="+584125551111")
    assert "<h1>Ana puede necesitar ayuda</h1>" in html
    assert "Av. Bolívar" in html and 'href="https://maps.example/?q=1,2" rel="noreferrer"' in html
    assert "hace 7 min · 07:53 (hora de Caracas)" in html and "Paramédico 12" in html
    assert '<button class="main" name="respuesta" value="voy">Voy en camino</button>' in html
    assert '<button name="respuesta" value="no_puedo">No puedo</button>' in html
    assert "<li>Luis leyó el aviso hace 40 s</li>" in html and 'href="tel:+584125551111"' in html


def test_what_is_not_known_is_said() -> None:
    html = answered(ShownAnswer.ASKED, name="", where="", map_url="", with_whom="")
    assert "Alguien de su familia puede necesitar ayuda" in html
    assert "no envió la ubicación" in html and "Abrir el mapa" not in html
    assert "Con alguien que escaneó su etiqueta." in html
    assert "Simulacro" not in html


def test_a_test_says_that_nothing_happened() -> None:
    html = answered(ShownAnswer.ASKED, is_drill=True)
    assert "<h1>Una prueba: Ana está bien</h1>" in html and "Simulacro: es una prueba." in html
    assert "puede necesitar ayuda" not in html and "Abrir el mapa" not in html and 'href="tel:' not in html
    assert "Sí, me llegó" in html and 'value="no_puedo"' not in html and 'value="no_acepto"' in html


def test_an_answer_is_shown_and_can_be_changed() -> None:
    coming, cannot = answered(ShownAnswer.COMING), answered(ShownAnswer.CANNOT)
    assert "Usted avisó que va" in coming and 'value="voy"' not in coming and 'value="no_puedo"' in coming
    assert "Usted avisó que no puede" in cannot and 'value="voy"' in cannot and 'value="no_puedo"' not in cannot


@pytest.mark.parametrize(
    ("answer", "says"), [(ShownAnswer.CLOSED, "Este aviso terminó"), (ShownAnswer.EXPIRED, "Este enlace ya no sirve")]
)
def test_when_it_is_over_nothing_is_told(answer: ShownAnswer, says: str) -> None:
    html = answered(answer)
    assert f"<h1>{says}</h1>" in html
    assert "<form" not in html and "Bolívar" not in html and "Ana" not in html


def test_the_contact_answers_on_the_page_behind_the_link(world: World) -> None:
    sticker = sticker_of(world)
    sticker.alert(lat="10.65", lon="-71.63")
    [emergency] = emergencies(world)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    with world.parts.database.reading() as tx:
        [contact_id] = called_in(tx, emergency.id)
    token = token_for(world.parts.secrets, emergency.id, contact_id)
    page = world.reader.get(f"/a/{token}")
    assert page.status_code == 200 and "Ana" in page.text and "openstreetmap" in page.text
    assert "Epilepsia" not in page.text
    assert world.reader.post(f"/a/{token}", data={"respuesta": "voy"}, follow_redirects=False).status_code == 303
    [emergency] = emergencies(world)
    assert emergency.state == "acknowledged"
    assert "viene en camino" in sticker.scan().text
    assert world.reader.get("/a/nothing").status_code == 404


def test_the_number_is_the_same_on_every_page(world: World) -> None:
    """The phone's region, else the record's country, which may only follow from a contact's number; else 112."""
    brazilian = CONTACT | {"cod_telefono": "+55", "telefono": "11987654321"}
    sticker = sticker_of(world, emergencia={"contactos": [brazilian]})
    typed = f"/e/{sticker.code}"
    sticker.alert()
    [emergency] = emergencies(world)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    with world.parts.database.reading() as tx:
        [contact_id] = called_in(tx, emergency.id)
    answer = f"/a/{token_for(world.parts.secrets, emergency.id, contact_id)}"
    for language, number in (("es", "192"), ("es-AR", "107"), ("pt-PT", "112")):
        for path in (sticker.path, typed, answer):
            page = world.reader.get(path, headers={"Accept-Language": language}).text
            assert f'href="tel:{number}"' in page, (path, language)
            assert page.count('class="unknown"') == 0


def test_a_contact_is_told_when_the_country_is_not_known() -> None:
    html = answered(ShownAnswer.ASKED, emergency=("112",), is_number_known=False)
    assert "No sabemos en qué país está: si el 112 no responde" in html
