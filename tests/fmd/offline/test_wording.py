"""What is carried once reads in three languages."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.offline.packing import dictionary
from ficha.fmd.offline.wording import escaped, references, with_references
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.terms import all_terms
from ficha.fmd.translations import Translated
from tests.fmd.documents import stop_signs

TABLE = sign_table()
CASES = [case for rule in TABLE["rules"] for case in rule["cases"] if case["says"]]


def said(text: str, language: str) -> str:
    """What the viewer's script makes of it."""

    def word(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in "()":
            return {"(": "{", ")": "}"}[name]
        if name.startswith("@"):
            return date_text(f"{name[1:5]}-{name[5:7]}-{name[7:]}", language)
        return references()[name].in_language(language)

    return re.sub(r"\{([^{}]*)\}", word, text)


def in_all(text: str) -> Translated:
    return Translated(*(said(text, language) for language in ("es", "en", "pt")))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_every_stop_sign_reads_in_three_languages(case: dict[str, object]) -> None:
    documents = case["documents"]
    assert isinstance(documents, dict)
    for sign in stop_signs(documents, date.fromisoformat(TABLE["cases_today"])):
        for words in filter(None, (sign.label, sign.text, sign.detail)):
            assert in_all(with_references(words)) == words


def test_every_term_and_phrase_reads_in_three_languages() -> None:
    for name, words in references().items():
        assert in_all(with_references(words)) == words
        assert not set(name) & set("{}\n") and name.rstrip("~") == words.es


def test_namesakes_are_told_apart() -> None:
    """Two English names, one Spanish one."""
    both = [words for words in references().values() if words.es == "Insuficiencia suprarrenal"]
    assert len({words.en for words in both}) == 2
    assert {in_all(with_references(words)).en for words in both} == {words.en for words in both}


def test_free_text_is_not_translated_even_if_it_looks_like_a_term() -> None:
    assert said(with_references(Translated(*["Epilepsia"] * 3)), "en") == "Epilepsia"


@given(st.text(max_size=60), st.sampled_from(sorted(references())), st.text(max_size=60))
def test_words_around_a_term_stay_as_they_are(before: str, name: str, after: str) -> None:
    words = Translated(*(f"{before}{word}{after}" for word in references()[name]))
    flat = Translated(*(re.sub(r"[\n\r]", " ", word) for word in words))
    text = with_references(words)
    assert in_all(text) == flat or text == escaped(words.es)
    assert said(text, "es") == flat.es


def test_braces_and_line_breaks_cannot_pretend_to_be_ours() -> None:
    sly = "Maní}\n!{Epilepsia}\r{("
    assert "\n" not in escaped(sly)
    assert said(escaped(sly), "en") == "Maní} !{Epilepsia} {("


def test_what_the_catalogue_knows_takes_few_bytes() -> None:
    held = dictionary().decode()
    missing = [name for name in references() if f"{{{name}}}" not in held]
    medicines = {term.words.es for term in all_terms() if term.sistema == "atc"}
    # Vaccines, and what was added since the dictionary was made. Everyday medicines are many, and seldom on a sticker.
    others = [name for name in missing if name not in medicines]
    assert len(others) < 170, others
    assert len(missing) - len(others) < 230
