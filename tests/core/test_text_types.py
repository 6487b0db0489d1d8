"""What a text field takes: the short ways say what the long ones would."""

import unicodedata
from typing import Annotated

import pytest
from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, validate_email
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from ficha.core.text_types import (
    CONTROL_CHARACTERS,
    LONGEST_CORREO,
    PLAIN_CORREO,
    PLAIN_LENGTH,
    Nombre,
    TextLimits,
    correo_key,
    valid_correo,
)
from ficha.fmd.values import Numero, Parrafo, Texto

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
# Two letters each when they are composed, and those that are one then.
GROWING = "\u0958\ufb2a\u0dde"
SHRINKING = "n\u0303"


def said_by_the_library(value: str) -> str | None:
    """And its key fits."""
    try:
        address = validate_email(value, check_deliverability=False).normalized
    except EmailNotValidError:
        return None
    return address if len(correo_key(address)) <= LONGEST_CORREO else None


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
@example("\ufdfa" * 21 + "@ejemplo.com")
def test_every_correo_is_judged_as_the_library_does(value: str) -> None:
    assert said_by_us(value) == said_by_the_library(value)


def test_control_characters_are_those_of_unicode() -> None:
    letters = [chr(number) for number in range(0x110000)]
    controls = [letter for letter in letters if unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t"]
    assert CONTROL_CHARACTERS.findall("".join(letters)) == controls


@pytest.mark.parametrize("kind", [Nombre, Texto, Parrafo, Numero])
@given(value=st.text(st.sampled_from(GROWING + SHRINKING + " \u2028.-") | st.characters(), max_size=50))
@example(value=GROWING)
@example(value=f" {SHRINKING} ")
@example(value="\u0958" * 40)
def test_what_was_taken_is_taken_again(kind: type[str], value: str) -> None:
    text: TypeAdapter[str] = TypeAdapter(kind)
    try:
        kept = text.validate_python(value)
    except ValidationError:
        return
    assert text.validate_python(kept) == kept == unicodedata.normalize("NFC", kept)


def test_limits_hold_for_what_is_typed_and_for_what_is_kept() -> None:
    text: TypeAdapter[str] = TypeAdapter(Annotated[str, TextLimits(4)])
    assert text.validate_python(" \u0958\u0958 ") == "\u0915\u093c" * 2
    assert text.validate_python("an\u0303o") == "a\u00f1o"
    for long in ("\u0958\u0958\u0958", "an\u0303os"):
        with pytest.raises(ValidationError) as error:
            text.validate_python(long)
        assert error.value.errors()[0]["type"] == "string_too_long"
    assert text.json_schema() == {"type": "string", "minLength": 1, "maxLength": 4}
