"""Whatever people write in a record stays text: it never becomes markup."""

from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Door
from ficha.fmd.freshness import Level
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import Section
from ficha.fmd.rules.record_for_rules import MAX_NAME
from ficha.fmd.values import PARTIAL
from ficha.web.contact.answer_page import AnswerPage, ShownAnswer, render_answer
from ficha.web.kit.forms import FieldFault
from ficha.web.sticker.page_facts import (
    AlertFacts,
    BreakGlassForm,
    RelayForm,
    TypedCodePage,
    UnopenedKind,
    UnopenedPage,
)
from ficha.web.sticker.responder_page import render_responder
from ficha.web.sticker.typed_code_page import render_typed_code
from ficha.web.sticker.unopened_page import render_unopened
from tests.fmd.documents import NOW
from tests.web.sticker.records import full_record
from tests.web.sticker.rendering import ParsedPage, facts, page, parsed

PLAIN = "xqz"
TRICKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><b>",
    "</title></textarea></script>",
    "<!-- ",
    "]]>",
    "&lt;b&gt; &amp; &#60;",
    "{{ 7*7 }}{% raw %}",
    "{0} {name} %s",
    "javascript:alert(1)",
    "\u202e\u2028\x00<b",
]
texts = st.sampled_from(TRICKS) | st.text(max_size=40) | st.lists(st.sampled_from(TRICKS), max_size=3).map("".join)
# What is compared with a list of ours, counted or dialled cannot hold a free text.
KEPT = {"sistema", "codigo", "id", "tipo", "estado", "sexo", "fuente", "criticidad", "categoria", "gravedad", "foto_id",
        "grupo_sanguineo", "cod_telefono", "telefono", "telefono_e164", "custodia", "documento_id", "pais"}  # fmt: skip


def filled(value: Any, text: str, name: str = "") -> Any:
    """The record with `text` in every place that holds text, except dates and what is kept."""
    if isinstance(value, dict):
        return {key: filled(inner, text, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, text, name) for inner in value]
    is_free = isinstance(value, str) and name not in KEPT and not PARTIAL.fullmatch(value)
    return text if is_free else value


def replaced(value: Any, text: str) -> Any:
    """A view with `text` for every string in it, but for what names a place in the page."""
    if isinstance(value, str):
        return value if isinstance(value, Level) else text
    if isinstance(value, tuple):
        items = [replaced(inner, text) for inner in value]
        made: Any = type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return made._replace(key=value.key) if isinstance(value, Section) else made
    return value


def page_with(text: str, door: Door, language: Idioma) -> ParsedPage:
    record = full_record()
    record["consentimiento"].pop("visibilidad", None)
    return parsed(page(filled(record, text), language.value, door))


@cache
def plain_page(door: Door, language: Idioma) -> ParsedPage:
    """What each page with a trick is compared with."""
    return page_with(PLAIN, door, language)


@pytest.mark.slow
@settings(max_examples=120)
@given(texts, st.sampled_from([Door.R, Door.B]), st.sampled_from(list(Idioma)))
def test_no_text_of_a_record_becomes_markup(text: str, door: Door, language: Idioma) -> None:
    trick = (PLAIN + text)[:MAX_NAME].rstrip()  # The signs cut longer names.
    plain, tricked = plain_page(door, language), page_with(trick, door, language)
    assert tricked.elements == plain.elements
    assert tricked.text.count(trick) >= plain.text.count(PLAIN) > 40


def view_with(text: str) -> ParsedPage:
    view = responder_view(full_record(), Door.B, NOW, "es", saved=dict.fromkeys(full_record(), NOW))
    return parsed(render_responder(replaced(view, text)._replace(language="es"), facts()).whole().decode())


@cache
def plain_view() -> ParsedPage:
    return view_with(PLAIN)


@pytest.mark.slow
@settings(max_examples=80)
@given(texts)
def test_no_word_of_a_view_becomes_markup_wherever_it_came_from(text: str) -> None:
    plain, tricked = plain_view(), view_with(PLAIN + text)
    assert tricked.elements == plain.elements
    assert tricked.text.count(PLAIN) >= plain.text.count(PLAIN) > 200


@pytest.mark.parametrize("trick", TRICKS)
def test_a_line_of_tricks_is_shown_as_it_is(trick: str) -> None:
    record = full_record()
    record["emergencia"]["instrucciones"] = f"a{trick}z"
    assert f"a{trick}z" in parsed(page(record)).text


def pages_around(given: str) -> list[ParsedPage]:
    """Pages with this text for every fact around a record."""
    alert, fields = AlertFacts((given,), said=(given,)), {"sello": given}
    relay = RelayForm(given, given, given, given, given, is_open=True)
    form = BreakGlassForm(given, given, given, (FieldFault("quien", given),))
    typed = TypedCodePage(language=Idioma.ES, code=given, emergency=(given,), first_name=given, languages=given,
                          alert_action=given, fields=fields)  # fmt: skip
    ack = AnswerPage(language=Idioma.EN, answer=ShownAnswer.ASKED, emergency=(given,), name=given, since=NOW,
                     where=given, map_url=given, with_whom=given, responder_phone=given, action=given, fields=fields,
                     lines=(given,), said=(given,))  # fmt: skip
    unopened: dict[str, Any] = {"language": Idioma.PT, "code": given, "emergency": (given,), "fields": fields}
    unopened |= {"alert_action": given, "begin_action": given, "own_page": given}
    pages = (
        page(full_record(), code=given, alert_action=given, glass=form, fields=fields, notices=(given,)),
        page(full_record(), alert=alert, refresh=9, glass=BreakGlassForm("/", page=given), switch={Idioma.EN: given}),
        page(full_record(), alert=alert, relay=relay, fields=fields),
        render_typed_code(typed).decode(),
        render_answer(ack).decode(),
        *(render_unopened(UnopenedPage(kind=kind, **unopened)).decode() for kind in UnopenedKind),
    )
    return [parsed(each) for each in pages]


@cache
def plain_pages_around() -> list[ParsedPage]:
    return pages_around(PLAIN)


@pytest.mark.slow
@settings(max_examples=60)
@given(texts)
def test_no_fact_around_a_record_becomes_markup(text: str) -> None:
    for plain, tricked in zip(plain_pages_around(), pages_around((PLAIN + text).rstrip()), strict=True):
        assert tricked.elements == plain.elements


def test_the_record_given_is_not_changed() -> None:
    record = full_record()
    before = deepcopy(record)
    page(record, door=Door.B)
    assert record == before
