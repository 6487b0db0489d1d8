"""POST /shl/{secret}: the manifest of a Health Link whose files are asked for by address.

The floor finds the link and its record, opens key and documents, counts the opening and notes who opened it, and sends
a manifest of that size made beforehand.
"""

import hashlib
import json
from datetime import UTC, datetime
from itertools import cycle

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import DECRYPTOR
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store
from ficha.core.crypto import seal, unseal

METHOD, PATH = "POST", "/shl/{secret}"
ASKED = {"recipient": "Dra. Rosa Silva", "embeddedLengthMax": 0}
LINK = """
SELECT health_links.id, health_links.secret_hash, health_links.sealed_key, records.id, records.account_id,
records.created_at, health_links.openings, records.key_id, records.wrapped_key
FROM health_links JOIN records ON records.id = health_links.record_id AND records.erased_at IS NULL
WHERE health_links.secret_hash = ? AND health_links.ended_at IS NULL AND health_links.ends_at > ?
AND health_links.attempts_left > 0"""
DOCUMENTS = "SELECT model, version, sealed FROM entries WHERE record_id = ?"
COUNT = "UPDATE health_links SET openings = openings + 1, opened_at = ? WHERE id = ? RETURNING attempts_left"
NOTE = "INSERT INTO health_link_openings (link_id, at, sealed_recipient) VALUES (?, ?, ?) RETURNING id"
ANSWER = b"x" * 650


async def floor(store: Store, scope: Scope, body: bytes) -> bytes:
    hashed = hashlib.sha256(scope["path"].removeprefix("/shl/").encode()).digest()
    recipient = json.loads(body)["recipient"].encode()
    async with store.writing() as db:
        now = db.moment(datetime.now(UTC))
        [link] = await db.rows(LINK, hashed, now)
        key = DECRYPTOR.key(link)
        unseal(key, link[2], f"health link:{hashed.hex()}:key")
        await db.rows(COUNT, now, link[0])
        await db.rows(NOTE, link[0], now, seal(key, recipient, "somebody"))
        for model, version, sealed in await db.rows(DOCUMENTS, link[3]):
            unseal(key, sealed, f"record:{link[3]}:{model}:{version}")
    return ANSWER


def seeds(people: People, count: int) -> list[Seed]:
    return people.health_links(count)


def ask(seed: Seed) -> RequestStream:
    requests = [request_bytes(METHOD, path, body=ASKED) for path in seed["paths"].split("\n")]
    for request in cycle(requests):  # noqa: UP028 - a cycle cannot be sent the answers.
        yield request


def clean_up(people: People) -> None:
    """Both note every opening; a record that was opened ten thousand times is nobody's."""
    people.execute("DELETE FROM health_link_openings")


ENTRY = Entry(
    "manifest", "Manifest of a Health Link", METHOD, PATH, 200, seeds, ask, floor, is_page=True, clean_up=clean_up
)
