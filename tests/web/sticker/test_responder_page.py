"""The responder page as a stranger gets it."""

import re
from datetime import timedelta
from typing import Any

import pytest

from ficha.fmd.base import Door
from ficha.fmd.responder.view import DAMAGED
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.small_pages.content_policy import inline, policy, script_hash
from ficha.web.sticker.page_facts import AlertFacts, BreakGlassForm
from tests.fmd.documents import NOW, stored_form
from tests.web.sticker.records import full_record, small_record
from tests.web.sticker.rendering import ALERT, GLASS, page, parsed

LANGUAGES = ("es", "en", "pt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_is_who_stop_do_call_facts(language: str) -> None:
    html = page(full_record(), language)
    marks = ["<h1>Ana Lucía", 'class="stop"', 'class="do"', 'href="tel:911"', ALERT, "tel:+584125551111",
             "tel:+584145552222", 'id="medicines"', 'id="allergies"', 'id="conditions"', 'id="wishes"', 'id="people"',
             'id="body"', "<details", "K7M2QX</b>"]  # fmt: skip
    places = [html.index(mark) for mark in marks]
    assert places == sorted(places)


def test_six_stop_signs_at_most() -> None:
    html = page(full_record())
    *signs, unknown = re.findall(r"<li>(.*?)</li>", html.partition('class="stop"')[2].partition("</ul>")[0])
    assert len(signs) == 6
    assert signs[0].startswith("Alergia grave: Penicilinas (clase), Ibuprofeno, Maní"), "medicines before food"
    assert '<li class="also">Y 2 más: rechaza transfusiones, voluntad anticipada registrada</li>' in html
    assert unknown == "Alergia de gravedad desconocida: Picadura de hormiga roja"


def test_what_no_rule_has_judged_stands_below_the_signs() -> None:
    html = page(full_record())
    box = html.index('class="unjudged"')
    assert html.index("Alergia de gravedad desconocida") < box < html.index('class="do"')
    assert "Vitamina D de la farmacia del barrio" in html[box : html.index("</p>", box)]


NOTHING_KNOWN = {"alergias": [], "ausencia": "ninguna_conocida"}


@pytest.mark.parametrize(
    ("documents", "sentence"),
    [
        ({}, "No hay alergias, medicinas ni enfermedades registradas: no se sabe si tiene alguna."),
        ({"alergiasm": NOTHING_KNOWN}, "Sin alertas graves registradas; puede tenerlas."),
        (
            {"alergiasm": NOTHING_KNOWN, "consentimiento": {"visibilidad": {"salud": "B"}}},
            "Sin alertas graves en lo que se puede mostrar. Hay datos que aquí no se ven.",
        ),
        ({"salud": {"condiciones": [{"condicion": {"texto": "lupus"}}]}}, "Sin evaluar, puede ser importante:"),
        ({"medicacion": {"medicamentos": [{"medicamento": {"texto": "unas gotas"}}]}}, "Sin evaluar,"),
    ],
)
def test_that_there_is_nothing_serious_is_said_only_when_everything_was_judged(
    documents: dict[str, Any], sentence: str
) -> None:
    html = page({wire: stored_form(wire, document) for wire, document in documents.items()})
    assert 'class="stop"' not in html
    assert sentence in html
    assert html.count("lertas graves") + html.count('class="unjudged"') == (1 if documents else 0)


def test_nothing_red_and_nothing_said_to_be_safe_where_there_is_no_sign() -> None:
    html = page(small_record())
    assert 'class="stop"' not in html
    assert "No hay alergias, medicinas ni enfermedades registradas" in html


def test_the_owners_words_carry_their_language_where_it_is_not_the_pages() -> None:
    english, spanish = page(full_record(), "en"), page(full_record(), "es")
    assert '<q lang="es">No la sujeten; háblenle despacio.' in english
    assert '<i lang="es">cada noche</i>' in english
    assert "In the words of the person or the family, in Spanish." in english
    assert "left as it is, in Spanish." in english
    assert "<q>No la sujeten" in spanish
    assert "en español" not in spanish
    assert "En cursiva" in spanish and "En cursiva" not in page(small_record())


def test_freshness_has_words_besides_its_colour() -> None:
    html = page(full_record())
    assert '<small class="g">✓ confirmado por su representante, hace 12 días</small>' in html
    assert '<small class="a">la persona, hace 4 meses, por confirmar</small>' in html
    assert '<small class="a">la persona, hace 8 meses, puede haber cambiado</small>' in html


def test_a_damaged_part_is_named_under_the_signs() -> None:
    html = page(full_record() | {"alergiasm": DAMAGED})
    told = "No se pudo leer: Alergias a medicamentos. Puede faltar algo importante."
    assert html.index('class="stop"') < html.index(told) < html.index('class="do"')
    assert "Insulina glargina" in html
    assert "A medicinas: no se pudo leer." in html


def test_a_damaged_consent_leaves_who_to_call() -> None:
    html = page(full_record() | {"consentimiento": DAMAGED})
    assert "No se pudo leer qué permite mostrar la persona" in html
    assert 'href="tel:112"' in html and "No sabemos en qué país está" in html and ALERT in html
    assert "Sin registrar" not in html and "Ana" not in html


def test_a_text_that_is_no_text_does_not_cost_the_page() -> None:
    broken = small_record() | {"salud": {"condiciones": [{"condicion": {"texto": "Asma \ud800"}}]}}
    assert "Asma ?" in page(broken)


def test_the_photo_is_shown_when_there_is_one() -> None:
    html = page(full_record())
    assert '<img src="/e/K7M2QX/TAG/photo/foto_7Kq2ZpX9" alt="Foto de Ana"' in html
    assert "<img" not in page(full_record(), photo_base="")
    assert "<img" not in page(small_record())
    tricky = full_record()
    tricky["personal"]["foto_id"] = "../secreto"
    assert "<img" not in page(tricky)


def test_the_switch_offers_the_other_languages() -> None:
    html = page(full_record(), "pt")
    assert '<html lang="pt">' in html
    assert '<b lang="pt" aria-current="true">PT</b>' in html
    assert 'href="?l=en" lang="en" hreflang="en"' in html


def test_the_family_can_be_alerted_without_a_script() -> None:
    html = page(full_record(), fields={"sello": 'a"b'})
    form = html.partition(f'action="{ALERT}"')[2].partition("</form>")[0]
    assert '<input type="hidden" name="sello" value="a&#34;b">' in form
    assert all(f'<input type="hidden" name="{name}">' in form for name in ("lat", "lon", "precision"))
    assert "Avisar a la familia" in form


def test_while_an_alert_is_under_way_the_page_tells_and_reloads() -> None:
    alert = AlertFacts(("María leyó el aviso hace 40 s",))
    html = page(full_record(), alert=alert, refresh=15, glass=BreakGlassForm(GLASS, page="?mas=1"))
    assert '<meta http-equiv="refresh" content="15">' in html
    assert "<li>María leyó el aviso hace 40 s</li>" in html
    assert ALERT not in html
    assert '<a href="?mas=1">Ver más datos</a>' in html and "<details" not in html
    assert "http-equiv" not in page(full_record())


def test_where_a_script_brings_the_news_nothing_reloads() -> None:
    html = page(full_record(), alert=AlertFacts(), refresh=15, script="1")
    assert '<noscript><meta http-equiv="refresh" content="15"></noscript>' in html


def test_nothing_reloads_under_somebody_who_types() -> None:
    for form in (BreakGlassForm(GLASS, is_open=True), BreakGlassForm(GLASS, faults=(FieldFault("quien", "Falta."),))):
        html = page(full_record(), alert=AlertFacts(), refresh=15, glass=form)
        assert "http-equiv" not in html and "<details open>" in html


def test_the_form_for_more_keeps_what_was_typed_and_says_what_is_wrong() -> None:
    form = BreakGlassForm(GLASS, who='Paramédico "12"', why="", faults=(FieldFault("motivo", "Escriba el motivo."),))
    html = page(full_record(), glass=form)
    assert '<a href="#motivo">Escriba el motivo.</a>' in html
    assert '<span class="fault" id="motivo-fault">Escriba el motivo.</span>' in html
    assert '<textarea id="motivo" aria-invalid="true" aria-describedby="motivo-fault"' in html
    assert 'value="Paramédico &#34;12&#34;"' in html
    assert 'id="quien-fault"' not in html


def test_broken_glass_says_until_when() -> None:
    until = NOW + timedelta(minutes=60)
    html = page(
        full_record(), door=Door.B, glass=None, glass_until=until, notices=("Simulacro.",), zone="America/Caracas"
    )
    assert "Está viendo más datos, hasta las 09:00 (hora de Caracas)." in html
    assert "V-31.555.777" in html and 'id="vaccines"' in html
    assert '<p class="tell" role="status">Simulacro.</p>' in html


def test_the_policy_lets_in_our_style_and_script_only() -> None:
    script = "document.title='x'"
    html = page(full_record(), script=script)
    assert f"<script>{script}</script>" in html
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert script_hash(style) in policy() and "script-src 'none'" in policy()
    assert script_hash(script) in policy(script)
    assert "unsafe" not in policy(script)
    assert "<script" not in page(full_record())
    for trick in ("a</script>b", "a</SCRIPT >", "<!-- x"):
        with pytest.raises(ValueError, match="script"):
            inline(trick)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_needs_nothing_else(language: str) -> None:
    found = parsed(page(full_record(), language))
    assert {tag for tag, _ in found.elements} & {"script", "link", "iframe", "object", "video"} == set()
    assert all("style" not in names and not any(name.startswith("on") for name in names) for _, names in found.elements)
    assert not any(value.startswith("http") for value in found.values)


def test_ids_are_unique_and_labels_point_somewhere() -> None:
    html = page(full_record(), door=Door.B)
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    named = re.findall(r'(?:aria-labelledby|for)="([^"]+)"', html)
    assert named and set(named) <= set(ids)
