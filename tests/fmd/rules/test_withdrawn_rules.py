"""What a withdrawn sign or line changes in what is made of a record, and that nothing forgets to ask."""

import ast
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.cards.carnet_pages import CarnetForm, PrintedCarnet, drawn_carnet
from ficha.cards.printing import FileType
from ficha.fmd.base import Door
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.rules.advice import advice_for, all_advice, rules_version
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.rules.signs import all_signs, found_signs
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, RuleKind, WithdrawnRules, withdrawn_in
from tests.fmd.documents import NOW, TODAY, stop_signs
from tests.fmd.rules.test_cases import CASES
from tests.source_code import nodes_with

# Whoever calls one of these must say what is withdrawn.
MADE_OF_RULES = {"stop_signs", "found_signs", "advice_for", "responder_view", "offline_summary"}
SEVERE = {"agente": {"texto": "Kiwi de la tía"}, "criticidad": "alta"}


def case_of(rule: str) -> dict[str, Any]:
    """A record in which this rule finds something."""
    [found] = [one for one in sign_table()["rules"] if one["id"] == rule]
    documents: dict[str, Any] = next(case["documents"] for case in found["cases"] if case["says"])
    return documents


def without(*signs: str, advice: tuple[str, ...] = ()) -> WithdrawnRules:
    return WithdrawnRules(1, frozenset(signs), frozenset(advice))


def test_each_sign_can_be_withdrawn_and_its_facts_are_then_not_judged() -> None:
    for rule in all_signs():
        record = RecordForRules(case_of(rule), TODAY)
        before, after = found_signs(record), found_signs(record, without(rule))
        assert rule in {sign.rule for sign in before.shown}
        assert rule not in {sign.rule for sign in after.all}, rule
        assert len(after.unjudged) > len(before.unjudged), rule
        assert len(after.shown) < len(before.shown)


def test_allergies_of_unknown_severity_go_with_the_sign_of_allergies() -> None:
    record = RecordForRules({"alergiasa": {"alergias": [{"agente": {"texto": "Kiwi de la tía"}}]}}, TODAY)
    assert found_signs(record).unknown is not None
    after = found_signs(record, without("alergia"))
    assert after.unknown is None and "Kiwi de la tía" in after.unjudged[0].es


def test_another_record_is_not_touched() -> None:
    view = responder_view(case_of("epilepsia"), Door.R, NOW, "es", withdrawn=without("diabetes", advice=("golpe",)))
    assert view == responder_view(case_of("epilepsia"), Door.R, NOW, "es")


def test_each_line_of_advice_can_be_withdrawn_alone() -> None:
    for rule in all_signs():
        documents = case_of(rule)
        record = RecordForRules(documents, TODAY)
        signs = stop_signs(documents, TODAY)
        lines = [one.advice.line for one in advice_for(record, signs)]
        for line in lines:
            left = {one.advice.line for one in advice_for(record, signs, without(advice=(line,)))}
            # What had given way to the withdrawn line is shown in its place.
            assert line not in left and left >= set(lines) - {line}, line
            assert left <= {*lines, *(one for sign in signs for one in sign.advice)}


def test_a_variant_of_a_line_can_be_withdrawn_as_well() -> None:
    variant = next(one for one in all_advice().values() if one.id != one.line)
    for case in CASES.values():
        record = RecordForRules(case["documents"], TODAY)
        signs = found_signs(record).all
        if variant.id in [one.advice.id for one in advice_for(record, signs)]:
            left = [one.advice.id for one in advice_for(record, signs, without(advice=(variant.id,)))]
            assert variant.id not in left
            return
    raise AssertionError("no case shows that variant")


def test_the_facts_of_a_withdrawn_sign_stay_in_their_section() -> None:
    documents = {"alergiasa": {"alergias": [SEVERE]}}
    view = responder_view(documents, Door.R, NOW, "es", withdrawn=without("alergia"))
    assert view.signs == () and view.unjudged == ("Kiwi de la tía",)
    [section] = [one for one in view.sections if one.key == "allergies"]
    assert section.lines[0].title.words == "Kiwi de la tía"
    offline = offline_summary(documents, "K7M2QX", TODAY, withdrawn=without("alergia")).text(lambda _: True)
    assert offline.endswith("\njKiwi de la tía\n=u")


def test_a_carnet_does_not_say_that_there_are_no_signs() -> None:
    documents = {"alergiasa": {"alergias": [SEVERE]}}
    carnet = PrintedCarnet("K7M2QX", "A" * 26, "K7M2QXR5T8W3", NOW, NOW, None, None, documents)
    empty, withdrawn = carnet._replace(documents={}), carnet._replace(withdrawn=without("alergia"))
    drawn = [
        drawn_carnet(FileType.SVG, one, CarnetForm.WALLET, Idioma.ES, "https://ficha.example", NOW)
        for one in (carnet, empty, withdrawn)
    ]
    assert len(set(drawn)) == 3


def test_the_newest_change_of_each_counts_and_the_version_names_it() -> None:
    rows = [
        (3, "sign", "epilepsia", 1),
        (4, "advice", "epilepsia", True),
        (7, "sign", "epilepsia", 0),
        (9, "sign", "de_una_version_vieja", True),
    ]
    found = withdrawn_in(rows)
    assert found == WithdrawnRules(9, frozenset({"de_una_version_vieja"}), frozenset({"epilepsia"}))
    assert rules_version(found).endswith("+9") and rules_version(NONE_WITHDRAWN).endswith("+0")
    assert [kind.value for kind in RuleKind] == ["sign", "advice"]


def test_whatever_is_made_of_the_rules_says_what_is_withdrawn() -> None:
    forgetful = []
    for file, nodes in nodes_with(*MADE_OF_RULES):
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MADE_OF_RULES:
                given = [ast.unparse(one) for one in [*node.args, *(each.value for each in node.keywords)]]
                if not any("withdrawn" in one.lower() for one in given):
                    forgetful.append(f"{file.name}:{node.lineno}")
    assert forgetful == []
