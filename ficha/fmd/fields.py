"""The fields of a shape, read from its class: type, label, limits, in the order of the form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import get_annotations
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from ficha.fmd.base import Door, Shape, Shown


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

    def limit(self, name: str) -> Any:
        """`max_length`, `ge` and so on; None if the field has no such limit."""
        values = (getattr(mark, name, None) for mark in self.limits)
        return next((value for value in values if value is not None), None)


@cache
def fields_of(shape: type[Shape]) -> tuple[ShapeField, ...]:
    return tuple(_field(shape, name) for name in _in_order(shape))


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
