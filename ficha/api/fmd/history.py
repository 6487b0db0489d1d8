"""Every change of a record, and the record as it was. For the owner and her guardians."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime, Field

from ficha.api.examples import listing_example
from ficha.api.fmd.model_answers import DOCUMENT_EXAMPLE, ModelState, state_of
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.history import Change, changes_of, record_at
from ficha.http.cursors import NO_END, Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Now, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import ModelUnknown, ReadFmd

operations = Operations("fmd", prefix="/fmd")


class ChangedModel(DeferredModel):
    version: int
    patch: dict[str, Any] = Field(description="The merge patch that led to this version.")


class ChangeAttributes(DeferredModel):
    at: Moment
    actor: str = Field(description="account:<id>: who made the change.")
    models: dict[str, ChangedModel]


class PastAttributes(DeferredModel):
    at: Moment
    models: dict[str, ModelState]


ChangeOut = Resource[ChangeAttributes]
PastOut = Resource[PastAttributes]


@operations.get(
    "/{code}/history",
    "FMD history",
    door="bearer",
    errors=(403, 404, 422),
    example=listing_example(
        [
            {
                "type": "change",
                "id": 12,
                "attributes": {
                    "at": "2026-11-15T12:00:00+00:00",
                    "actor": "account:17",
                    "models": {"salud": {"version": 3, "patch": DOCUMENT_EXAMPLE}},
                },
            }
        ]
    ),
)
def history(
    reading: Reading,
    opened: ReadFmd,
    now: Now,
    reply: Reply,
    model: Annotated[str | None, Query(max_length=40, description="Only changes of this model.")] = None,
    at: Annotated[AwareDatetime | None, Query(description="The whole record as it was at this moment.")] = None,
    cursor: Cursor = None,
    size: PageSize = 50,
) -> "Listing[ChangeOut] | Answer[PastOut]":
    """Every change, newest first, as merge patches; or, with `at`, the record as it was."""
    fmd = opened.fmd
    fmd.must_manage()
    if model is not None and CATALOG.find(model) is None:
        raise ModelUnknown
    opened.note("history.read", [model] if model else [], now)
    if at is not None:
        models = {name: state_of(entry) for name, entry in record_at(reading, fmd, at).items() if model in (None, name)}
        return reply(Resource(type="fmd", id=fmd.id, attributes=PastAttributes(at=at, models=models)))
    found = changes_of(reading, fmd, before=row_before(cursor, NO_END), limit=size + 1, model=model)
    following = next_cursor(found, size, lambda change: change.number)
    return reply.listing([change_out(change) for change in found[:size]], size, following)


def change_out(change: Change) -> ChangeOut:
    models = {name: ChangedModel(version=version, patch=patch) for name, (version, patch) in change.models.items()}
    return Resource(
        type="change", id=change.number, attributes=ChangeAttributes(at=change.at, actor=change.actor, models=models)
    )
