"""Which number brings an ambulance, by country; and phone numbers as their country writes them."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ficha.core.phones import international, regions
from ficha.fmd.responder.view import Number

# Where we do not know the country: mobile networks nearly everywhere forward it.
ANYWHERE = "112"

# The number that sends an ambulance, and the countries where it does.
_COUNTRIES = {
    "000": "AU",
    "104": "CU",
    "106": "PE",
    "107": "AR",
    "111": "NZ",
    "112": "AO AT BE CH DE ES FR IE IN IT NL PT ST TL",
    "118": "BO",
    "119": "JP",
    "123": "CO GT",
    "128": "NI",
    "131": "CL",
    "192": "BR",
    "911": "CA CR DO EC HN MX PA PR PY SV US UY VE",
    "999": "GB",
}
BY_COUNTRY: Mapping[str, str] = dict(
    sorted((country, number) for number, countries in _COUNTRIES.items() for country in countries.split())
)

E164 = re.compile(r"\+[1-9][0-9]{3,18}")
PREFIX = re.compile(r"\+[1-9][0-9]{0,3}")
DIGITS = re.compile(r"[0-9]{4,15}")
# As printed on a card, without the keys that a link cannot press.
PRINTED = re.compile(r"[0-9+(). -]{3,30}")
NOT_DIALLED = re.compile(r"[^0-9+]")


class EmergencyCall(NamedTuple):
    """The one number that every page shows. `is_of_phone`: it is that of the country of the reader's phone."""

    number: str
    is_known: bool
    is_of_phone: bool


def emergency_call(phone_country: str, record_country: str, deployed_in: str) -> EmergencyCall:
    """Of the first of these countries whose number we know."""
    for country in (phone_country, record_country, deployed_in):
        number = BY_COUNTRY.get(country.upper())
        if number:
            return EmergencyCall(number, is_known=True, is_of_phone=country == phone_country)
    return EmergencyCall(ANYWHERE, is_known=False, is_of_phone=False)


def country_of(prefix: object) -> str:
    """The country of a phone prefix such as +58, or nothing. Of countries that share one, the largest."""
    region = regions().get(prefix, "") if isinstance(prefix, str) else ""
    return region if region in BY_COUNTRY else ""


def countries_of_prefixes() -> dict[str, str]:
    """What `country_of` says of every prefix that it knows: `{"+58": "VE"}`."""
    return {prefix: country for prefix, country in sorted(regions().items()) if country in BY_COUNTRY}


def number_of(item: Mapping[str, Any]) -> Number | None:
    """The phone of a contact, a doctor, a guardian, written as in its country."""
    prefix, national, full = item.get("cod_telefono"), item.get("telefono"), item.get("telefono_e164")
    if national is None and full is None:
        return None
    is_prefix = isinstance(prefix, str) and PREFIX.fullmatch(prefix) is not None
    if not (isinstance(full, str) and E164.fullmatch(full)):
        if not (is_prefix and isinstance(national, str) and DIGITS.fullmatch(national)):
            return None
        full = f"{prefix}{national}"
    return Number(_as_written(full, str(prefix) if is_prefix else ""), full)


def helpline(value: object, label: str) -> Number | None:
    """As printed on a card. Its digits are dialled as they are: it may be a short or a free-call line."""
    if not isinstance(value, str) or not value.strip():
        return None
    return Number(value, NOT_DIALLED.sub("", value) if PRINTED.fullmatch(value) else "", label)


def _as_written(full: str, prefix: str) -> str:
    if prefix and full.startswith(prefix) and not full.startswith("0", len(prefix)):
        return international(prefix, full[len(prefix) :])  # Known parts need no parsing, which is dear.
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    try:
        number = phonenumbers.parse(full)
    except phonenumbers.NumberParseException:
        return full
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
