"""Phone numbers."""

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.core.phones import NotDialable, international, one_spelling, regions, spellings, to_e164, typed_phone
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY


@pytest.mark.parametrize(
    ("cod_telefono", "telefono", "expected"),
    [
        ("+58", "4125551111", "+584125551111"),
        ("+58", "04125551111", "+584125551111"),
        ("+57", "3011234567", "+573011234567"),
        ("+55", "11987654321", "+5511987654321"),
        ("+1", "2025550123", "+12025550123"),
        ("+39", "0612345678", "+390612345678"),
    ],
)
def test_numbers_become_dialable(cod_telefono: str, telefono: str, expected: str) -> None:
    assert to_e164(cod_telefono, telefono) == expected


@pytest.mark.parametrize(
    ("cod_telefono", "telefono"), [("+58", "911"), ("+49", "112"), ("+999", "4125551111"), ("+58", "12")]
)
def test_what_reaches_nobody_is_refused(cod_telefono: str, telefono: str) -> None:
    with pytest.raises(NotDialable):
        to_e164(cod_telefono, telefono)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("0412-555 11 11", ("+58", "04125551111")),
        ("+58 412 555 11 11", ("+58", "4125551111")),
        ("+49 1511 2345678", ("+49", "15112345678")),
        ("0044 7700 900124", ("+44", "7700900124")),
        ("+44 (0)7700 900124", ("+44", "7700900124")),
        ("+39 06 1234 5678", ("+39", "0612345678")),
        # As a contact list copies it: between marks of direction, with hyphens that break no line.
        ("\u202a+49\u20111511\u20112345678\u202c", ("+49", "15112345678")),
        # Refused by whoever stores it.
        ("+999 1234567", ("+58", "+9991234567")),
        ("00999 1234567", ("+58", "+9991234567")),
        ("+58 412 CALL", ("+58", "+58412CALL")),
        ("", ("+58", "")),
    ],
)
def test_a_number_typed_with_its_country_is_of_that_country(number: str, expected: tuple[str, str]) -> None:
    assert typed_phone("58", number) == expected


@given(st.from_regex(r"\+[1-9][0-9]{0,3}", fullmatch=True), st.from_regex(r"[0-9]{4,15}", fullmatch=True))
def test_any_digits_are_either_dialable_or_refused(cod_telefono: str, telefono: str) -> None:
    try:
        found = to_e164(cod_telefono, telefono)
    except NotDialable:
        return
    assert found.startswith(cod_telefono) and found[1:].isdigit() and len(found) <= 20


@given(st.from_regex(r"\+?(52|54|55|58|1)[0-9]{8,12}", fullmatch=True))
def test_both_spellings_of_a_number_find_each_other(number: str) -> None:
    for other in spellings(number):
        assert sorted(spellings(other)) == sorted(spellings(number))
        assert one_spelling(other) == one_spelling(number) and one_spelling(number) in spellings(number)


@pytest.mark.parametrize(
    ("one", "other"),
    [("+525512345678", "+5215512345678"), ("+541123456789", "+5491123456789"), ("+551187654321", "+5511987654321")],
)
def test_mexico_argentina_and_brazil_write_a_number_in_two_ways(one: str, other: str) -> None:
    assert spellings(one) == [one, other] and spellings(other) == [other, one]


PREFIXES = [prefix for prefix, region in regions().items() if region in BY_COUNTRY]


@pytest.mark.parametrize("prefix", PREFIXES)
def test_numbers_of_every_kind_and_near_misses_are_written_alike(prefix: str) -> None:
    examples = [
        phonenumbers.example_number_for_type(region, kind)
        for region in phonenumbers.region_codes_for_country_code(int(prefix))
        for kind in phonenumbers.PhoneNumberType.values()
    ]
    real = [phonenumbers.national_significant_number(number) for number in examples if number]
    assert real
    for national in (*real, *[number[:-1] for number in real], *[f"{number}7" for number in real], "4"):
        if not national.startswith("0"):
            number = phonenumbers.PhoneNumber(country_code=int(prefix), national_number=int(national))
            style = phonenumbers.PhoneNumberFormat.INTERNATIONAL
            assert international(prefix, national) == phonenumbers.format_number(number, style)


def test_a_prefix_that_no_country_has_is_left_out() -> None:
    assert international("+999", "4125551111") == "4125551111"
