"""What was: the record's changes, who looked at it, and everything in one file. For the owner and her guardians."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import AwareDatetime, BaseModel, Field
from starlette.responses import JSONResponse

from ficha.api.examples import listing_example
from ficha.api.fmd.changes import EXAMPLE, state_of
from ficha.api.fmd.reads import ModelState
from ficha.api.operations import Operations
from ficha.audit.log import AuditEntry, entries_of
from ficha.fmd.catalog import CATALOG
from ficha.fmd.entries import stored_documents
from ficha.fmd.history import Change, changes_of, record_at
from ficha.http.cursors import Cursor, cursor_after, row_before
from ficha.http.dependencies import Db, Now, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import CurrentFmd, ModelUnknown, PendingReadsWritten
from ficha.products.product import live_codes

operations = Operations("fmd", prefix="/fmd")

PageSize = Annotated[int, Query(ge=1, le=200, description="How many per page.")]
NO_END = 2**31 - 1
# One export holds all: a record with more changes than this has been written to by a machine.
MOST = 10_000


class ChangedModel(BaseModel):
    version: int
    patch: dict[str, Any] = Field(description="The merge patch that led to this version.")


class ChangeAttributes(BaseModel):
    at: Moment
    actor: str = Field(description="account:<id>: who made the change.")
    models: dict[str, ChangedModel]


class PastAttributes(BaseModel):
    at: Moment
    models: dict[str, ModelState]


class AccessAttributes(BaseModel):
    at: Moment
    actor: str = Field(description="account:<id>, tag (whoever scanned), glass:<id>, or service.")
    via: str = Field(description="owner, guardian, delegate, institution, tag, or empty.")
    origin: str = Field(description="The address it came from.")
    action: str
    what: list[str] = Field(description="Names of models or codes, never content.")
    hash: str = Field(description="Seals this entry and all before it.")


ChangeOut = Resource[ChangeAttributes]
PastOut = Resource[PastAttributes]
AccessOut = Resource[AccessAttributes]


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
                    "models": {"salud": {"version": 3, "patch": EXAMPLE}},
                },
            }
        ]
    ),
)
def history(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    model: Annotated[str | None, Query(max_length=40, description="Only changes of this model.")] = None,
    at: Annotated[AwareDatetime | None, Query(description="The whole record as it was at this moment.")] = None,
    cursor: Cursor = None,
    size: PageSize = 50,
) -> Listing[ChangeOut] | Answer[PastOut]:
    """Every change, newest first, as merge patches; or, with `at`, the record as it was."""
    fmd.must_manage()
    if model is not None and CATALOG.find(model) is None:
        raise ModelUnknown
    fmd.note(db, "history.read", [model] if model else [], now)
    if at is not None:
        models = {name: state_of(entry) for name, entry in record_at(db, fmd, at).items() if model in (None, name)}
        return reply(Resource(type="fmd", id=fmd.id, attributes=PastAttributes(at=at, models=models)))
    found = changes_of(db, fmd, before=row_before(cursor, NO_END), limit=size + 1, model=model)
    following = cursor_after(found[size - 1].number) if len(found) > size else None
    return reply.listing([_change_out(change) for change in found[:size]], size, following)


@operations.get(
    "/{code}/access-log",
    "FMD access log",
    door="bearer",
    errors=(403, 404, 422),
    example=listing_example(
        [
            {
                "type": "access",
                "id": 31,
                "attributes": {
                    "at": "2026-11-15T12:00:00+00:00",
                    "actor": "account:21",
                    "via": "delegate",
                    "origin": "203.0.113.9",
                    "action": "record.read",
                    "what": ["salud"],
                    "hash": "5f3c…",
                },
            }
        ]
    ),
    dependencies=[PendingReadsWritten],
)
def access_log(
    db: Db, fmd: CurrentFmd, now: Now, reply: Reply, cursor: Cursor = None, size: PageSize = 50
) -> Listing[AccessOut]:
    """Who saw or changed what, newest first. This look is written down too."""
    fmd.must_manage()
    fmd.note(db, "log.read", [], now)
    found = entries_of(db, fmd.id, before_seq=row_before(cursor, NO_END), limit=size + 1)
    following = cursor_after(found[size - 1].seq) if len(found) > size else None
    return reply.listing([_access_out(entry) for entry in found[:size]], size, following)


EXPORT_EXAMPLE = {"ficha": {"fmd_code": 1904221833}, "modelos": {"salud": EXAMPLE}, "historial": [], "accesos": []}


@operations.get(
    "/{code}/export",
    "FMD export",
    door="bearer",
    errors=(403, 404),
    example=EXPORT_EXAMPLE,
    dependencies=[PendingReadsWritten],
    response_class=JSONResponse,
)
def export(db: Db, fmd: CurrentFmd, now: Now) -> JSONResponse:
    """Everything the record holds, in one file: data, changes, accesses and codes."""
    fmd.must_manage()
    fmd.note(db, "record.exported", [], now)
    content = {
        "ficha": {
            "fmd_code": fmd.id,
            "relacion": fmd.record.relacion,
            "template_type": fmd.record.template_type,
            "version": fmd.record.version,
            "created_at": _iso(fmd.record.created_at),
            "exported_at": _iso(now),
            "codes": [product.code for product in live_codes(db, [fmd.id])],
        },
        "modelos": {name: entry.document for name, entry in stored_documents(db, fmd.id, fmd.key).items()},
        "historial": [
            _change_out(change).model_dump(mode="json") for change in changes_of(db, fmd, before=NO_END, limit=MOST)
        ],
        "accesos": [
            _access_out(entry).model_dump(mode="json")
            for entry in entries_of(db, fmd.id, before_seq=NO_END, limit=MOST)
        ],
    }
    name = f"ficha-{fmd.id}-{now:%Y%m%d}.json"
    return JSONResponse(content, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _change_out(change: Change) -> ChangeOut:
    models = {name: ChangedModel(version=version, patch=patch) for name, (version, patch) in change.models.items()}
    return Resource(
        type="change", id=change.number, attributes=ChangeAttributes(at=change.at, actor=change.actor, models=models)
    )


def _access_out(entry: AuditEntry) -> AccessOut:
    return Resource(
        type="access",
        id=entry.seq,
        attributes=AccessAttributes(
            at=entry.at,
            actor=entry.actor,
            via=entry.via,
            origin=entry.origin,
            action=entry.action,
            what=entry.what,
            hash=entry.hash.hex(),
        ),
    )


def _iso(moment: datetime) -> str:
    return moment.isoformat()
