"""Which number brings an ambulance, by country; and phone numbers as their country writes them."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ficha.core.phones import international, regions
from ficha.fmd.responder.view import Number

# Where we do not know the country: mobile networks nearly everywhere forward it.
ANYWHERE = "112"

# The number that sends an ambulance.
BY_COUNTRY: Mapping[str, str] = {
    "AO": "112",
    "AR": "107",
    "AT": "112",
    "AU": "000",
    "BE": "112",
    "BO": "118",
    "BR": "192",
    "CA": "911",
    "CH": "112",
    "CL": "131",
    "CO": "123",
    "CR": "911",
    "CU": "104",
    "DE": "112",
    "DO": "911",
    "EC": "911",
    "ES": "112",
    "FR": "112",
    "GB": "999",
    "GT": "123",
    "HN": "911",
    "IE": "112",
    "IN": "112",
    "IT": "112",
    "JP": "119",
    "MX": "911",
    "NI": "128",
    "NL": "112",
    "NZ": "111",
    "PA": "911",
    "PE": "106",
    "PR": "911",
    "PT": "112",
    "PY": "911",
    "ST": "112",
    "SV": "911",
    "TL": "112",
    "US": "911",
    "UY": "911",
    "VE": "911",
}

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
