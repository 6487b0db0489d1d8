"""Changing one model of a record."""

from typing import Annotated

from fastapi import Body as JsonBody
from fastapi import Response

from ficha.api.fmd.model_answers import DOCUMENT_EXAMPLE, WRITE_ERRORS, Document, ModelOut, model_example, model_out
from ficha.api.operations import Operations
from ficha.fmd.changes import change_model
from ficha.http.dependencies import Db, Now, Reply
from ficha.http.envelope import Answer
from ficha.http.etags import IfMatch, expected_versions
from ficha.http.fmd_dependencies import CurrentFmd, NamedModel

operations = Operations("fmd", prefix="/fmd", door="bearer")


@operations.patch("/{code}/{model}", "Patch one model", errors=WRITE_ERRORS, example=model_example())
def patch_model(
    db: Db,
    fmd: CurrentFmd,
    model: NamedModel,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[DOCUMENT_EXAMPLE])],
    if_match: IfMatch = None,
) -> "Answer[ModelOut]":
    """A merge patch (RFC 7396) for one model."""
    name = model.about.wire
    saved = change_model(db, fmd, model, body, now, merges=True, expected=expected_versions(if_match, name))
    return reply(model_out(response, name, saved))


@operations.put("/{code}/{model}", "Put one model", errors=WRITE_ERRORS, example=model_example())
def put_model(
    db: Db,
    fmd: CurrentFmd,
    model: NamedModel,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[DOCUMENT_EXAMPLE])],
    if_match: IfMatch = None,
) -> "Answer[ModelOut]":
    """The whole model anew. Facts that keep their `id` keep their name; an empty object empties the model."""
    name = model.about.wire
    saved = change_model(db, fmd, model, body, now, merges=False, expected=expected_versions(if_match, name))
    return reply(model_out(response, name, saved))
