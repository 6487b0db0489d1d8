"""The fields of a shape, read from its class, in the order of the form; and that form as data: every input with its
widget, label, options and limits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from ficha.fmd.base import AbsenceField, Door, Shape, Shown
from ficha.fmd.model_parts import Coded, Sistema
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Day


@dataclass(frozen=True)
class ShapeField:
    """`kind` is the type of the value or, where `many`, of each item."""

    name: str
    shown: Shown
    kind: Any
    many: bool
    required: bool
    limits: tuple[Any, ...]

    @cached_property
    def door(self) -> Door | None:
        return self.shown.door

    @cached_property
    def shape(self) -> type[Shape] | None:
        return self.kind if isinstance(self.kind, type) and issubclass(self.kind, Shape) else None

    @cached_property
    def is_coded(self) -> bool:
        return self.shape is not None and issubclass(self.shape, Coded)

    @cached_property
    def choice(self) -> type[Choice] | None:
        return self.kind if isinstance(self.kind, type) and issubclass(self.kind, Choice) else None

    @cached_property
    def is_date(self) -> bool:
        return any(isinstance(mark, Day) for mark in self.limits)

    def limit(self, name: str) -> Any:
        """`max_length`, `ge` and so on; None if the field has no such limit."""
        values = (getattr(mark, name, None) for mark in self.limits)
        return next((value for value in values if value is not None), None)


@cache
def fields_of(shape: type[Shape]) -> tuple[ShapeField, ...]:
    return tuple(_field(shape, name) for name in _in_order(shape))


@cache
def label_of(shape: type[Shape], name: str) -> Translated:
    return next(field.shown.label for field in fields_of(shape) if field.name == name)


def _in_order(shape: type[Shape]) -> Iterator[str]:
    """Inherited fields first, except those of classes with `asked_last`; a repeated field is where it is repeated."""
    classes = [parent for parent in reversed(shape.__mro__) if issubclass(parent, Shape)]
    classes.sort(key=lambda parent: parent is not shape and parent.__dict__.get("asked_last", False))
    names = dict.fromkeys(name for parent in classes for name in get_annotations(parent))
    return (name for name in names if name in shape.model_fields)


def _field(shape: type[Shape], name: str) -> ShapeField:
    field = shape.model_fields[name]
    shown = next(mark for mark in field.metadata if isinstance(mark, Shown))
    kind, marks = _unwrapped(field.annotation)
    many = get_origin(kind) is list
    if many:
        kind, _ = _unwrapped(get_args(kind)[0])
    return ShapeField(name, shown, kind, many, field.is_required(), (*field.metadata, *marks))


def _unwrapped(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The bare type inside `Annotated` and `| None`, and the marks found on the way."""
    marks: tuple[Any, ...] = ()
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            marks += tuple(more)
        elif get_origin(annotation) in (Union, UnionType):
            (annotation,) = (part for part in get_args(annotation) if part is not NoneType)
        else:
            return annotation, tuple(_flat(marks))


def _flat(marks: tuple[Any, ...]) -> Iterator[Any]:
    """`Field(ge=1)` keeps its limits inside."""
    for mark in marks:
        yield mark
        yield from getattr(mark, "metadata", ())


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


def labels_to(fields: Sequence[FormField], path: Sequence[str | int], language: str) -> str:
    """The labels on the way to an input, and which item of a list it is in: three medicines may each lack
    the same."""
    labels: list[str] = []
    for step in path:
        if str(step).isdecimal():
            labels[-1:] = [f"{label} {int(step) + 1}" for label in labels[-1:]]
            continue
        field = next((field for field in fields if field.name == step), None)
        if field is None:
            break
        labels.append(field.label.in_language(language))
        fields = field.fields
    return " · ".join(labels)


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
