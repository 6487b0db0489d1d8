"""GET /v2/fmd/{code}/exists: which models have data."""

import json

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import FOR_OTHERS, requests_for, rows, seeds, statement
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", "/v2/fmd/{code}/exists"
SQL = statement(f"entries.model, entries.has_data, entries.version, {FOR_OTHERS}")


def ask(seed: Seed) -> RequestStream:
    return requests_for(PATH, seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    models = [row[9] for row in await rows(store, scope, SQL) if row[10]]
    return json.dumps({"exists": bool(models), "models": models}, separators=(",", ":")).encode()


ENTRY = Entry(
    "exists_record", "Which models have data", METHOD, PATH, 200, seeds, ask, floor, has_ordinary=True, compared_depth=2
)
