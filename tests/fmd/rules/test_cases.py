"""Labelled cases, a file each: what a stranger must read, what must not be signed, and which advice goes with it.

Each is looked at on the page, through the API, and in the lines of a sticker, in three languages.
"""

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from ficha.fmd.base import Door
from ficha.fmd.entries import Entry, EntryVersion
from ficha.fmd.models.health import TipoConsideracion
from ficha.fmd.offline.lines import CLAIMS
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.rules.advice import ADVICE_VERSION, all_advice
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import advice_table, conflict_table, sign_table
from ficha.fmd.rules.sign_conditions import compiled, marks_of, severe_findings, unknown_findings
from ficha.fmd.terms import class_of, lookup
from ficha.web.kit.texts import page_texts
from tests.fmd.documents import NOW, TODAY, stored_form
from tests.fmd.offline.test_wording import said
from tests.web.sticker.rendering import page
from tests.web.sticker.sticker import sticker_of
from tests.world import World

LANGUAGES = ("es", "en", "pt")
STAFF = page_texts("sticker", "page")["staff"]
CASES: Mapping[str, dict[str, Any]] = {
    file.stem: json.loads(file.read_text("utf-8")) for file in sorted((Path(__file__).parent / "cases").glob("*.json"))
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def words_of(markup: str) -> str:
    body = markup.partition("<main>")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def check_page(case: dict[str, Any], markup: str, language: str) -> None:
    words = words_of(markup) + words_of(markup.replace("<header>", "<main>").replace("</header>", "</main>"))
    box = markup.partition('class="stop"')[2].partition("</section>")[0]
    signs = words_of(f"<main>{box}</main>")
    for shown in case["must_show"]:
        assert shown[language] in words
    for never in case["must_not_sign"] if language == "es" else ():
        assert never not in signs
    told = [
        one
        for one in all_advice().values()
        if f"{one.title.in_language(language)}. {one.do.in_language(language)}" in words
    ]
    assert {one.id for one in told} == set(case["advice"])
    assert all(one.dont.in_language(language) in words for one in told)
    for one in told:
        assert one.staff is None or f"{STAFF.in_language(language)} {one.staff.in_language(language)}" in words
        rescue = case.get("rescue", {}).get(one.id)
        assert rescue is None or f"{one.do.in_language(language)} {rescue[language]}" in words


def test_there_are_enough_and_every_sign_and_advice_has_some() -> None:
    assert len(CASES) >= 60
    advised = {one for case in CASES.values() for one in case["advice"]}
    assert advised == {one.id for one in all_advice().values() if not one.is_former}
    located = {all_advice()[one].line for case in CASES.values() for one in case.get("rescue", ())}
    assert located == {one.line for one in all_advice().values() if one.rescue}
    views = [responder_view(case["documents"], Door.R, NOW, "es") for case in CASES.values()]
    signed = " ".join(sign.text for view in views for sign in view.signs)
    lines = [line for rule in sign_table()["rules"] for line in rule["lines"]]
    shown = [line["words"]["es"] for line in lines if line["names"] != "alone"]
    assert [words for words in shown if words not in signed and words != "Voluntad anticipada registrada"] == []


@each_case
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page(case: dict[str, Any], language: str) -> None:
    documents = {wire: stored_form(wire, document) for wire, document in case["documents"].items()}
    check_page(case, page(documents, language), language)


@pytest.mark.parametrize("kind", tuple(TipoConsideracion))
def test_the_name_of_a_need_instructs_nothing_and_none_is_left_out(kind: TipoConsideracion) -> None:
    seen = responder_view({"consideracion": {"consideraciones": [{"tipo": kind.value}]}}, Door.R, NOW, "es")
    if kind is TipoConsideracion.MOVILIDAD:
        assert [line.title.words for line in seen.to_do] == ["Puede necesitar ayuda para moverse"]
    else:
        assert seen.to_do == ()
        assert seen.signs or seen.advice or seen.unjudged == (kind.words.es,)


@each_case
def test_the_lines_of_a_sticker(case: dict[str, Any]) -> None:
    text = offline_summary(case["documents"], "K7M2QX", TODAY).text(lambda _: True)
    lines = text.split("\n")[2:]
    advice = {line[1:].partition("|")[0]: line.partition("|")[2] for line in lines if line[0] == "d"}
    assert list(advice) == case["advice"]
    for one, where in advice.items():
        rescue, sentence = all_advice()[one].rescue, case.get("rescue", {}).get(one)
        assert bool(where) == bool(sentence)
        if rescue and sentence:
            helped = [rescue.words.in_language(each).format(where=said(where, each)) for each in LANGUAGES]
            assert helped == list(sentence.values())
    signs = "\n".join(line[1:] for line in lines if line[0] in "!:")
    assert not [never for never in case["must_not_sign"] if never in said(signs, "es")]
    claims = [line[1:] for line in lines if line[0] == "="]
    for language in LANGUAGES:
        view = responder_view(case["documents"], Door.R, NOW, language, on_paper=True)
        signed, told = said(signs, language), said("\n".join(line[1:] for line in lines), language)
        for sign in (*view.signs, *filter(None, [view.unknown_allergies])):
            assert sign.text in signed and sign.detail in signed
        assert tuple(said(line[1:], language) for line in lines if line[0] == "j") == view.unjudged
        assert claims == ([] if signs else [CLAIMS[view.no_signs]])
        for note in (note.words for line in view.to_do for note in line.notes):
            assert " ".join(note.split("\n")) in told
        record = RecordForRules(case["documents"], TODAY)
        for finding in (*severe_findings(record), *unknown_findings(record), *record.conditions):
            assert finding.name is None or finding.name.in_language(language) in told


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # The rules do not depend on it.
def test_the_served_page_and_the_api(world: World) -> None:
    """One record takes all cases, one after the other, through the API."""
    sticker = sticker_of(world)
    for place, case in enumerate(CASES.values()):
        with world.parts.database.writing() as tx:
            tx.orm.execute(delete(Entry))
            tx.orm.execute(delete(EntryVersion))
        if case["documents"]:
            saved = world.client.patch(f"/v2/fmd/{sticker.code}", json=case["documents"], headers=sticker.owner.headers)
            assert saved.status_code == 200, saved.text
        for wire, document in case["documents"].items():
            read = world.reader.get(f"/v2/fmd/{sticker.code}/{wire}", headers=sticker.owner.headers)
            assert read.status_code == 200
            assert codes_in(read.json()) >= codes_in(document)
        language = LANGUAGES[place % 3]
        check_page(case, sticker.scan(params={"l": language}).text, language)


def codes_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["codigo"]} if isinstance(value.get("codigo"), str) else set()
        return own.union(*map(codes_in, value.values()))
    return set().union(*map(codes_in, value)) if isinstance(value, list) else set()


