"""Everything a record holds, in one file. For the owner and her guardians."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic_core import to_json
from starlette.responses import JSONResponse, StreamingResponse

from ficha.api.fmd.history import access_out, change_out
from ficha.api.fmd.record_changes import DOCUMENT_EXAMPLE
from ficha.api.operations import Operations
from ficha.asgi.answers import JSON
from ficha.asgi.threads import Pool
from ficha.audit.log import entries_of
from ficha.channels.errors import RetryLater
from ficha.channels.storage import FileMissing
from ficha.core.db import Database
from ficha.emergencies.relay_lines import emergencies_with_relay, relay_lines
from ficha.fmd.access import OpenFmd
from ficha.fmd.history import changes_of
from ficha.fmd.stored_documents import stored_documents
from ficha.http.cursors import NO_END
from ficha.http.dependencies import Now, Parts, Reading
from ficha.http.file_answers import in_threads, saved_as
from ficha.http.fmd_dependencies import ReadFmd
from ficha.parts import Parts as AllParts
from ficha.photos import photos
from ficha.photos.photos import Photo
from ficha.photos.picture_messages import StorageAway
from ficha.products.statements import live_codes

operations = Operations("fmd", prefix="/fmd")

# What is in memory at once. A change may hold two large versions of each model, an access is a line.
CHANGES_AT_ONCE = 10
ACCESSES_AT_ONCE = 500
EXPORT_EXAMPLE: dict[str, Any] = {
    "ficha": {"fmd_code": 1904221833},
    "foto": None,
    "modelos": {"salud": DOCUMENT_EXAMPLE},
    "historial": [],
    "accesos": [],
    "mensajes": [],
}


@operations.get(
    "/{code}/export",
    "FMD export",
    callers="bearer",
    errors=(403, 404, 503),
    example=EXPORT_EXAMPLE,
    response_class=JSONResponse,
    pool=Pool.LONG,
)
def export(reading: Reading, opened: ReadFmd, parts: Parts, now: Now) -> StreamingResponse:
    """Everything the record holds, in one file: data, changes, accesses and codes."""
    fmd = opened.fmd
    fmd.must_manage()
    opened.note("record.exported", [], now)
    parts.read_log.drain_now()
    reading.give_back()  # To see what was drained just now.
    head = {
        "ficha": {
            "fmd_code": fmd.id,
            "relacion": fmd.record.relacion,
            "template_type": fmd.record.template_type,
            "version": fmd.record.version,
            "created_at": _iso(fmd.record.created_at),
            "exported_at": _iso(now),
            "codes": [product.code for product in live_codes(reading, [fmd.id])],
        },
        "foto": _photo(parts, photos.stored_photo(reading, fmd.id), fmd.key),
        "modelos": {name: entry.document for name, entry in stored_documents(reading, fmd.id, fmd.key).items()},
    }
    newest = next(iter(entries_of(reading, fmd.id, limit=1)), None)
    pieces = _pieces(parts.database, fmd, head, NO_END if newest is None else newest.seq + 1)
    name = f"ficha-{fmd.id}-{now:%Y%m%d}.json"
    return StreamingResponse(in_threads(pieces), media_type=JSON, headers=saved_as(name))


def _photo(parts: AllParts, photo: Photo | None, key: bytes) -> str | None:
    """As a data URI. Raises StorageAway: a file that lacks something is not everything."""
    if photo is None:
        return None
    try:
        content = photos.content_of(parts.storage, photo, key)
    except FileMissing:
        return None
    except RetryLater as error:
        raise StorageAway from error
    return f"data:{photos.MEDIA_TYPE};base64,{b64encode(content).decode()}"


def _pieces(database: Database, fmd: OpenFmd, head: dict[str, Any], before_seq: int) -> Iterator[bytes]:
    """Changes and accesses are never altered, so those up to a number are a snapshot: each piece is read by itself, and
    a slow reader holds no transaction."""
    yield to_json(head)[:-1]
    yield b',"historial":'
    yield from _list(_changes(database, fmd))
    yield b',"accesos":'
    yield from _list(_accesses(database, fmd, before_seq))
    yield b',"mensajes":'
    yield from _list(_messages(database, fmd))
    yield b"}"


def _changes(database: Database, fmd: OpenFmd) -> Iterator[list[Any]]:
    before = fmd.record.version + 1
    while True:
        with database.reading() as tx:
            found = changes_of(tx, fmd, before=before, limit=CHANGES_AT_ONCE)
        yield [change_out(change) for change in found]
        if len(found) < CHANGES_AT_ONCE:
            return
        before = found[-1].number


def _accesses(database: Database, fmd: OpenFmd, before_seq: int) -> Iterator[list[Any]]:
    while True:
        with database.reading() as tx:
            found = entries_of(tx, fmd.id, before_seq=before_seq, limit=ACCESSES_AT_ONCE)
        yield [access_out(entry) for entry in found]
        if len(found) < ACCESSES_AT_ONCE:
            return
        before_seq = found[-1].seq


def _messages(database: Database, fmd: OpenFmd) -> Iterator[list[Any]]:
    """What whoever helped and the contacts wrote to each other, an emergency at a time."""
    with database.reading() as tx:
        emergencies = emergencies_with_relay(tx, fmd.id)
    for emergency_id in emergencies:
        with database.reading() as tx:
            lines = relay_lines(tx, fmd.key, emergency_id)
        yield [
            {"emergencia": emergency_id, "contacto": line.contact_id, "texto": line.words, "at": _iso(line.at)}
            for line in lines
        ]


def _list(pages: Iterator[list[Any]]) -> Iterator[bytes]:
    """A JSON array, a page at a time."""
    separator = b"["
    for page in pages:
        inner = to_json(page)[1:-1]
        if inner:
            yield separator + inner
            separator = b","
    yield b"[]" if separator == b"[" else b"]"


def _iso(moment: datetime) -> str:
    return moment.isoformat()
