"""Changing how a platform behaves while it runs."""

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol, TypeVar


class Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


B = TypeVar("B", bound=Dataclass)


class BadBehaviour(ValueError):
    """The platform cannot behave like that."""


def changed(behaviour: B, values: Mapping[str, Any]) -> B:
    """A copy with these values; raises BadBehaviour for an unknown name or a value of the wrong type."""
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  Most sandboxes never need it: memory.

    known = {each.name for each in fields(behaviour)}
    if unknown := sorted(set(values) - known):
        raise BadBehaviour(f"Unknown: {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
    together = {name: getattr(behaviour, name) for name in known} | dict(values)
    try:
        return TypeAdapter(type(behaviour)).validate_python(together)
    except ValidationError as fault:
        raise BadBehaviour("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in fault.errors())) from None
