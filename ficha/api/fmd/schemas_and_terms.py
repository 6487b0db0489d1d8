"""The models themselves: their JSON Schemas and the coded terms they use."""

from functools import cache
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Source
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.terms import Term, search
from ficha.http.dependencies import Page, Reply
from ficha.http.envelope import Answer, Listing, Resource, filled
from ficha.http.etags import NOT_MODIFIED, Caching
from ficha.http.fmd_dependencies import NamedModel
from ficha.http.record_schemas import ModelName

operations = Operations("fmd", prefix="/fmd", callers="public")

Titles = dict[str, str]


class ModelInvalid(FichaError):
    status = 422
    code = "modelo_invalido"
    message = "No hay un modelo con ese nombre. GET /v2/fmd/schemas los nombra todos."
    source = Source("parameter", "model")


class SchemaAttributes(DeferredModel):
    titles: Titles = Field(description="In es, en and pt.")
    door: str = Field(description="Who sees it unless the owner says otherwise: R, B or P.")
    schema_: dict[str, Any] = Field(serialization_alias="schema", description="JSON Schema, draft 2020-12.")


class TermAttributes(DeferredModel):
    modelo: str
    campo: str = Field(description="The field of the model that it fits.")
    sistema: str
    codigo: str
    es: str
    en: str
    pt: str
    nombre: str = Field(description="The trade or other name by which it was found; empty if by its own words.")


SchemaOut = Resource[SchemaAttributes]
TermOut = Resource[TermAttributes]

TITLES = {"es": "Salud", "en": "Health", "pt": "Saúde"}
SCHEMA = {"type": "object", "title": "Salud"}
SCHEMA_EXAMPLE = resource_example("fmd_schema", "salud", SchemaAttributes, titles=TITLES, door="R", schema_=SCHEMA)
EPILEPSY = {"modelo": "salud", "campo": "condiciones", "sistema": "snomed", "codigo": "84757009"}
WORDS = {"es": "Epilepsia", "en": "Epilepsy", "pt": "Epilepsia"}
TERM_EXAMPLE = resource_example("term", "snomed:84757009", TermAttributes, **EPILEPSY, **WORDS, nombre="")


@operations.get(
    "/schemas",
    "FMD schemas",
    errors=(422,),
    example=listing_example([SCHEMA_EXAMPLE]),
    responses=NOT_MODIFIED,
    response_model=Listing[SchemaOut],
)
def list_schemas(page: Page, caching: Caching) -> Response:
    """The JSON Schema of every model, with titles in three languages, in the order of the catalogue."""
    numbered = list(enumerate(CATALOG, 1))
    return caching.answer(page.part(numbered, lambda one: _schema_out(one[1]), lambda one: one[0]))


@operations.get(
    "/schemas/{model}",
    "FMD schema",
    errors=(404,),
    example=answer_example(SCHEMA_EXAMPLE),
    responses=NOT_MODIFIED,
    response_model=Answer[SchemaOut],
)
def one_schema(model: NamedModel, reply: Reply, caching: Caching) -> Response:
    """The JSON Schema of one model."""
    return caching.answer(reply(_schema_out(model)))


@operations.get(
    "/terms",
    "FMD terms",
    errors=(422,),
    example=listing_example([TERM_EXAMPLE]),
    responses=NOT_MODIFIED,
    response_model=Listing[TermOut],
)
def find_terms(
    page: Page,
    caching: Caching,
    q: Annotated[str, Query(min_length=1, max_length=100, description="What was typed.", examples=["epilep"])],
    model: Annotated[
        ModelName | None, Query(max_length=40, description="Only terms of this model.", examples=["salud"])
    ] = None,
) -> Response:
    """Coded terms like what was typed, best first; accents and a wrong letter do not matter, trade names are known."""
    if model is not None and CATALOG.find(model) is None:
        raise ModelInvalid
    numbered = list(enumerate(search(q, model or "", page.start(0) + page.limit), 1))
    return caching.answer(page.part(numbered, lambda one: _term_out(one[1]), lambda one: one[0]))


@cache
def _schema_out(model: type[FmdModel]) -> SchemaOut:
    """Made once: the seventeen take a twentieth of a second, and anybody may ask for them."""
    about = model.about
    shown = SchemaAttributes(titles=about.title.as_json(), door=about.door.value, schema_=model.json_schema())
    return Resource(type="fmd_schema", id=about.wire, attributes=shown)


def _term_out(term: Term) -> TermOut:
    shown = filled(TermAttributes, term, **term.words.as_json())
    return Resource(type="term", id=f"{term.sistema}:{term.codigo}", attributes=shown)
