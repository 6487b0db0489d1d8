"""GET /e/{code}/{tag}: the responder page of somebody with a full record.

The floor runs the same statement, opens the same documents, and sends a page of that size made beforehand.
"""

import os
from itertools import cycle

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import DECRYPTOR
from bench.requests import People, RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", "/e/{code}/{tag}"
PAGE_BYTES = 6_850
SCAN = """
SELECT products.tag_hash, records.id, records.key_id, records.wrapped_key, accounts.idioma, emergencies.id,
EXISTS (SELECT * FROM alert_targets JOIN products AS scanned ON alert_targets.record_id = scanned.record_id
WHERE scanned.code = ? AND (alert_targets.refused_at IS NOT NULL
OR alert_targets.asked_at IS NOT NULL AND alert_targets.confirmed_at IS NULL)),
(SELECT max(rule_changes.id) FROM rule_changes),
entries.model, entries.version, entries.updated_at, entries.sealed
FROM products JOIN records ON records.id = products.record_id AND records.erased_at IS NULL
LEFT JOIN accounts ON accounts.id = records.account_id
LEFT JOIN emergencies ON emergencies.current_record_id = records.id AND emergencies.record_id = records.id
AND emergencies.state IN ('open', 'acknowledged')
LEFT JOIN entries ON entries.record_id = records.id
WHERE products.code = ? AND products.state IN ('claimed', 'active')"""
PAGE = os.urandom(PAGE_BYTES)


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    code = scope["path"][3:9]
    rows = await store.fetch(SCAN, code, code)
    _, record_id, key_id, wrapped = rows[0][:4]
    key = DECRYPTOR.record_key(record_id, key_id, wrapped)
    for row in rows:
        model, version, _, sealed = row[8:]
        DECRYPTOR.document(key, record_id, model, version, sealed)
    return PAGE


def seeds(people: People, count: int) -> list[Seed]:
    return people.stickers(count)


def ask(seed: Seed) -> RequestStream:
    head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\nAccept-Language: es\r\n\r\n"
    requests = [f"GET {path}{head}".encode() for path in seed["paths"].split("\n")]
    for request in cycle(requests):  # noqa: UP028 - a cycle cannot be sent the answers.
        yield request


ENTRY = Entry("responder", "The responder page", METHOD, PATH, 200, seeds, ask, floor, is_page=True)
