"""GET /e/{code}/{tag}: the responder page of somebody with a full record.

The floor runs the same statement, opens the same documents, and sends a page of that size made beforehand.
"""

import os
from itertools import cycle
from pathlib import Path

from bench.entries.entry import Entry, Scope
from bench.requests import People, RequestStream, Seed
from bench.store import Store
from ficha.core.crypto import Keyring, Wrapped, unseal

METHOD, PATH = "GET", "/e/{code}/{tag}"
PAGE_BYTES = 6_200
SCAN = """
SELECT products.tag_hash, records.id, records.key_id, records.wrapped_key, accounts.idioma,
(SELECT emergencies.id FROM emergencies WHERE emergencies.current_record_id = records.id
 AND emergencies.state IN ('open', 'acknowledged')),
entries.model, entries.version, entries.updated_at, entries.sealed
FROM products JOIN records ON records.id = products.record_id AND records.erased_at IS NULL
LEFT JOIN accounts ON accounts.id = records.account_id
LEFT JOIN entries ON entries.record_id = records.id
WHERE products.code = ? AND products.state IN ('claimed', 'active')"""


class ResponderFloor:
    def __init__(self) -> None:
        self._keyring: Keyring | None = None
        self._page = os.urandom(PAGE_BYTES)

    async def __call__(self, store: Store, scope: Scope, _body: bytes) -> bytes:
        if self._keyring is None:
            self._keyring = Keyring.from_file(Path(os.environ["FICHA_DATA_DIR"]) / "keys.json")
        rows = await store.fetch(SCAN, scope["path"][3:9])
        record_id = rows[0][1]
        key = self._keyring.unwrap(Wrapped(rows[0][2], rows[0][3]), f"record:{record_id}")
        for row in rows:
            unseal(key, row[9], f"record:{record_id}:{row[6]}:{row[7]}")
        return self._page


def seeds(people: People, count: int) -> list[Seed]:
    return people.stickers(count)


def ask(seed: Seed) -> RequestStream:
    head = " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\nAccept-Language: es\r\n\r\n"
    requests = [f"GET {path}{head}".encode() for path in seed["paths"].split("\n")]
    for request in cycle(requests):  # noqa: UP028 - a cycle cannot be sent the answers.
        yield request


ENTRY = Entry("responder", "The responder page", METHOD, PATH, 200, seeds, ask, ResponderFloor(), is_page=True)
