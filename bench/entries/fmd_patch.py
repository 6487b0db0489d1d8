"""PATCH /v2/fmd/{code}/{model}: a document opened, changed, sealed, versioned and logged in one transaction."""

import hashlib
import json
from datetime import UTC, datetime
from itertools import count, cycle

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.fmd_rows import DECRYPTOR, MODEL, seeds
from bench.entries.rows import caller_of
from bench.requests import RequestStream, Seed, request_bytes
from bench.store import Store
from ficha.core.crypto import seal, unseal

METHOD, PATH = "PATCH", f"/v2/fmd/{{code}}/{MODEL}"

RECORD = """
SELECT records.id, records.version, records.key_id, records.wrapped_key FROM records
JOIN products ON products.record_id = records.id
WHERE products.code = ? AND products.state IN ('claimed', 'active') AND records.account_id = ?"""
ENTRY_NOW = "SELECT version, sealed FROM entries WHERE record_id = ? AND model = ?"
CHANGE = "UPDATE entries SET version = ?, sealed = ?, updated_at = ?, has_data = ? WHERE record_id = ? AND model = ?"
ADD = "INSERT INTO entries (version, sealed, updated_at, has_data, record_id, model) VALUES (?, ?, ?, ?, ?, ?)"
KEEP = """
INSERT INTO entry_versions (record_id, model, version, change, at, actor, sealed) VALUES (?, ?, ?, ?, ?, ?, ?)"""
COUNT = "UPDATE records SET version = ? WHERE id = ?"
LAST = "SELECT seq, hash FROM audit_entries WHERE record_id = ? ORDER BY seq DESC LIMIT 1"
NOTE = """
INSERT INTO audit_entries (record_id, seq, at, actor, via, origin, action, what, previous, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


def ask(seed: Seed) -> RequestStream:
    people = [person.split(" ") for person in seed["people"].split("\n")]
    for (code, token), number in zip(cycle(people), count(), strict=False):
        path = PATH.replace("{code}", code)
        # Always as long, so that answers are as long whoever is asked how often.
        yield request_bytes(METHOD, path, token, {"documento_numero": f"V-{10_000_000 + number % 1_000_000}"})


async def floor(store: Store, scope: Scope, body: bytes) -> FloorAnswer:
    async with store.reading() as db:
        caller = await caller_of(db, scope["headers"])
    async with store.writing() as db:
        now = datetime.now(UTC)
        moment = db.moment(now)
        record_id, change, *wrapped = (await db.rows(RECORD, scope["path"][8:14], caller.account_id))[0]
        key = DECRYPTOR.key((None,) * 3 + (record_id,) + (None,) * 3 + tuple(wrapped))
        found = await db.rows(ENTRY_NOW, record_id, MODEL)
        version = found[0][0] if found else 0
        document = json.loads(unseal(key, found[0][1], f"record:{record_id}:{MODEL}:{version}")) if found else {}
        plain = json.dumps(document | json.loads(body), ensure_ascii=False, separators=(",", ":")).encode()
        version += 1
        sealed = seal(key, plain, f"record:{record_id}:{MODEL}:{version}")
        await db.rows(f"{CHANGE if found else ADD} RETURNING version", version, sealed, moment, True, record_id, MODEL)
        actor = f"account:{caller.account_id}"
        await db.rows(f"{KEEP} RETURNING version", record_id, MODEL, version, change + 1, moment, actor, sealed)
        await db.rows(f"{COUNT} RETURNING id", change + 1, record_id)
        last = await db.rows(LAST, record_id)
        seq, previous = (last[0][0], last[0][1]) if last else (0, bytes(32))
        hashed = hashlib.sha256(previous + plain).digest()
        noted = (record_id, seq + 1, moment, actor, "owner", "127.0.0.1", "record.changed", json.dumps([MODEL]))
        await db.rows(f"{NOTE} RETURNING id", *noted, previous, hashed)
    state = b'{"version":%d,"updated_at":"%b","data":%b}' % (version, now.isoformat().encode(), plain)
    data = b'{"type":"fmd_model","id":"%b","attributes":%b}' % (MODEL.encode(), state)
    return FloorAnswer.with_etag(data, f"{MODEL}-{version}")


ENTRY = Entry("patch", "Patch one model", METHOD, PATH, 200, seeds, ask, floor, compared_depth=3)
