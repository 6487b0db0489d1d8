"""A model of the record as operations answer it."""

from typing import Any

from fastapi import Response
from pydantic import Field

from ficha.api.examples import answer_example
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.stored_documents import StoredDocument
from ficha.http.envelope import Moment, Resource
from ficha.http.etags import etag

Document = dict[str, Any]


class ModelState(DeferredModel):
    version: int = Field(description="0 when it was never saved.")
    updated_at: Moment | None
    data: dict[str, Any]


ModelOut = Resource[ModelState]

DOCUMENT_EXAMPLE = {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]}
STATE_EXAMPLE = {"version": 3, "updated_at": "2026-11-15T12:00:00+00:00", "data": DOCUMENT_EXAMPLE}
# What every operation that changes a record may answer.
WRITE_ERRORS = (400, 401, 403, 404, 409, 412, 415, 419, 422)


def model_example(model: str = "salud", data: Document = DOCUMENT_EXAMPLE) -> Document:
    return answer_example({"type": "fmd_model", "id": model, "attributes": STATE_EXAMPLE | {"data": data}})


def state_of(entry: StoredDocument) -> ModelState:
    return ModelState(
        version=entry.version, updated_at=entry.updated_at if entry.version else None, data=entry.document
    )


def model_out(response: Response, name: str, entry: StoredDocument) -> ModelOut:
    """Sets the ETag of the answer too."""
    response.headers["ETag"] = etag(name, entry.version)
    return Resource(type="fmd_model", id=name, attributes=state_of(entry))
