"""docs/clinical.md tells a clinician all that a stranger may be told, and where it comes from."""

import pytest

from ficha.fmd.rules.advice import all_advice, all_conflicts
from ficha.fmd.rules.clinical_page import clinical_page
from ficha.fmd.rules.rule_files import sign_table


@pytest.fixture(scope="module")
def page() -> str:
    return clinical_page()


def test_it_says_first_that_no_clinician_has_reviewed_it(page: str) -> None:
    assert page.split("\n\n")[1] == "**No clinician has reviewed this.**"


def test_every_sign_line_variant_and_conflict_is_there(page: str) -> None:
    for one in (*all_advice(), *(conflict.id for conflict in all_conflicts())):
        assert f"\n### {one}\n" in page
    for words in (line["words"]["pt"] for rule in sign_table()["rules"] for line in rule["lines"]):
        assert words in page
    for line in all_advice().values():
        assert all(text in page for text in (*line.title, *line.do, *line.dont, *(line.staff or ())))
        assert all(str(act) in page for act in line.acts)


def test_a_source_that_nobody_read_is_not_passed_off_as_read(page: str) -> None:
    sources = {source for line in all_advice().values() for source in line.sources}
    sources |= {source for conflict in all_conflicts() for source in conflict.sources}
    assert {bool(source.url) for source in sources} == {True, False}
    for source in sources:
        told = (
            f"[{source.name}]({source.url}), read on {source.read}" if source.url else f"{source.name} (not looked up)"
        )
        assert told in page


def test_a_class_without_its_members_is_told_apart(page: str) -> None:
    assert "atc exactly B01A " in page and "atc exactly G04BE " in page


def test_conflicts_say_which_line_gives_way_beside_what(page: str) -> None:
    _, _, told = page.partition("\n### no_nitroglycerin\n")
    told = told.partition("\n### ")[0]
    assert "`dolor_de_pecho` becomes `dolor_de_pecho.sin_nitroglicerina`" in told
    assert "a line that forbids give_nitroglycerin; atc G04BE03" in told
