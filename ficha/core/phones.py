"""Phone numbers: in E.164, the form for dialling and sending, as their countries write them, and the time there."""

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


# What people write between digits, and the marks that a contact list puts around a number that is copied from it.
BETWEEN_DIGITS = re.compile(r"[\s()./\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2066-\u2069-]")


def typed_phone(prefix: str, number: str) -> tuple[str, str]:
    """The two fields of a form. A number that begins with `+` or `00` is whole: its own prefix counts, not the one that
    the form had beside it. What is no number stays as it is, to be refused."""
    prefix, number = typed_prefix(prefix), BETWEEN_DIGITS.sub("", number)
    if number.startswith("00"):
        number = f"+{number[2:]}"
    if not number.startswith("+") or not number[1:].isdecimal():
        return prefix, number
    try:
        return split_e164(number)
    except NotDialable:
        return prefix, number


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


def split_e164(number: str) -> tuple[str, str]:
    """The prefix of the country and the rest, as registration asks for them. Raises NotDialable."""
    import phonenumbers  # noqa: PLC0415  As above.

    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        raise NotDialable from None
    return f"+{parsed.country_code}", phonenumbers.national_significant_number(parsed)


# Countries in which one number is written in two ways, with a digit of its own or without.
MEXICO = re.compile(r"(\+?52)(1?)(\d{10})")
ARGENTINA = re.compile(r"(\+?54)(9?)(\d{10})")
# Two digits of area, then eight; mobiles got a 9 in front of them.
BRAZIL = re.compile(r"(\+?55\d{2})(9?)(\d{8})")
# That digit, and whether the usual way to write it has the digit.
TWICE_WRITTEN = ((MEXICO, "1", False), (ARGENTINA, "9", True), (BRAZIL, "9", True))


def spellings(number: str) -> list[str]:
    """The given one first, then the other way to write the same number, in the countries that have two: platforms and
    people use both. With the plus sign or without, as it was given."""
    for pattern, digit, _ in TWICE_WRITTEN:
        if found := pattern.fullmatch(number):
            return [number, found[1] + ("" if found[2] else digit) + found[3]]
    return [number]


def one_spelling(number: str) -> str:
    """The same for all ways to write a number: for comparing."""
    for pattern, digit, is_usual in TWICE_WRITTEN:
        if found := pattern.fullmatch(number):
            return found[1] + (digit if is_usual else "") + found[3]
    return number


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


# The prefix of a country, its letters, and its zone; of several zones, that of most people.
_ZONES = """
+1 US America/New_York
+33 FR Europe/Paris
+34 ES Europe/Madrid
+39 IT Europe/Rome
+44 GB Europe/London
+49 DE Europe/Berlin
+51 PE America/Lima
+52 MX America/Mexico_City
+53 CU America/Havana
+54 AR America/Argentina/Buenos_Aires
+55 BR America/Sao_Paulo
+56 CL America/Santiago
+57 CO America/Bogota
+58 VE America/Caracas
+351 PT Europe/Lisbon
+502 GT America/Guatemala
+503 SV America/El_Salvador
+504 HN America/Tegucigalpa
+505 NI America/Managua
+506 CR America/Costa_Rica
+507 PA America/Panama
+591 BO America/La_Paz
+593 EC America/Guayaquil
+595 PY America/Asuncion
+598 UY America/Montevideo
"""
_LINES = [line.split() for line in _ZONES.split("\n") if line]
ZONES_OF_PREFIXES = {prefix: zone for prefix, _, zone in _LINES}
ZONES_OF_COUNTRIES = {country: zone for _, country, zone in _LINES}


def zone_of_number(phone: str) -> str:
    """`phone` is in E.164. Empty where the prefix is none of these."""
    return next((zone for length in (4, 3, 2) if (zone := ZONES_OF_PREFIXES.get(phone[:length]))), "")


def country_of_zone(zone: str) -> str:
    """Empty where it is that of none of these."""
    return next((country for country, each in ZONES_OF_COUNTRIES.items() if each == zone), "")


def zone_of_country(country: str) -> str:
    """Empty where it is none of these."""
    return ZONES_OF_COUNTRIES.get(country, "")
