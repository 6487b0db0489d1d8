"""The models themselves: their JSON Schemas and the coded terms they use."""

from functools import cache
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Source
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.terms import Term, search
from ficha.http.cursors import PageSize
from ficha.http.dependencies import Reply
from ficha.http.envelope import Answer, Listing, Resource, filled
from ficha.http.fmd_dependencies import NamedModel

operations = Operations("fmd", prefix="/fmd", door="public")

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


SchemaOut = Resource[SchemaAttributes]
TermOut = Resource[TermAttributes]

TITLES = {"es": "Salud", "en": "Health", "pt": "Saúde"}
SCHEMA = {"type": "object", "title": "Salud"}
SCHEMA_EXAMPLE = resource_example("fmd_schema", "salud", SchemaAttributes, titles=TITLES, door="R", schema_=SCHEMA)
EPILEPSY = {"modelo": "salud", "campo": "condiciones", "sistema": "snomed", "codigo": "84757009"}
WORDS = {"es": "Epilepsia", "en": "Epilepsy", "pt": "Epilepsia"}
TERM_EXAMPLE = resource_example("term", "snomed:84757009", TermAttributes, **EPILEPSY, **WORDS)


@operations.get("/schemas", "FMD schemas", example=listing_example([SCHEMA_EXAMPLE], size=17))
def list_schemas(reply: Reply) -> "Listing[SchemaOut]":
    """The JSON Schema of every model, with titles in three languages."""
    return reply.listing([_schema_out(model) for model in CATALOG], len(CATALOG), None)


@operations.get("/schemas/{model}", "FMD schema", errors=(404,), example=answer_example(SCHEMA_EXAMPLE))
def one_schema(model: NamedModel, reply: Reply) -> "Answer[SchemaOut]":
    """The JSON Schema of one model."""
    return reply(_schema_out(model))


@operations.get("/terms", "FMD terms", errors=(422,), example=listing_example([TERM_EXAMPLE]))
def find_terms(
    reply: Reply,
    q: Annotated[str, Query(min_length=1, max_length=100, description="What was typed.", examples=["epilep"])],
    model: Annotated[str, Query(max_length=40, description="Only terms of this model.", examples=["salud"])] = "",
    size: PageSize = 50,
) -> "Listing[TermOut]":
    """Coded terms that look like what was typed; accents and a wrong letter do not matter."""
    if model and CATALOG.find(model) is None:
        raise ModelInvalid
    return reply.listing([_term_out(term) for term in search(q, model, size)], size, None)


@cache
def _schema_out(model: type[FmdModel]) -> SchemaOut:
    """Made once: the seventeen take a twentieth of a second, and anybody may ask for them."""
    about = model.about
    shown = SchemaAttributes(titles=about.title.as_json(), door=about.door.value, schema_=model.json_schema())
    return Resource(type="fmd_schema", id=about.wire, attributes=shown)


def _term_out(term: Term) -> TermOut:
    shown = filled(TermAttributes, term, **term.words.as_json())
    return Resource(type="term", id=f"{term.sistema}:{term.codigo}", attributes=shown)
