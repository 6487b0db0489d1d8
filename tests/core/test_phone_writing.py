"""Phone numbers are written as the library writes them, which takes ten times as long."""

import phonenumbers
import pytest

from ficha.core.phone_writing import international, regions
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY

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
