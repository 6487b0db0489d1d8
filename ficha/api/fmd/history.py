"""Every change of a record, the record as it was, and who saw or changed what. For the owner and her guardians."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime, ConfigDict, Field

from ficha.api.examples import listing_example, resource_example
from ficha.api.fmd.record_changes import DOCUMENT_EXAMPLE, ModelState, state_of
from ficha.api.operations import Operations
from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.history import Change, changes_of, record_at
from ficha.http.cursors import NO_END
from ficha.http.dependencies import Now, Page, Parts, Reading
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.http.fmd_dependencies import ModelUnknown, ReadFmd
from ficha.http.record_schemas import PATCH, ModelName, by_model

operations = Operations("fmd", prefix="/fmd", callers="bearer")


class ChangedModel(DeferredModel):
    model_config = ConfigDict(json_schema_extra=by_model(patch=PATCH))

    version: int
    patch: dict[str, Any] = Field(description="The merge patch that led to this version.")


class ChangeAttributes(DeferredModel):
    at: Moment
    actor: str = Field(description="account:<id>: who made the change.")
    models: dict[str, ChangedModel]


class PastAttributes(DeferredModel):
    at: Moment
    models: dict[str, ModelState]


class AccessAttributes(DeferredModel):
    at: Moment
    actor: str = Field(description="account:<id>, tag (whoever scanned), glass:<id>, or service.")
    via: str = Field(description="owner, guardian, delegate, institution, tag, or empty.")
    origin: str = Field(description="The address it came from.")
    action: str
    what: list[str] = Field(
        description="Names of models or codes, and the version of the `rules:` that a stranger saw; never content."
    )
    hash: str = Field(description="Seals this entry and all before it.")


ChangeOut = Resource[ChangeAttributes]
PastOut = Resource[PastAttributes]
AccessOut = Resource[AccessAttributes]
CHANGE = resource_example(
    "change", 12, ChangeAttributes, actor="account:17", models={"salud": {"version": 3, "patch": DOCUMENT_EXAMPLE}}
)
ACCESS = resource_example(
    "access",
    31,
    AccessAttributes,
    actor="account:21",
    via="delegate",
    origin="203.0.113.9",
    action="record.read",
    what=["salud"],
    hash="5f3c…",
)


@operations.get("/{code}/history", "FMD history", errors=(403, 404, 422), example=listing_example([CHANGE]))
def history(
    reading: Reading,
    opened: ReadFmd,
    now: Now,
    page: Page,
    model: Annotated[ModelName | None, Query(max_length=40, description="Only changes of this model.")] = None,
    at: Annotated[AwareDatetime | None, Query(description="The whole record as it was at this moment.")] = None,
) -> "Listing[ChangeOut] | Answer[PastOut]":
    """Every change, newest first, as merge patches; or, with `at`, the record as it was."""
    fmd = opened.fmd
    fmd.must_manage()
    if model is not None and CATALOG.find(model) is None:
        raise ModelUnknown
    opened.note("history.read", [model] if model else [], now)
    if at is not None:
        models = {name: state_of(entry) for name, entry in record_at(reading, fmd, at).items() if model in (None, name)}
        return page.reply(Resource(type="fmd", id=fmd.id, attributes=PastAttributes(at=at, models=models)))
    found = changes_of(reading, fmd, before=page.start(NO_END), limit=page.limit, model=model)
    return page.answer(found, change_out, lambda change: change.number)


@operations.get("/{code}/access-log", "FMD access log", errors=(403, 404, 422), example=listing_example([ACCESS]))
def access_log(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, page: Page) -> "Listing[AccessOut]":
    """Who saw or changed what, newest first. This look is written down too."""
    opened.fmd.must_manage()
    opened.note("log.read", [], now)
    parts.read_log.drain_now()
    reading.give_back()  # To see what was drained just now, this look too.
    found = entries_of(reading, opened.fmd.id, before_seq=page.start(NO_END), limit=page.limit)
    return page.answer(found, access_out, lambda entry: entry.seq)


def change_out(change: Change) -> ChangeOut:
    models = {name: ChangedModel(version=version, patch=patch) for name, (version, patch) in change.models.items()}
    return Resource(
        type="change", id=change.number, attributes=ChangeAttributes(at=change.at, actor=change.actor, models=models)
    )


def access_out(entry: AuditEntry) -> AccessOut:
    shown = filled(AccessAttributes, entry, hash=entry.hash.hex())
    return Resource(type="access", id=entry.seq, attributes=shown)
