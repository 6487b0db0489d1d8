"""Emergency numbers by country, and phone numbers as their country writes them."""

import phonenumbers
import pytest

from ficha.fmd.responder.emergency_numbers import BY_COUNTRY, country_of, emergency_call, helpline, number_of

# The ministry's line and the national one, which the numbering plans that we can ask do not list.
NOT_IN_THE_PLANS = {("PE", "106"), ("HN", "911")}


@pytest.mark.parametrize("country", BY_COUNTRY)
def test_every_emergency_number_is_one_in_its_country(country: str) -> None:
    number = BY_COUNTRY[country]
    is_known = phonenumbers.is_emergency_number(number, country)
    assert is_known != ((country, number) in NOT_IN_THE_PLANS), number


def test_the_number_is_that_of_the_phone_then_of_the_record_then_of_the_service() -> None:
    assert emergency_call("BR", "VE", "PE") == ("192", True, True)
    assert emergency_call("", "VE", "PE") == ("911", True, False)
    assert emergency_call("", "", "PE") == ("106", True, False)
    assert emergency_call("", "XX", "") == ("112", False, False)


def test_numbers_are_written_as_in_their_country() -> None:
    assert number_of({"cod_telefono": "+55", "telefono": "11987654321"}) == ("+55 11 98765-4321", "+5511987654321", "")
    assert number_of({"telefono_e164": "+34612345678"}) == ("+34 612 34 56 78", "+34612345678", "")
    assert number_of({"cod_telefono": "+39", "telefono_e164": "+390612345678"}) == (
        "+39 06 1234 5678",
        "+390612345678",
        "",
    )
    assert number_of({"cod_telefono": "58", "telefono": "x"}) is None
    assert number_of({"telefono_e164": 'javascript:alert("1")'}) is None
    assert helpline("0500-555 0000", "Asistencia") == ("0500-555 0000", "05005550000", "Asistencia")
    assert helpline("*1234#", "") == ("*1234#", "", "")
    assert [country_of(prefix) for prefix in ("+58", "+999", "+", None, "+1")] == ["VE", "", "", "", "US"]
