"""Everything a record holds, in one file. For the owner and her guardians."""

from datetime import datetime

from starlette.responses import JSONResponse

from ficha.api.fmd.access_log import access_out
from ficha.api.fmd.history import change_out
from ficha.api.fmd.model_answers import DOCUMENT_EXAMPLE
from ficha.api.operations import Operations
from ficha.audit.log import entries_of
from ficha.fmd.entries import stored_documents
from ficha.fmd.history import changes_of
from ficha.http.cursors import NO_END
from ficha.http.dependencies import Db, Now
from ficha.http.fmd_dependencies import CurrentFmd, PendingReadsWritten
from ficha.products.product import live_codes

operations = Operations("fmd", prefix="/fmd")

# A record with more changes than this has been written to by a machine.
MAX_ROWS = 10_000
EXPORT_EXAMPLE = {
    "ficha": {"fmd_code": 1904221833},
    "modelos": {"salud": DOCUMENT_EXAMPLE},
    "historial": [],
    "accesos": [],
}


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
            change_out(change).model_dump(mode="json") for change in changes_of(db, fmd, before=NO_END, limit=MAX_ROWS)
        ],
        "accesos": [
            access_out(entry).model_dump(mode="json")
            for entry in entries_of(db, fmd.id, before_seq=NO_END, limit=MAX_ROWS)
        ],
    }
    name = f"ficha-{fmd.id}-{now:%Y%m%d}.json"
    return JSONResponse(content, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _iso(moment: datetime) -> str:
    return moment.isoformat()
