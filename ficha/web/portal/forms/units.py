"""Units that people use. What is stored is always kilograms and centimetres."""

import re
from collections.abc import Mapping
from math import isfinite

# By how a field's name ends: the units that its form offers, its own first, and how many of its own each is.
UNITS: dict[str, dict[str, float]] = {
    "_kg": {"kg": 1, "lb": 0.45359237},
    "_cm": {"cm": 1, "in": 2.54, "ft": 30.48},
}
# What people write behind a number besides.
ALSO: dict[str, dict[str, float]] = {
    "_kg": {"kgs": 1, "kilos": 1, "lbs": 0.45359237, "libras": 0.45359237},
    "_cm": {"cms": 1, "m": 100, "mts": 100, "metros": 100, '"': 2.54, "pulgadas": 2.54, "pies": 30.48},
}
FEET = re.compile(r"(\d+)\s*(?:['’′]|ft|pies|pés)\s*(?:(\d+(?:[.,]\d+)?)\s*(?:[\"”″]|in|'')?)?")
BEFORE_UNIT = re.compile(r"([\d.,]+)\s*([^\d.,\s]+)\.?")


def units_of(name: str) -> list[str]:
    return list(_of(UNITS, name))


def as_number(text: str, name: str = "", unit: str = "") -> int | float | str:
    """The text itself if it is no number. A comma is a point; 5'11 are feet and inches; a unit that is written counts
    more than the `unit` chosen beside it."""
    written, units = text.strip().lower(), _of(UNITS, name) | _of(ALSO, name)
    feet = FEET.fullmatch(written) if "ft" in units else None
    if feet is not None:
        return round(int(feet.group(1)) * 30.48 + float((feet.group(2) or "0").replace(",", ".")) * 2.54, 1)
    behind = BEFORE_UNIT.fullmatch(written)
    if behind is not None and behind.group(2) in units:
        written, unit = behind.groups()
    number = _number(written.replace(",", "."))
    if number is None:
        return text
    factor = units.get(unit, 1)
    return number if factor == 1 else round(number * factor, 1)


def _of(units: Mapping[str, dict[str, float]], name: str) -> dict[str, float]:
    return next((known for end, known in units.items() if name.endswith(end)), {})


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None
