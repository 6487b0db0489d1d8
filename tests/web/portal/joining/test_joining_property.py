"""Whatever somebody answers when joining, whoever scans is never told that there is nothing serious beside an allergy
of unknown severity, or beside something that has no code."""

import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.accounts.accounts import Idioma
from ficha.cards.carnet_pages import NO_SIGNS, CarnetForm, PrintedCarnet, carnet_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import prepare_document
from ficha.fmd.offline.lines import CLAIM, CLAIMS
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.responder.view import NoSigns
from ficha.fmd.terms import all_terms
from ficha.web.kit.texts import page_texts
from ficha.web.portal.joining.first_questions import LINES, LISTS, NONE_OF, read_answers
from tests.fmd.documents import NOW
from tests.web.portal.forms.form_values import text
from tests.web.portal.joining.test_joining import joined
from tests.web.sticker.rendering import page
from tests.world import World

STORM = bool(os.environ.get("FICHA_STORM"))
PAGE = page_texts("sticker", "page")
# Every sentence by which a stranger learns that there is nothing serious, on the page and on what is printed.
QUIET = (NoSigns.JUDGED, NoSigns.WRITTEN, NoSigns.RESERVED)
SEVERITIES = st.sampled_from(["", "alta", "baja", "desconocida", "otra"])
WORDS = [one for term in all_terms() for one in (term.words.es, term.words.en.lower())]
TYPED = st.one_of(st.just(""), text(60).map(lambda pair: pair[0]), st.sampled_from(WORDS))


@st.composite
def lines(draw: st.DrawFn, kind: str, place: int) -> dict[str, str]:
    """In one's own words, in those of the list without choosing, or chosen from it by a script."""
    name = f"{kind}.{place}"
    found = {name: draw(TYPED), f"{name}.es": ""}
    if draw(st.booleans()):
        fields = {(model, campo) for model, (_, campo) in LISTS[kind].items()}
        term = draw(st.sampled_from([one for one in all_terms() if (one.modelo, one.campo) in fields]))
        words = term.words.es
        found = {name: words, f"{name}.es": f"{term.modelo}|{term.sistema}|{term.codigo}|{words}"}
        if draw(st.integers(0, 3)) == 0:
            found[name] = draw(TYPED)  # Other words after choosing.
    if kind == "alergia":
        found[f"{name}.criticidad"] = draw(SEVERITIES)
    return found


@st.composite
def forms(draw: st.DrawFn) -> dict[str, str]:
    form = {"nombres": "Ana", "apellidos": "Rojas", "fecha_nacimiento": draw(st.sampled_from(["", "31/03/2012"]))}
    for kind, nothing in NONE_OF.items():
        for place in LINES:
            form |= draw(lines(kind, place)) if draw(st.booleans()) else {}
        form |= {nothing: "si"} if draw(st.booleans()) else {}
    return form


def is_uncertain(documents: dict[str, Any]) -> bool:
    """Whether the record has an allergy of unknown severity, or a fact without a code."""
    places = [(model, *where) for models in LISTS.values() for model, where in models.items()]
    facts = [(fact, fact[campo]) for model, items, campo in places for fact in documents.get(model, {}).get(items, ())]
    allergies = [fact for model in LISTS["alergia"] for fact in documents.get(model, {}).get("alergias", ())]
    unknown = [one for one in allergies if one.get("criticidad", "desconocida") == "desconocida"]
    return bool(unknown) or any("codigo" not in term for _, term in facts)


def says_nothing_serious(documents: dict[str, Any], language: Idioma) -> list[str]:
    """Where: on the page, in the QR that is read without a network, on the carnet."""
    found = []
    html = page(documents, language)
    if any(PAGE[f"no_signs_{why}"].in_language(language) in html for why in QUIET):
        found.append("page")
    summary = offline_summary(documents, "K7M2QX", NOW.date()).text(lambda _text: True)
    if any(line == CLAIM + CLAIMS[why] for line in summary.splitlines() for why in QUIET):
        found.append("offline")
    carnet = PrintedCarnet("K7M2QX", "https://x.co/e/K7M2QX", "ABCDEFGHJKMN", NOW, NOW, None, None, documents)
    below = carnet_data(carnet, CarnetForm.WALLET, language, "https://x.co", NOW)["below_signs"]
    if any(below == NO_SIGNS[why].in_language(language) for why in QUIET):
        found.append("carnet")
    return found


@settings(max_examples=1500 if STORM else 150)
@given(forms(), st.sampled_from(Idioma))
def test_nothing_serious_is_never_said_beside_what_nobody_judged(form: dict[str, str], language: Idioma) -> None:
    documents = {}
    for name, patch in read_answers(form, language).patches.items():
        model = CATALOG.find(name)
        assert model is not None
        documents[name] = prepare_document(model, patch, {}, NOW)
    said = says_nothing_serious(documents, language)
    assert not (said and is_uncertain(documents)), said


@settings(max_examples=200 if STORM else 8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(form=forms(), language=st.sampled_from(Idioma))
def test_nor_by_the_pages_themselves(world: World, form: dict[str, str], language: Idioma) -> None:
    user, first = joined(world)
    sent = user.submit(f"{first}?l={language}", **form)
    assert sent.status_code == 303, sent.text
    headers = {"Referer": "http://testserver/app"}
    models = user.client.get(f"/v2/fmd/{first.split('/')[2]}/export", headers=headers).json()["modelos"]
    seen = user.get(f"{first.replace('inicio', 'vista')}?l={language}").text
    is_quiet = any(PAGE[f"no_signs_{why}"].in_language(language) in seen for why in QUIET)
    assert not (is_quiet and is_uncertain(models))


def test_the_sentences_are_those_that_a_quiet_record_shows(world: World) -> None:
    """Otherwise the property would hold of anything."""
    user, first = joined(world)
    assert user.submit(first, sin_alergias="si", sin_condiciones="si", sin_medicinas="si").status_code == 303
    assert PAGE["no_signs_judged"].es in user.get(first.replace("inicio", "vista")).text
    nothing = {model: {"ausencia": "ninguna_conocida"} for models in LISTS.values() for model in models}
    assert says_nothing_serious(nothing, Idioma.ES) == ["page", "offline", "carnet"]
