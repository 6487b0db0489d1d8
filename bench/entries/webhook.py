"""POST /v2/webhook/whatsapp: a notification with one message, with a hundred, with a thousand. Every body is new.

The floor only writes the same bytes durably, in a transaction each: no signature, no encryption, no job.
"""

import hashlib
import hmac
import json
import os
from datetime import UTC, datetime
from itertools import count

from bench.entries.entry import Entry, Scope
from bench.requests import People, RequestStream, Seed
from bench.store import Store

METHOD, PATH = "POST", "/v2/webhook/whatsapp"
SECRET = b"sandbox-app-secret"
KEEP = """
INSERT INTO notifications (digest, is_test, sealed, received_at, processed_at, done, unreadable)
VALUES (?, FALSE, ?, ?, ?, 0, 0) RETURNING id"""


def seeds(_people: People, connections: int) -> list[Seed]:
    return [{"name": os.urandom(6).hex()} for _ in range(connections)]


def requests_for(messages: int, seed: Seed) -> RequestStream:
    for number in count():
        body = body_of(messages, f"{seed['name']}-{number}")
        signature = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        head = (
            f"{METHOD} {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        yield head.encode() + body


def body_of(messages: int, name: str) -> bytes:
    sent = [
        {
            "from": f"58412{number:07d}",
            "id": f"wamid.{name}-{number}",
            "timestamp": "1794744000",
            "type": "text",
            "text": {"body": "¿Está bien? Voy en camino."},
        }
        for number in range(messages)
    ]
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
        "contacts": [{"profile": {"name": "María"}, "wa_id": one["from"]} for one in sent],
        "messages": sent,
    }
    entry = {"id": "102290129340398", "changes": [{"field": "messages", "value": value}]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


async def floor(store: Store, _scope: Scope, body: bytes) -> bytes:
    async with store.writing() as db:
        now = db.moment(datetime.now(UTC))  # As if processed: the service must not find it.
        await db.rows(KEEP, os.urandom(32), body, now, now)
    return b'{"received":true}'


def clean_up(people: People) -> None:
    """Marks what the service has not processed by the end of its round, whose jobs would run in the next."""
    people.execute("UPDATE notifications SET processed_at = received_at WHERE processed_at IS NULL")


def entry_of(messages: int) -> Entry:
    title = "Webhook, one message" if messages == 1 else f"Webhook, a batch of {messages:,}"
    name = f"webhook_{messages}"
    return Entry(
        name, title, METHOD, PATH, 200, seeds, lambda seed: requests_for(messages, seed), floor, clean_up=clean_up
    )


ONE, HUNDRED, THOUSAND = entry_of(1), entry_of(100), entry_of(1_000)
