"""The five reads as OpenAPI shows them. The lane answers them; what reaches these functions asks for a code that no
record can have, or for a model that there is not."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Never

from fastapi import Header, Query
from pydantic import BaseModel, Field

from ficha.fmd.access import FmdNotFound
from ficha.http.deps import CurrentCaller
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.records import Code, NamedModel

IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", description="The ETag of an earlier answer: 304 if nothing has changed since."),
]
Names = Annotated[
    str | None, Query(description="Models, separated by commas; all when absent.", examples=["salud,vacuna"])
]


class Exists(BaseModel):
    exists: bool = Field(description="Whether there is something in it that the caller may see.")


class RecordExists(Exists):
    models: list[str] = Field(description="The models that have data, in the order of the catalogue.")


class ModelState(BaseModel):
    version: int = Field(description="0 when it was never saved.")
    updated_at: Moment | None
    data: dict[str, Any]


class RecordState(BaseModel):
    relacion: str
    template_type: str
    version: int = Field(description="Counts every change of any model.")
    models: dict[str, ModelState]


@dataclass(frozen=True)
class Described:
    """`name` is that of the catalogue; `meta` is what its answer's `meta` holds beside the usual."""

    name: str
    path: str
    endpoint: Callable[..., Any]
    answer: Any
    example: Any
    errors: tuple[int, ...] = (404, 422, 503)
    meta: dict[str, Any] = field(default_factory=dict)
    # 304 has no body, so it is not among the errors.
    responses: dict[int | str, dict[str, Any]] = field(default_factory=dict)


def _record_exists(_caller: CurrentCaller, code: Code) -> Never:
    """Whether the record holds any data, and in which models. Logged unless the owner asks."""
    raise FmdNotFound


def _models(_caller: CurrentCaller, code: Code, names: Names = None) -> Never:
    """Several models at once, as deep as the caller may see. A damaged one is left out."""
    raise FmdNotFound


def _model_exists(_caller: CurrentCaller, code: Code, model: NamedModel) -> Never:
    """Whether a model holds data that the caller may see. Logged unless the owner asks."""
    raise FmdNotFound


def _model(_caller: CurrentCaller, code: Code, model: NamedModel, if_none_match: IfNoneMatch = None) -> Never:
    """One model. What was never saved, or may not be seen, is empty and has version 0. Every read is logged."""
    raise FmdNotFound


def _record(_caller: CurrentCaller, code: Code, if_none_match: IfNoneMatch = None) -> Never:
    """Every model that was saved and may be seen. `ETag` is sent to who sees all of it. Every read is logged."""
    raise FmdNotFound


_DATA = {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]}
_STATE = {"version": 3, "updated_at": "2026-11-15T12:00:00+00:00", "data": _DATA}
_RESOURCE = {"type": "fmd_model", "id": "salud", "attributes": _STATE}
_NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not Modified"}}

# `/exists` and `/models` come before `/{model}`, which would take their place.
READS = (
    Described(
        "Check existent FMD",
        "/{code}/exists",
        _record_exists,
        Answer[RecordExists],
        {"exists": True, "models": ["personal", "salud"]},
    ),
    Described(
        "FMD Models Data",
        "/{code}/models",
        _models,
        Listing[Resource[ModelState]],
        [_RESOURCE],
        meta={"page": {"size": 1, "next": None}},
    ),
    Described(
        "FMD Model exists",
        "/{code}/{model}/exists",
        _model_exists,
        Answer[Exists],
        {"exists": True},
    ),
    Described(
        "FMD Model Data",
        "/{code}/{model}",
        _model,
        Answer[Resource[ModelState]],
        _RESOURCE,
        errors=(404, 422, 500, 503),
        responses=_NOT_MODIFIED,
    ),
    Described(
        "FMD",
        "/{code}",
        _record,
        Answer[Resource[RecordState]],
        {
            "type": "fmd",
            "id": 1904221833,
            "attributes": {
                "relacion": "madre",
                "template_type": "general",
                "version": 12,
                "models": {"salud": _STATE},
            },
        },
        responses=_NOT_MODIFIED,
    ),
)
