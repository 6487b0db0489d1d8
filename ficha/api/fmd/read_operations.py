"""The five reads of a record, as OpenAPI shows them. `lane_reads.py` answers them, but for a code that can belong to no
record or a name that no model has: other operations have such paths too."""

from typing import Annotated

from fastapi import Header, Query
from pydantic import Field

from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.fmd.record_changes import MODEL_EXAMPLE, STATE_EXAMPLE, ModelOut, ModelState
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.access import FmdNotFound
from ficha.http.dependencies import CurrentCaller
from ficha.http.envelope import Answer, Listing, Resource
from ficha.http.etags import NOT_MODIFIED
from ficha.http.fmd_dependencies import Code, NamedModel
from ficha.http.record_schemas import ModelName

operations = Operations("fmd", prefix="/fmd", callers="bearer", in_lane=FmdNotFound)

IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", description="The ETag of an earlier answer: 304 if nothing has changed since."),
]
Names = Annotated[
    str | None, Query(description="Models, separated by commas; all when absent.", examples=["salud,vacuna"])
]


class Exists(DeferredModel):
    exists: bool = Field(description="Whether there is something in it that the caller may see.")


class RecordExists(Exists):
    models: list[ModelName] = Field(description="The models that have data, in the order of the catalogue.")


class RecordState(DeferredModel):
    relacion: str
    template_type: str
    version: int = Field(description="Counts every change of any model.")
    models: dict[str, ModelState]


MODELS = {"salud": STATE_EXAMPLE}
RECORD_EXAMPLE = resource_example(
    "fmd", 1904221833, RecordState, relacion="madre", template_type="general", version=12, models=MODELS
)


# `/exists` and `/models` come before `/{model}`, which would match them too.
@operations.get(
    "/{code}/exists",
    "Check existent FMD",
    seed=True,
    errors=(404, 422, 503),
    example=answer_example({"exists": True, "models": ["personal", "salud"]}),
    response_model=Answer[RecordExists],
)
def record_exists(_caller: CurrentCaller, code: Code) -> None:
    """Whether the record holds any data, and in which models. Logged unless the owner asks."""


@operations.get(
    "/{code}/models",
    "FMD Models Data",
    seed=True,
    errors=(404, 422, 503),
    example=listing_example([MODEL_EXAMPLE], size=1),
    response_model=Listing[ModelOut],
)
def read_models(_caller: CurrentCaller, code: Code, names: Names = None) -> None:
    """Several models at once, as deep as the caller may see. A damaged one is left out."""


@operations.get(
    "/{code}/{model}/exists",
    "FMD Model exists",
    seed=True,
    errors=(404, 422, 503),
    example=answer_example({"exists": True}),
    response_model=Answer[Exists],
)
def model_exists(_caller: CurrentCaller, code: Code, model: NamedModel) -> None:
    """Whether a model holds data that the caller may see. Logged unless the owner asks."""


@operations.get(
    "/{code}/{model}",
    "FMD Model Data",
    seed=True,
    errors=(404, 422, 500, 503),
    example=answer_example(MODEL_EXAMPLE),
    responses=NOT_MODIFIED,
    response_model=Answer[ModelOut],
)
def read_model(_caller: CurrentCaller, code: Code, model: NamedModel, if_none_match: IfNoneMatch = None) -> None:
    """One model. What was never saved, or may not be seen, is empty and has version 0. Every read is logged."""


@operations.get(
    "/{code}",
    "FMD",
    seed=True,
    errors=(404, 422, 503),
    example=answer_example(RECORD_EXAMPLE),
    responses=NOT_MODIFIED,
    response_model=Answer[Resource[RecordState]],
)
def read_record(_caller: CurrentCaller, code: Code, if_none_match: IfNoneMatch = None) -> None:
    """Every model that was saved and may be seen. `ETag` is sent to who sees all of it. Every read is logged."""
