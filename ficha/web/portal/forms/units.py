"""Units that people use. What is stored is always kilograms and centimetres."""

import re

# By how a field's name ends: the units that its form offers, its own first, and how many of its own each is.
UNITS: dict[str, dict[str, float]] = {
    "_kg": {"kg": 1, "lb": 0.45359237},
    "_cm": {"cm": 1, "in": 2.54, "ft": 30.48},
}
FEET = re.compile(r"(\d+)\s*(?:'|ft|pies)\s*(\d+(?:[.,]\d+)?)?\s*(?:\"|in)?")


def units_of(name: str) -> list[str]:
    return next((list(units) for end, units in UNITS.items() if name.endswith(end)), [])


def as_number(text: str, unit: str = "") -> int | float | str:
    """The text itself if it is no number. A comma is a point; 5'11 are feet and inches."""
    feet = FEET.fullmatch(text.strip().lower())
    if feet is not None and unit in ("ft", "in", "cm"):
        return round(int(feet.group(1)) * 30.48 + float((feet.group(2) or "0").replace(",", ".")) * 2.54, 1)
    plain = text.replace(",", ".")
    try:
        number: int | float = int(plain)
    except ValueError:
        try:
            number = float(plain)
        except ValueError:
            return text
    factor = next((units[unit] for units in UNITS.values() if unit in units), 1)
    return number if factor == 1 else round(number * factor, 1)
