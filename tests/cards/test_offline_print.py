"""A QR that holds the emergency lines is printed only where phones read it, and carnets and words claim nothing."""

import re
from datetime import timedelta
from typing import Any

import pytest

from ficha.accounts.accounts import Idioma
from ficha.cards.carnet_pages import CarnetForm, PrintedCarnet, carnet_data, drawn_carnet
from ficha.cards.printing import FileType
from ficha.cards.qr import QUIET, link_of
from ficha.cards.stickers import (
    OFFLINE_FORMATS,
    SMALLEST_MODULE_MM,
    Sticker,
    StickerFormat,
    TooSmallForOffline,
    offline_letters,
    pictures,
    printed_symbol,
    sticker_words,
)
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import found_signs
from tests.cards.offline_sizes import (
    BASE,
    CARNETS,
    CODE,
    NOW,
    SAMPLES,
    STICKERS,
    TAG,
    Printed,
    full_link,
    is_readable,
    module_mm,
    times_read,
)
from tests.web.sticker.records import full_record

OFFERED = [one for one in (*STICKERS, *CARNETS) if one.offered]
NOT_OFFERED = [one for one in STICKERS if not one.offered]


@pytest.mark.slow
@pytest.mark.parametrize("printed", OFFERED, ids=lambda one: one.name)
def test_what_is_offered_is_read_from_a_cheap_print_and_from_a_blurred_photo(printed: Printed) -> None:
    assert module_mm(printed, printed.offered) >= SMALLEST_MODULE_MM
    assert is_readable(times_read(printed, printed.offered, SAMPLES), SAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("printed", NOT_OFFERED, ids=lambda one: one.name)
def test_what_is_not_offered_would_not_be(printed: Printed) -> None:
    """Not even with so few letters that hardly more than the signs would fit."""
    assert not is_readable(times_read(printed, 400, SAMPLES), SAMPLES)


def test_small_formats_refuse() -> None:
    assert OFFLINE_FORMATS == [StickerFormat.HELMET, StickerFormat.WALLET]
    for format in set(StickerFormat) - set(OFFLINE_FORMATS):
        with pytest.raises(TooSmallForOffline):
            offline_letters(format)


@pytest.mark.parametrize("format", OFFLINE_FORMATS)
def test_a_sticker_with_lines_has_the_largest_modules_and_its_alternative_text_is_the_link(
    format: StickerFormat,
) -> None:
    link = full_link(offline_letters(format), 1)
    [(svg, _)] = pictures([Sticker(CODE, link, has_tag=True)], format, BASE)
    assert link.partition("#")[2].encode() not in svg
    assert len(printed_symbol(link, 42).rows) + 2 * QUIET <= 89


# --- Carnets ---


def carnet(documents: dict[str, Any], idioma: Idioma = Idioma.ES, link: str = "") -> dict[str, Any]:
    link = link or link_of(BASE, CODE, TAG)
    page = PrintedCarnet(CODE, link, "K7M2QXR5T8W3", NOW, NOW + timedelta(days=365), None, None, documents)
    assert drawn_carnet(FileType.PNG, page, CarnetForm.WALLET, idioma, BASE, NOW)
    return carnet_data(page, CarnetForm.WALLET, idioma, BASE, NOW)


def allergy(name: str, **more: Any) -> dict[str, Any]:
    return {"alergiasa": {"alergias": [{"agente": {"texto": name}, **more}]}}


@pytest.mark.parametrize(
    ("idioma", "words"),
    [
        (Idioma.ES, "Lleva autoinyector de adrenalina: mochila"),
        (Idioma.EN, "Carries an adrenaline autoinjector: mochila"),
        (Idioma.PT, "Tem consigo autoinjetor de adrenalina: mochila"),
    ],
)
@pytest.mark.parametrize("criticidad", ["alta", "desconocida"])
def test_a_carnet_says_where_the_autoinjector_is(idioma: Idioma, words: str, criticidad: str) -> None:
    data = carnet(allergy("Maní", criticidad=criticidad, autoinyector=True, guardado_en="mochila"), idioma)
    [sign] = data["signs"]
    assert words in sign["detail"] and sign["brief"] == words and data["below_signs"] == ""


def test_a_full_record_has_all_its_signs_on_a_carnet() -> None:
    data = carnet(full_record())
    assert [sign["text"] for sign in data["signs"][-2:]] == [
        "Y 2 más: rechaza transfusiones, voluntad anticipada registrada",
        "Alergia de gravedad desconocida: Picadura de hormiga roja",
    ]
    assert re.fullmatch(r"Sin evaluar: Vitamina D de la farmacia del barrio.*", data["below_signs"])


ASTHMA = {"texto": "Asma", "sistema": "snomed", "codigo": "195967001"}
NOTHING: dict[str, tuple[dict[str, Any], str]] = {
    "judged": ({"salud": {"condiciones": [{"condicion": ASTHMA}]}}, "Sin alertas graves registradas; puede tenerlas."),
    "not judged": ({"salud": {"condiciones": [{"condicion": {"texto": "Rara"}}]}}, "Sin evaluar: Rara"),
    "nothing recorded": ({}, "No hay alergias, medicinas ni enfermedades registradas: no se sabe si tiene alguna."),
    "reserved": (
        {"consentimiento": {"visibilidad": {"alergiasm": "P"}}},
        "Sin alertas graves en lo que se puede mostrar. Escanee el QR.",
    ),
    "not readable": ({"consentimiento": "roto"}, "No se pudo leer la ficha."),
    "unknown severity": (allergy("Polen"), ""),
}


@pytest.mark.parametrize("case", NOTHING.values(), ids=NOTHING)
def test_a_carnet_without_signs_claims_no_more_than_the_page(case: tuple[dict[str, Any], str]) -> None:
    documents, sentence = case
    data = carnet(documents)
    assert data["below_signs"] == sentence
    assert bool(data["signs"]) is not bool(sentence)


# --- Words on stickers ---


def words(documents: dict[str, Any], idioma: Idioma = Idioma.ES) -> tuple[str, ...]:
    return sticker_words(found_signs(RecordForRules(documents, NOW.date())), idioma)


def test_words_on_a_sticker_are_said_once_and_what_is_left_is_counted() -> None:
    two = {"alergiasa": {"alergias": [{"agente": {"texto": name}, "criticidad": "alta"} for name in ("Maní", "Kiwi")]}}
    assert words(two) == ("Alergia grave",)
    assert words(allergy("Polen")) == ("Alergia de gravedad desconocida",)
    unjudged = two | {"salud": {"condiciones": [{"condicion": {"texto": "Rara"}}]}}
    assert words(unjudged, Idioma.PT) == ("Alergia grave", "e mais 1")
    assert len(words(full_record())) == 4
    assert words({"salud": {"condiciones": [{"condicion": {"texto": "Rara"}}]}}) == ()
    for format in StickerFormat:
        made = Sticker(CODE, link_of(BASE, CODE, TAG), has_tag=True, words=words(full_record()))
        assert len(pictures([made], format, BASE)) == 1
