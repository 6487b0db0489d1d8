"""The pages beside the record: a typed code, a lost sticker, a contact who was alerted."""

from datetime import timedelta
from typing import Any

import pytest

from ficha.accounts.accounts import Idioma
from ficha.web.contact import phrases
from ficha.web.sticker import page_phrases
from ficha.web.sticker.html import render_ack, render_ended, render_typed
from ficha.web.sticker.page_facts import AckFacts, Alert, EndedFacts, ShownAnswer, TypedFacts
from tests.fmd.writing import NOW


def typed(language: str = "es", **more: Any) -> str:
    usual: dict[str, Any] = {"code": "K7M2QX", "emergency": ("911",), "alert_action": "/e/K7M2QX/alert"}
    return render_typed(TypedFacts(language=Idioma(language), **usual | more)).decode()


def answered(answer: ShownAnswer, language: str = "es", **more: Any) -> str:
    usual: dict[str, Any] = {
        "emergency": ("911",), "name": "Ana", "since": NOW - timedelta(minutes=7), "now": NOW, "action": "/a/TOKEN",
        "where": "Av. Bolívar", "map_url": "https://maps.example/?q=1,2", "with_whom": "Paramédico 12",
    }  # fmt: skip
    return render_ack(AckFacts(language=Idioma(language), answer=answer, **usual | more)).decode()


def test_a_typed_code_gives_a_first_name_and_two_things_to_do() -> None:
    html = typed(first_name="Ana", languages="español")
    assert "<h1>Usted está ayudando a Ana</h1>" in html and "habla español" in html
    assert 'href="tel:911"' in html
    assert 'action="/e/K7M2QX/alert"' in html and "Avisar a la familia" in html
    assert "no se muestran datos médicos" in html


def test_a_code_that_never_existed_differs_by_the_name_alone() -> None:
    with_name, without = typed(first_name="Ana"), typed()
    assert with_name.replace("Usted está ayudando a Ana", "Usted está ayudando a alguien") == without
    assert typed(first_name="") == without


def test_after_the_alert_the_page_promises_no_more_than_it_knows() -> None:
    html = typed(first_name="Ana", alert=Alert(("Avisando a la familia",)), refresh=10)
    assert "Si el código es correcto, la familia recibirá el aviso." in html
    assert "<li>Avisando a la familia</li>" in html
    assert '<meta http-equiv="refresh" content="10">' in html
    assert "<form" not in html


def test_a_lost_sticker_says_so_and_whom_to_call() -> None:
    html = render_ended(EndedFacts(language=Idioma.PT, emergency=("192", "193"), code="K7M2QX")).decode()
    assert "<h1>Esta etiqueta já não funciona</h1>" in html
    assert 'href="tel:192"' in html and 'href="tel:193"' in html
    assert "<form" not in html


def test_a_contact_is_asked_where_since_when_and_with_whom() -> None:
    html = answered(ShownAnswer.ASKED, lines=("Luis leyó el aviso hace 40 s",), responder_phone="+584125551111")
    assert "<h1>Ana puede necesitar ayuda</h1>" in html
    assert "Av. Bolívar" in html and 'href="https://maps.example/?q=1,2" rel="noreferrer"' in html
    assert "hace 7 min (11:53 UTC)" in html and "Paramédico 12" in html
    assert '<button class="main" name="respuesta" value="voy">Voy en camino</button>' in html
    assert '<button name="respuesta" value="no_puedo">No puedo</button>' in html
    assert "<li>Luis leyó el aviso hace 40 s</li>" in html and 'href="tel:+584125551111"' in html


def test_what_is_not_known_is_said() -> None:
    html = answered(ShownAnswer.ASKED, name="", where="", map_url="", with_whom="", is_drill=True)
    assert "Alguien de su familia puede necesitar ayuda" in html
    assert "no envió la ubicación" in html and "Abrir el mapa" not in html
    assert "Con alguien que escaneó su etiqueta." in html
    assert "Simulacro: es una prueba." in html


def test_an_answer_is_shown_and_can_be_changed() -> None:
    coming, cannot = answered(ShownAnswer.COMING), answered(ShownAnswer.CANNOT)
    assert "Dijo que va en camino" in coming and 'value="voy"' not in coming and 'value="no_puedo"' in coming
    assert "Dijo que no puede" in cannot and 'value="voy"' in cannot and 'value="no_puedo"' not in cannot


@pytest.mark.parametrize(
    ("answer", "says"), [(ShownAnswer.CLOSED, "Este aviso terminó"), (ShownAnswer.EXPIRED, "Este enlace ya no sirve")]
)
def test_when_it_is_over_nothing_is_told(answer: ShownAnswer, says: str) -> None:
    html = answered(answer)
    assert f"<h1>{says}</h1>" in html
    assert "<form" not in html and "Bolívar" not in html and "Ana" not in html


@pytest.mark.parametrize("phrases", [page_phrases.PHRASES, phrases.PHRASES])
def test_every_phrase_is_said_calmly_in_every_language(phrases: Any) -> None:
    for key, said in phrases.items():
        assert all(text.strip() and "!" not in text for text in said), key
        assert len({text.count("{") for text in said}) == 1, key
