"""Changing a medical record as a whole: several models at once, its relationship, its template."""

from typing import Annotated

from fastapi import Body as JsonBody
from fastapi import Response
from pydantic import Field

from ficha.api.bodies import Body
from ficha.api.examples import answer_example
from ficha.api.fmd.model_answers import DOCUMENT_EXAMPLE, STATE_EXAMPLE, WRITE_ERRORS, Document, ModelState, state_of
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Etiqueta
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.changes import change_relacion, change_template, patch_models
from ficha.http.dependencies import Db, Now, Reply
from ficha.http.envelope import Answer, Resource
from ficha.http.etags import IfMatch, etag, expected_versions
from ficha.http.fmd_dependencies import CurrentFmd

operations = Operations("fmd", prefix="/fmd", door="bearer")


class ChangedModels(DeferredModel):
    version: int = Field(description="Version of the whole record; its ETag.")
    models: dict[str, ModelState]


class Settled(DeferredModel):
    relacion: str
    template_type: str
    version: int


RecordOut = Resource[ChangedModels]
SettledOut = Resource[Settled]


class Relationship(Body):
    relacion: Etiqueta = Field(examples=["madre"])


class TemplateType(Body):
    template_type: str = Field(pattern=f"^({'|'.join(TEMPLATES)})$", examples=["estudiante"])


RECORD_EXAMPLE: Document = answer_example(
    {
        "type": "fmd",
        "id": 1904221833,
        "attributes": {
            "version": 12,
            "models": {"salud": STATE_EXAMPLE},
        },
    }
)
SETTLED_EXAMPLE: Document = answer_example(
    {
        "type": "fmd",
        "id": 1904221833,
        "attributes": {"relacion": "madre", "template_type": "estudiante", "version": 13},
    }
)


@operations.patch("/{code}", "FMD Patch", seed=True, errors=WRITE_ERRORS, example=RECORD_EXAMPLE)
def patch_record(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[{"salud": DOCUMENT_EXAMPLE, "cuerpo": {"peso_kg": 61}}])],
    if_match: IfMatch = None,
) -> "Answer[RecordOut]":
    """Merge patches (RFC 7396) for several models at once: all are saved, or none. `null` empties a model."""
    saved = patch_models(db, fmd, body, now, expected=expected_versions(if_match, "r"))
    response.headers["ETag"] = etag("r", fmd.record.version)
    models = {name: state_of(entry) for name, entry in saved.items()}
    changed = ChangedModels(version=fmd.record.version, models=models)
    return reply(Resource(type="fmd", id=fmd.id, attributes=changed))


@operations.patch("/{code}/relationship", "Relationship", seed=True, errors=WRITE_ERRORS, example=SETTLED_EXAMPLE)
def patch_relationship(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Relationship,
    if_match: IfMatch = None,
) -> "Answer[SettledOut]":
    """Who keeps this record, seen from its person."""
    change_relacion(db, fmd, body.relacion, now, expected=expected_versions(if_match, "r"))
    return reply(_settled_out(response, fmd))


@operations.patch(
    "/{code}/template-type", "FMD Patch Template Type", seed=True, errors=WRITE_ERRORS, example=SETTLED_EXAMPLE
)
def patch_template_type(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: TemplateType,
    if_match: IfMatch = None,
) -> "Answer[SettledOut]":
    """Chooses which sections the form asks for, and in which order."""
    change_template(db, fmd, body.template_type, now, expected=expected_versions(if_match, "r"))
    return reply(_settled_out(response, fmd))


def _settled_out(response: Response, fmd: CurrentFmd) -> SettledOut:
    """Sets the ETag of the answer too."""
    record = fmd.record
    response.headers["ETag"] = etag("r", record.version)
    return Resource(
        type="fmd",
        id=record.id,
        attributes=Settled(relacion=record.relacion, template_type=record.template_type, version=record.version),
    )
