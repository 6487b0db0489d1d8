"""The base classes of the models: their description, their doors, and how their fields are shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, ClassVar, Self

from pydantic import ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ficha.core.deferred_model import DeferredModel
from ficha.fmd.faults import fault_at
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter
from ficha.fmd.translations import Choice, Translated

Document = dict[str, Any]

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
ONE_YEAR = 365


class Door(Choice):
    """Who may see something: a responder, a responder who broke the glass, or only the owner."""

    R = "R", "Quien escanea", "Whoever scans", "Quem escaneia"
    B = "B", "Quien escanea y se identifica", "Whoever scans and gives a name", "Quem escaneia e se identifica"
    P = "P", "Solo yo", "Only me", "Só eu"

    depth: int

    def sees(self, other: "Door") -> bool:
        """Whoever comes by this door may see what is behind `other`."""
        return other.depth <= self.depth


# Compared for every field of every record that is shown, so it is computed once.
for _depth, _door in enumerate(Door):
    _door.depth = _depth


@dataclass(frozen=True)
class About:
    """A model's name on the wire, its words, its default door and an example that uses every field."""

    wire: str
    title: Translated
    door: Door
    example: Mapping[str, Any]
    help: Translated | None = None
    fresh_days: int = ONE_YEAR


@dataclass(frozen=True)
class Shown:
    """How a field is shown: its label in three languages, and what cannot be read from its type.

    A `door` here replaces the door of the model. `terms` is the kind of term the catalogue offers for it.
    """

    es: str
    en: str
    pt: str
    help: Translated | None = None
    door: Door | None = None
    widget: str = ""
    terms: str = ""
    read_only: bool = False

    @cached_property
    def label(self) -> Translated:
        return Translated(self.es, self.en, self.pt)

    def with_door(self, door: Door) -> Self:
        return replace(self, door=door)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        extra: dict[str, Any] = {"title": self.label.es, "x-titles": self.label.as_json()}
        if self.help:
            extra |= {"description": self.help.es, "x-descriptions": self.help.as_json()}
        if self.door:
            extra["x-door"] = self.door.value
        if self.read_only:
            extra["readOnly"] = True
        return handler(schema) | extra


@dataclass(frozen=True)
class AbsenceField(Shown):
    """The field that says why a list is empty. `list_field` is the name of the list."""

    list_field: str = ""


class Shape(DeferredModel):
    """A JSON object with known fields. Validation refuses unknown fields and values of the wrong type."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True, allow_inf_nan=False)

    # Whether forms ask for its fields after those of the class that inherits them.
    asked_last: ClassVar[bool] = False


class FmdModel(Shape):
    """A model: the JSON body, the schema, the stored document, the form and the tests are read from its class."""

    about: ClassVar[About]

    @classmethod
    def read(cls, document: object) -> Self:
        """Reads a stored document. Fields that the model no longer has are ignored."""
        return cls.model_validate(document, extra="ignore")

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        """What the model says as resources of FHIR. A model that is configuration and no fact says nothing."""
        yield from ()

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        about = cls.about
        schema = cls.model_json_schema()
        schema |= {
            "$schema": SCHEMA_DIALECT,
            "title": about.title.es,
            "x-titles": about.title.as_json(),
            "x-model": about.wire,
            "x-door": about.door.value,
            "examples": [dict(about.example)],
        }
        return schema

    @model_validator(mode="after")
    def _absence_only_when_empty(self) -> Self:
        for name, list_field in _absences_of(type(self)):
            if getattr(self, name) and getattr(self, list_field):
                raise fault_at(
                    name, "ausencia_con_datos", "Solo puede decirse que no hay ninguna si la lista está vacía."
                )
        return self


@cache
def _absences_of(model: type[FmdModel]) -> list[tuple[str, str]]:
    """The fields that say why a list is empty, each with that list."""
    return [
        (name, mark.list_field)
        for name, field in model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, AbsenceField)
    ]


def has_data(document: object) -> bool:
    """Of JSON: at least one field is not empty. `false` and zero are answers; empty lists and texts are not."""
    if isinstance(document, dict):
        return any(map(has_data, document.values()))
    if isinstance(document, list):
        return any(map(has_data, document))
    return document is not None and document != ""
