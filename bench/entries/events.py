"""GET /v2/events: a stream is opened, one event that was missed is received, and the reader leaves.

The floor checks the token, reads the same event, and answers with it at once: it keeps no stream.
"""

import json

from bench.entries.entry import Entry, Scope
from bench.entries.rows import caller_of
from bench.requests import People, RequestStream, Seed
from bench.store import Store

METHOD, PATH = "GET", "/v2/events"
KIND = "bench.event"
# One event for everybody, and no other: entries before this one have left some. `xid` 0 is older than any transaction.
FORGET = f"DELETE FROM events WHERE kind <> '{KIND}'"
PUBLISH = f"""
INSERT INTO events (xid, at, account_id, kind, payload)
SELECT 0, CURRENT_TIMESTAMP, accounts.id, '{KIND}', '{{"id": 7}}' FROM accounts
WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.account_id = accounts.id)"""
MISSED = "SELECT xid, id, at, kind, payload FROM events WHERE account_id = ? AND xid >= 0 AND id > 0 ORDER BY xid, id"
FIRST_LINES = b": hola\nretry: 2000\n\n"


def seeds(people: People, count: int) -> list[Seed]:
    people.execute(FORGET)
    people.execute(PUBLISH)
    return people.tokens(count)


def ask(seed: Seed) -> RequestStream:
    head = f"{METHOD} {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nLast-Event-ID: 0-0\r\n"
    request = f"{head}Authorization: Bearer {seed['token']}\r\n\r\n".encode()
    while True:
        yield request


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    async with store.reading() as db:
        caller = await caller_of(db, scope["headers"])
        rows = await db.rows(MISSED, caller.account_id)
        frames = [
            f"id: {xid}-{number}\nevent: {kind}\ndata: {json.dumps({'at': str(at)} | db.json(payload))}\n\n"
            for xid, number, at, kind, payload in rows
        ]
    return FIRST_LINES + "".join(frames).encode()


ENTRY = Entry(
    "events",
    "Open a stream",
    METHOD,
    PATH,
    200,
    seeds,
    ask,
    floor,
    is_page=True,
    stream_until=f"event: {KIND}\n".encode(),
)
