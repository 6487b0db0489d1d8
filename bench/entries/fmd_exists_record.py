"""GET /v2/fmd/{code}/exists: which models have data."""

import json

from bench.entries.entry import Asking, Entry, Scope, Seed
from bench.entries.fmd_rows import FOR_OTHERS, asking, rows, seeds, statement
from bench.store import Store

METHOD, PATH = "GET", "/v2/fmd/{code}/exists"
SQL = statement(f"entries.model, entries.has_data, entries.version, {FOR_OTHERS}")


def ask(seed: Seed) -> Asking:
    return asking(PATH, seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    models = [row[9] for row in await rows(store, scope, SQL) if row[10]]
    return json.dumps({"exists": bool(models), "models": models}, separators=(",", ":")).encode()


ENTRY = Entry(
    "exists_record", "Which models have data", METHOD, PATH, 200, seeds, ask, floor, has_ordinary=True, alike_depth=2
)
