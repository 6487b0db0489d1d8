"""What a text field takes: the short ways say what the long ones would."""

import unicodedata

import pytest
from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from ficha.core.text_types import CONTROL_CHARACTERS, PLAIN_CORREO, PLAIN_LENGTH, valid_correo

ENDS = (*SPECIAL_USE_DOMAIN_NAMES, "com", "ve", "COM", "c", "c0m", "xn--p1ai")
# What looks like an address more often than not.
LIKELY = st.builds(
    "{}@{}.{}".format,
    st.text("aZ1._+-ñ@ ", max_size=70),
    st.text("aZ1.-_ñ", max_size=70),
    st.sampled_from(ENDS),
)
WORDS = st.text("az09", min_size=1, max_size=6)
LABELS = st.lists(WORDS, min_size=1, max_size=2).map("-".join)
PLAIN = st.builds(
    "{}{}@{}.{}".format,
    WORDS,
    st.lists(st.tuples(st.sampled_from("._+-"), WORDS).map("".join), max_size=2).map("".join),
    st.lists(LABELS, min_size=1, max_size=2).map(".".join),
    st.sampled_from(["com", "ve", "testing", "museum"]),
)


def said_by_the_library(value: str) -> str | None:
    try:
        return validate_email(value, check_deliverability=False).normalized
    except EmailNotValidError:
        return None


def said_by_us(value: str) -> str | None:
    try:
        return valid_correo(value)
    except PydanticCustomError:
        return None


@given(PLAIN)
def test_a_plain_correo_is_one_for_the_library_too(value: str) -> None:
    assert len(value) <= PLAIN_LENGTH and PLAIN_CORREO.fullmatch(value)
    assert said_by_us(value) == value == said_by_the_library(value)


@pytest.mark.parametrize("end", ENDS)
def test_every_end_is_judged_as_the_library_does(end: str) -> None:
    for value in (f"ana@ejemplo.{end}", f"ana@{end}", f"ana@{end}.com", f"ana@a.b-c.{end}"):
        assert said_by_us(value) == said_by_the_library(value)


@given(LIKELY | st.text())
@example("ana@ejemplo.com")
@example("ana@ejemplo.com\n")
@example("Info@ejemplo.com")
@example("ana@EJEMPLO.com")
@example("ana@ejemplo.test")
@example("ana@ejemplo.testing")
@example("ana@xn--espaa-rta.com")
@example("ana@xn--a.com")
@example(f"{'a' * 65}@ejemplo.com")
@example(f"ana@{'a' * 64}.com")
def test_every_correo_is_judged_as_the_library_does(value: str) -> None:
    assert said_by_us(value) == said_by_the_library(value)


def test_control_characters_are_those_of_unicode() -> None:
    letters = [chr(number) for number in range(0x110000)]
    controls = [letter for letter in letters if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t"]
    assert CONTROL_CHARACTERS.findall("".join(letters)) == controls
