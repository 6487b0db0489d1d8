"""GET /v2/fmd/{code}/{model}/exists: the read that is called most."""

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import FOR_OTHERS, MODEL, ONE, requests_for, rows, seeds, statement
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", f"/v2/fmd/{{code}}/{MODEL}/exists"
SQL = statement(f"entries.has_data, entries.version, {FOR_OTHERS}, consent.version, consent.sealed", ONE)


def ask(seed: Seed) -> RequestStream:
    return requests_for(PATH, seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    found = await rows(store, scope, SQL, MODEL)
    return b'{"exists":true}' if found[0][9] else b'{"exists":false}'


ENTRY = Entry("exists_model", "Does a model have data", METHOD, PATH, 200, seeds, ask, floor, has_ordinary=True)
