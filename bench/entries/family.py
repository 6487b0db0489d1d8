"""GET /app and GET /app/{code}/{model}: pages of the portal, for many people in turn.

The service is measured against itself too: the same page of people with no data. The floor runs the main statements and
sends bytes of about that size made beforehand.
"""

import os

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import DOCUMENT, ONE, empty_seeds, requests_for, rows, seeds, statement
from bench.entries.rows import CODES, RECORDS, caller_of
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, FAMILY_PATH, MODEL = "GET", "/app", "emergencia"
FORM_PATH = f"/app/{{code}}/{MODEL}"
ENTRIES_OF = "SELECT model, version, updated_at, sealed FROM entries WHERE record_id IN (?)"
FAMILY_PAGE, FORM_PAGE = os.urandom(3_000), os.urandom(6_000)


def ask_family(seed: Seed) -> RequestStream:
    return requests_for(FAMILY_PATH, seed)


def ask_form(seed: Seed) -> RequestStream:
    return requests_for(FORM_PATH, seed)


async def family_floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    async with store.reading() as db:
        caller = await caller_of(db, scope["headers"])
        record = (await db.rows(RECORDS, caller.account_id))[0]
        await db.rows(CODES, record[0], "claimed", "active")
        await db.rows(ENTRIES_OF, record[0])
    return FAMILY_PAGE


async def form_floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    code = scope["path"].split("/")[2]
    await rows(store, scope | {"path": f"/v2/fmd/{code}"}, FORM_SQL, MODEL)
    return FORM_PAGE


FORM_SQL = statement(f"{DOCUMENT}, consent.version, consent.sealed", ONE)

FAMILY = Entry(
    "family",
    "The family's cards",
    METHOD,
    FAMILY_PATH,
    200,
    seeds,
    ask_family,
    family_floor,
    empty_seeds=empty_seeds,
    is_page=True,
)
FORM = Entry(
    "form",
    "The form of a model",
    METHOD,
    FORM_PATH,
    200,
    seeds,
    ask_form,
    form_floor,
    empty_seeds=empty_seeds,
    is_page=True,
)
