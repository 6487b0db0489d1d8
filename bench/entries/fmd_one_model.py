"""GET /v2/fmd/{code}/{model}: one document, decrypted."""

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.fmd_rows import DECRYPTOR, DOCUMENT, MODEL, ONE, requests_for, rows, seeds, statement
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", f"/v2/fmd/{{code}}/{MODEL}"
SQL = statement(f"{DOCUMENT}, consent.version, consent.sealed", ONE)


def ask(seed: Seed) -> RequestStream:
    return requests_for(PATH, seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> FloorAnswer:
    row = (await rows(store, scope, SQL, MODEL))[0]
    attributes = DECRYPTOR.attributes(DECRYPTOR.key(row), row[3], MODEL, row[9], row[10], row[11])
    data = b'{"type":"fmd_model","id":"%b","attributes":%b}' % (MODEL.encode(), attributes)
    return FloorAnswer.with_etag(data, f"{MODEL}-{row[9]}")


ENTRY = Entry("one_model", "Read one model", METHOD, PATH, 200, seeds, ask, floor, has_ordinary=True)
