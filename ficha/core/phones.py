"""Phone numbers: in E.164, the form for dialling and sending, and as their countries write them."""

import re
from functools import cache
from typing import NamedTuple


class NotDialable(ValueError):
    """The number cannot reach a person."""


def to_e164(cod_telefono: str, telefono: str) -> str:
    """Raises NotDialable. Lenient about numbering plans, which change; strict about what can never be a contact."""
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    prefix = int(cod_telefono.removeprefix("+"))
    region = phonenumbers.region_code_for_country_code(prefix)
    if region == "ZZ" or phonenumbers.is_emergency_number(telefono, region):
        raise NotDialable
    # A leading zero belongs to the number in some countries and is a trunk prefix in others: the parser knows.
    try:
        number = phonenumbers.parse(telefono, region if region != "001" else None)
    except phonenumbers.NumberParseException:
        raise NotDialable from None
    if number.country_code != prefix or not phonenumbers.is_possible_number(number):
        raise NotDialable
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def typed_prefix(text: str) -> str:
    """`58`, `0058` and `+58 ` are the prefix `+58`. What has no digits stays as it is."""
    digits = "".join(letter for letter in text if letter in "0123456789")
    return f"+{digits.lstrip('0')}" if digits else text.strip()


def written_e164(written: str, region: str) -> str:
    """Of a number in one piece, with its plus sign or as it is dialled in `region` (which may be empty). Raises
    NotDialable."""
    import phonenumbers  # noqa: PLC0415  As above.

    try:
        number = phonenumbers.parse(written, region or None)
    except phonenumbers.NumberParseException:
        raise NotDialable from None
    if not phonenumbers.is_valid_number(number):
        raise NotDialable
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


GROUP = re.compile(r"\\([1-9])")


class WritingRule(NamedTuple):
    """For numbers that begin so: their digits in groups, and how the groups are written (`{1} {2}-{3}`)."""

    begins: re.Pattern[str]
    groups: re.Pattern[str]
    written: str


def international(prefix: str, national: str) -> str:
    """`+55` and `11987654321` as `+55 11 98765-4321`. Without its prefix if no country has that one."""
    if prefix not in regions():
        return national
    for begins, groups, written in _rules(prefix):
        found = groups.fullmatch(national) if begins.match(national) else None
        if found:
            return f"{prefix} {written.format('', *found.groups())}"
    return f"{prefix} {national}"


@cache
def regions() -> dict[str, str]:
    """The country of each prefix: `{"+58": "VE"}`. Of countries that share one, the largest."""
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    return {f"+{code}": countries[0] for code, countries in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()}


@cache
def _rules(prefix: str) -> tuple[WritingRule, ...]:
    import phonenumbers  # noqa: PLC0415  As above.

    found = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(int(prefix), regions()[prefix])
    assert found
    return tuple(
        # The last is the most detailed one.
        WritingRule(
            re.compile(one.leading_digits_pattern[-1] if one.leading_digits_pattern else ""),
            re.compile(one.pattern),
            GROUP.sub(r"{\1}", one.format),
        )
        for one in found.intl_number_format or found.number_format
        if one.pattern and one.format
    )
