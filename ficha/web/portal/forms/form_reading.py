"""A posted form of a model as the document that it says. What cannot be read stays as it was typed, so that validation
refuses it and the form shows it again. People use many units; what is stored is always kilograms and centimetres."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.core.phones import BETWEEN_DIGITS, typed_phone, typed_prefix
from ficha.fmd.base import Document, has_data
from ficha.fmd.dates_and_amounts import typed_date
from ficha.fmd.fields import FormField
from ficha.fmd.responder.phrases import LANGUAGES, language_tag
from ficha.web.portal.forms.typed_terms import NO_TERM, unpacked

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


Node = Mapping[str, Any]

# What a fact has even where nobody wrote anything.
SERVERS = frozenset({"id", "confirmado_en", "fuente"})
YES, NO = "si", "no"
LANGUAGE_FIELDS = ("idioma", "idiomas")
PHONE = ("cod_telefono", "telefono")


@dataclass(frozen=True)
class FormReader:
    """`keeps_blank` is for a form that is shown again: a line that was just added has nothing in it yet."""

    language: Idioma
    keeps_blank: bool = False

    def document(self, fields: Sequence[FormField], form: Mapping[str, str]) -> Document:
        """Who adds something to a list of which there was none no longer says that there is none."""
        found = self._fields(fields, tree_of(form))
        empty = [field.name for field in fields if field.absence_of and has_data(found.get(field.absence_of))]
        return {name: value for name, value in found.items() if name not in empty}

    def _fields(self, fields: Sequence[FormField], node: Node) -> Document:
        """A list whose items are terms themselves has the three fields of one."""
        found: Document = {}
        names = {field.name for field in fields}
        if "sistema" in names:
            found |= self._term(node)
        for field in fields:
            if "sistema" in names and field.name in ("texto", "sistema", "codigo"):
                continue
            value = self._value(field, node.get(field.name, ""), node)
            if value not in (None, "", [], {}) or (value is False):
                found[field.name] = value
        if names.issuperset(PHONE) and "telefono" in found:
            parts = typed_phone(found.get("cod_telefono", ""), found["telefono"])
            found |= {name: part for name, part in zip(PHONE, parts, strict=True) if part}
        return found

    def _value(self, field: FormField, said: Any, around: Node) -> Any:
        if isinstance(said, Mapping):
            return self._nested(field, said)
        text = said.strip()
        match field.widget:
            case "number":
                return as_number(text, field.name, around.get(f"{field.name}:unidad", "")) if text else None
            case "yes-no":
                return {YES: True, NO: False}.get(text)
            case "partial-date" | "date":
                return typed_date(text, self.language.value)
            case "tags":
                words = [word for line in text.splitlines() for word in map(str.strip, line.split(",")) if word]
                return [_text(field, word) for word in words]
            case _:
                return _text(field, text)

    def _nested(self, field: FormField, said: Node) -> Any:
        readers: dict[str, Callable[[], Any]] = {
            "group": lambda: self._fields(field.fields, said),
            "coded": lambda: self._term(said),
            "coded-list": lambda: [term for item in _items(said) if (term := self._term(item)) or self.keeps_blank],
            "list": lambda: [item for node in _items(said) if (item := self._item(field, node)) is not None],
            "checkboxes": lambda: [value for value, _ in field.options if said.get(value)],
            "modules": lambda: {name: value == YES for name, value in said.items() if value in (YES, NO)},
            "doors": lambda: {name: value for name, value in said.items() if value},
        }
        read = readers.get(field.widget)
        return None if read is None else read()

    def _item(self, field: FormField, node: Node) -> Document | None:
        item = self._fields(field.fields, node)
        if not self.keeps_blank and not has_data({name: item[name] for name in item if name not in SERVERS}):
            return None
        known = node.get("id", "")
        return {"id": known, **item} if known else item

    def _term(self, node: Node) -> Document:
        """What was chosen from the list; the code it had, if its words are the same; or the words alone: nobody but
        who types them knows what they mean."""
        typed = str(node.get("texto", "")).strip()
        chosen = str(node.get("elegido", ""))
        if term := unpacked(chosen):
            return term
        known = unpacked(str(node.get("codigo", "")))
        if known.get("texto") == typed and chosen != NO_TERM:
            return known
        return {"texto": typed} if typed else {}


def named_languages(said: Any, language: Idioma) -> Any:
    """The tags of a field, or what was typed into it, as their names where the reader finds the same tag by the name:
    es-VE stays as it is."""
    if isinstance(said, list):
        return [named_languages(each, language) for each in said]
    words = LANGUAGES.get(said) if isinstance(said, str) else None
    return words.in_language(language) if words else said


def _text(field: FormField, text: str) -> str:
    if field.name in LANGUAGE_FIELDS:
        return language_tag(text) or text
    if field.widget == "tel":
        text = BETWEEN_DIGITS.sub("", text)
    return typed_prefix(text) if field.name == "cod_telefono" else text.replace("\r\n", "\n")


def tree_of(form: Mapping[str, str]) -> dict[str, Any]:
    """`contactos.0.nombre` is the field `nombre` of the first item of `contactos`."""
    tree: dict[str, Any] = {}
    for name, value in form.items():
        *above, last = name.split(".")
        node = tree
        for step in above:
            below = node.setdefault(step, {})
            if not isinstance(below, dict):  # Only a forged form says both a value and what is inside it.
                break
            node = below
        else:
            node.setdefault(last, value)
    return tree


def _items(said: Node) -> list[Node]:
    """All of them: what is more than a list may hold is refused by its model, not dropped here."""
    numbers = sorted(int(name) for name in said if name.isascii() and name.isdigit() and len(name) < 4)
    return [said[str(number)] for number in numbers if isinstance(said.get(str(number)), Mapping)]