def test_every_code_of_a_group_that_a_rule_names_has_words_in_three_languages() -> None:
    """Its own, or those of the group around it."""
    groups = {code for rule in sign_table()["rules"] for line in rule["lines"] for code in _atc_of(line)}
    assert len(groups) > 10
    for group in groups:
        words = lookup("atc", group, "medicacion") or class_of(f"{group}{'AA01'[len(group) - 7 :]}")
        assert words is not None and all(words), group


def _atc_of(line: Mapping[str, Any]) -> list[str]:
    return [code for when in line["any"] for code in when.get("atc", ())]


def test_each_advice_names_its_sources_and_both_what_to_do_and_what_not() -> None:
    table = advice_table()
    assert table["version"] == ADVICE_VERSION
    for one in table["advice"]:
        assert one["sources"] and all(one[part][language] for part in ("title", "do", "dont") for language in LANGUAGES)
    lines = [line for rule in sign_table()["rules"] for line in rule["lines"]]
    assert [line["words"] for line in lines if line["advice"] not in all_advice()] == []


@each_case
def test_what_a_condition_finds_is_marked_in_the_record(case: dict[str, Any]) -> None:
    """Only the rules whose marks the record has are looked at."""
    found = RecordForRules(case["documents"], TODAY)
    lines = [line for rule in sign_table()["rules"] for line in rule["lines"]]
    conditions = [condition for line in lines for condition in line["any"]]
    conditions += [condition for one in advice_table()["advice"] for condition in one.get("also_for", ())]
    conditions += [condition for one in conflict_table()["conflicts"] for condition in one["with"].get("any", ())]
    for condition in conditions:
        assert not compiled(condition)(found) or marks_of(condition) & found.marks, condition
