"""GET /v2/fmd/{code}: every document that was saved, decrypted."""

import json

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.fmd_rows import DECRYPTOR, DOCUMENT, requests_for, rows, seeds, statement
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", "/v2/fmd/{code}"
SQL = statement(f"entries.model, {DOCUMENT}, records.relacion, records.template_type, records.version")


def ask(seed: Seed) -> RequestStream:
    return requests_for(PATH, seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> FloorAnswer:
    found = await rows(store, scope, SQL)
    key = DECRYPTOR.key(found[0])
    models = [
        b'"%b":%b' % (row[9].encode(), DECRYPTOR.attributes(key, row[3], row[9], row[10], row[11], row[12]))
        for row in found
    ]
    relacion, template_type, version = found[0][-3:]
    data = b'{"type":"fmd","id":%d,"attributes":{"relacion":%b,"template_type":%b,"version":%d,"models":{%b}}}' % (
        found[0][3],
        json.dumps(relacion).encode(),
        json.dumps(template_type).encode(),
        version,
        b",".join(models),
    )
    return FloorAnswer.with_etag(data, f"r-{version}")


ENTRY = Entry(
    "whole_record", "Read the whole record", METHOD, PATH, 200, seeds, ask, floor, has_ordinary=True, compared_depth=3
)
