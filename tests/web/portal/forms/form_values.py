"""What people may type into one input, and the value that it says: by the widget, limits and kind of the field."""

import unicodedata
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from hypothesis import strategies as st

from ficha.fmd.fields import FormField, ShapeField
from ficha.fmd.values import FIRST_DAY, LAST_DAY, Day
from tests.fmd.documents import TODAY
from tests.fmd.field_values import KINDS

# Beside letters of all scripts: markup, quotes, a template's marks, what joins and splits our own names, accents apart.
ODD = "<>&\"'`{}%|\\;:.,/ \u00a0\u200b\u202e\u0301\u212b\ufb01👩‍🚀ñÑ"
PLAIN = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029")
LINE = st.text(PLAIN | st.sampled_from(ODD), min_size=1)
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
BREAKS = st.sampled_from(["\r\n", "\t", "\u2028", "\r\n\r\n"])
PHONES = [
    ("+58", "4125551111"),
    ("+55", "11961234567"),
    ("+1", "2015550123"),
    ("+39", "0612345678"),
    ("+54", "91123456789"),
]
KILOGRAMS = {"": 1.0, "kg": 1.0, "lb": 0.45359237}
CENTIMETRES = {"": 1.0, "cm": 1.0, "in": 2.54, "ft": 30.48}


CORREOS = [
    ("ana@ejemplo.com", "ana@ejemplo.com"),
    (" o'hara+niños@Ejemplo.COM ", "o'hara+niños@ejemplo.com"),
    ("a.b_c@x.co", "a.b_c@x.co"),
]


@dataclass(frozen=True)
class Said:
    """Of one field: its inputs, by what comes after its own name, and its value. None is a field left alone."""

    inputs: dict[str, str]
    value: Any
    chosen: dict[str, str] = field(default_factory=dict)


def numbers(one: FormField) -> st.SearchStrategy[Said]:
    return st.integers(int(one.minimum or 0), int(one.maximum or 100)).map(
        lambda number: Said({"": f" {number}"}, number)
    )


@st.composite
def measures(draw: st.DrawFn, one: FormField) -> Said:
    """With a comma or a point, and the unit chosen beside the number or written behind it."""
    units = KILOGRAMS if one.name.endswith("_kg") else CENTIMETRES
    if units is CENTIMETRES and draw(st.booleans()):
        feet, inches = draw(st.integers(1, 8)), draw(st.integers(0, 11))
        written = draw(
            st.sampled_from([f"{feet}'{inches}", f"{feet}' {inches}\"", f"{feet} ft {inches} in", f"{feet}’{inches}”"])
        )
        return Said(
            {"": written, ":unidad": draw(st.sampled_from(["cm", "in", "ft"]))}, round(feet * 30.48 + inches * 2.54, 1)
        )
    unit = draw(st.sampled_from(sorted(units)))
    factor = units[unit]
    low, high = (one.minimum or 0) / factor, (one.maximum or 0) / factor
    number = draw(st.integers(int(low * 10) + 1, int(high * 10) - 1)) / 10
    text = f"{number}".replace(".", draw(st.sampled_from([",", "."])))
    value = number if factor == 1 else round(number * factor, 1)
    if unit and draw(st.booleans()):
        return Said({"": f"{text}{draw(st.sampled_from(['', ' ']))}{unit}"}, value)
    return Said({"": text, ":unidad": unit} if unit else {"": text}, value)


@st.composite
def days(draw: st.DrawFn, known: ShapeField) -> Said:
    kind = next(mark for mark in known.limits if isinstance(mark, Day))
    day = draw(st.dates(FIRST_DAY, TODAY if kind.past else LAST_DAY - timedelta(days=1)))
    spellings = [_whole(day)]
    if kind.partial:
        year, month = f"{day.year}", f"{day.month:02}"
        spellings += [
            [(year, year)],
            [(f"{year}-{month}", f"{year}-{month}"), (f"{day.month}/{year}", f"{year}-{month}")],
        ]
    typed, stored = draw(st.sampled_from([pair for group in spellings for pair in group]))
    return Said({"": typed}, stored)


def _whole(day: date) -> list[tuple[str, str]]:
    iso = day.isoformat()
    return [(iso, iso), *((f"{day.day}{mark}{day.month}{mark}{day.year}", iso) for mark in "/.-")]


def tags(known: ShapeField) -> st.SearchStrategy[Said]:
    """The languages of the tests are written as they are stored."""
    allowed = st.lists(st.sampled_from(KINDS["bcp47"][0]), unique=True, max_size=known.limit("max_length"))
    joined = st.sampled_from(["\r\n", ", ", "\r\n\r\n"])
    return st.tuples(allowed, joined).map(lambda pair: Said({"": pair[1].join(pair[0])}, pair[0]))


def texts(one: FormField, kind: str) -> st.SearchStrategy[Said]:
    if kind == "number":
        letters = st.text(st.characters(categories=["L", "N"]) | st.sampled_from("./#-"), min_size=1, max_size=10)
        return letters.map(lambda text: Said({"": f" {text}"}, unicodedata.normalize("NFC", text)))
    if kind:
        said = [Said({"": text}, text.upper() if kind == "iso3166" else text) for text in KINDS[kind][0]]
        return st.sampled_from(said)
    return text(one.max_length or 200, one.widget == "textarea").map(lambda pair: Said({"": pair[0]}, pair[1]))


@st.composite
def text(draw: st.DrawFn, most: int, has_lines: bool = False) -> tuple[str, str]:
    """As typed, and as it is stored: without the blanks around it and signs that turn the direction of letters, each
    letter composed, one kind of line break."""
    pieces = st.lists(LINE | BREAKS if has_lines else LINE, min_size=1, max_size=4)
    typed = "".join(draw(pieces | st.just(["ñ" * most])))[:most]
    seen = "".join(letter for letter in typed.strip() if letter not in TURNING)
    stored = unicodedata.normalize("NFC", seen.replace("\r\n", "\n").replace("\u2028", "\n")).strip()
    if not stored or len(stored) > most:
        typed = stored = "Algo"
    return typed, stored


def phone_spellings(number: str) -> list[str]:
    return [
        number,
        f"{number[:3]} {number[3:6]}-{number[6:]}",
        f"({number[:3]}) {number[3:]}",
        f"{number[:3]}.{number[3:]} ",
    ]
