"""GET /admin/personas: a page of the console, fifty people by their number.

The floor runs the same statements and sends a page of that size made beforehand.
"""

import os

from bench.entries.entry import Entry, Scope
from bench.entries.rows import caller_of
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store

METHOD, PATH = "GET", "/admin/personas"
PAGE_BYTES = 32_000
PEOPLE = """
SELECT id, nombre, correo, roles, created_at,
(SELECT count(*) FROM tokens WHERE tokens.account_id = accounts.id AND tokens.expires_at > accounts.created_at)
FROM accounts WHERE vanishes_at IS NULL AND id < ? ORDER BY id DESC LIMIT 51"""
PAGE = os.urandom(PAGE_BYTES)


def seeds(people: People, count: int) -> list[Seed]:
    """Tokens of people who are staff for as long as this is measured."""
    found = people.tokens(count)
    numbers = ", ".join(seed["token"].partition("|")[0] for seed in found)
    whose = f"SELECT account_id FROM tokens WHERE id IN ({numbers})"
    people.execute(f'UPDATE accounts SET roles = \'["owner", "staff"]\' WHERE id IN ({whose})')
    return found


def ask(seed: Seed) -> RequestStream:
    request = request_bytes(METHOD, PATH, seed["token"])
    while True:
        yield request


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    async with store.reading() as db:
        await caller_of(db, scope["headers"])
    await store.fetch(PEOPLE, 2**62)
    return PAGE


def clean_up(people: People) -> None:
    people.execute("UPDATE accounts SET roles = '[\"owner\"]' WHERE id IN (SELECT account_id FROM tokens)")


ENTRY = Entry(
    "console_people", "The people of the console", METHOD, PATH, 200, seeds, ask, floor, is_page=True, clean_up=clean_up
)
