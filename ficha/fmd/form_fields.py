"""The edit form of a model as data: every input with its widget, label, options and limits."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from ficha.fmd.base import AbsenceField, Door, Shape
from ficha.fmd.code_systems import Sistema
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.model_parts import Coded
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Day

# Beyond this many characters a text gets more than one line.
ONE_LINE = 200


@dataclass(frozen=True)
class FormField:
    """One input, or a `group` or `list` of them. A `coded` one offers the terms of kind `terms`."""

    name: str
    widget: str
    label: Translated
    help: Translated | None
    required: bool
    door: Door | None
    options: tuple[tuple[str, Translated], ...] = ()
    fields: tuple["FormField", ...] = ()
    terms: str = ""
    absence_of: str = ""
    max_items: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None


@cache
def form_of(shape: type[Shape]) -> tuple[FormField, ...]:
    """Fields in the order of the form, without those that only the server writes."""
    return tuple(_input(field) for field in fields_of(shape) if not field.shown.read_only)


def _input(field: ShapeField) -> FormField:
    shown = field.shown
    return FormField(
        name=field.name,
        widget=shown.widget or _widget(field),
        label=shown.label,
        help=shown.help,
        required=field.required,
        door=shown.door,
        options=_options(field.kind),
        fields=form_of(field.shape) if field.shape else (),
        terms=shown.terms,
        absence_of=shown.list_field if isinstance(shown, AbsenceField) else "",
        max_items=field.limit("max_length") if field.many else None,
        max_length=None if field.many else field.limit("max_length"),
        minimum=field.limit("ge"),
        maximum=field.limit("le"),
    )


def _options(kind: Any) -> tuple[tuple[str, Translated], ...]:
    is_choice = isinstance(kind, type) and issubclass(kind, Choice) and kind is not Sistema
    return tuple((member.value, member.words) for member in kind) if is_choice else ()


def _widget(field: ShapeField) -> str:
    kind = field.kind
    if field.many:
        return "coded-list" if kind is Coded else "list" if field.shape else "checkboxes" if _options(kind) else "tags"
    if field.shape:
        return "coded" if kind is Coded else "group"
    day = next((mark for mark in field.limits if isinstance(mark, Day)), None)
    if day:
        return "partial-date" if day.partial else "date"
    if kind is str:
        return "textarea" if (field.limit("max_length") or 0) > ONE_LINE else "text"
    return {bool: "yes-no", int: "number", float: "number"}.get(kind, "select")
