"""GET /app and GET /app/{code}/{model}: pages of the portal, for many people in turn.

The service is measured against itself too: the same page of people with no data. The floor runs the same statements,
for somebody with one record, opens the same documents, and sends a page of about that size made beforehand.
"""

import os
from datetime import UTC, datetime

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import DECRYPTOR, DOCUMENT, ONE, empty_seeds, requests_for, rows, seeds, statement
from bench.entries.rows import caller_of
from bench.requests import RequestStream, Seed
from bench.store import Store

METHOD, FAMILY_PATH, MODEL = "GET", "/app", "emergencia"
FORM_PATH = f"/app/{{code}}/{MODEL}"
# In the order of the page. Each `?` is one value, as everywhere in the floor.
RECORDS = """
SELECT records.id, records.account_id, grants.kind, grants.edits, records.key_id, records.wrapped_key,
records.relacion, records.template_type, records.created_at, grants.ends_at
FROM records LEFT JOIN grants ON grants.record_id = records.id AND grants.account_id = ? AND grants.ends_at > ?
WHERE records.id IN (SELECT id FROM records WHERE account_id = ? UNION SELECT record_id FROM grants
WHERE account_id = ? AND ends_at > ? AND kind IN ('guardian', 'delegate'))
AND records.erased_at IS NULL AND records.id > ? ORDER BY records.id LIMIT ? OFFSET ?"""
CODES = """
SELECT code, record_id, is_bp, tag_hash, sleeping_tag_hash, sealed_name FROM products
WHERE record_id IN (?) AND state IN ('claimed', 'active') ORDER BY claimed_at, code"""
ENTRIES_OF = "SELECT record_id, model, version, sealed FROM entries WHERE record_id IN (?)"
OPENINGS = """
SELECT record_id, action = 'emergency.rehearsed', max(at) FROM audit_entries WHERE record_id IN (?)
AND (actor = 'tag' OR actor LIKE ? OR action = 'emergency.rehearsed')
GROUP BY record_id, action = 'emergency.rehearsed'"""
PHOTOS = "SELECT record_id FROM photos WHERE record_id IN (?)"
DECISIONS = """
SELECT record_id, held_until FROM grants WHERE record_id IN (?)
AND (account_id IS NULL AND taken_at > ? AND ends_at > ? OR held_until > ? AND ends_at > ?) ORDER BY id DESC"""
ACCOUNT = """
SELECT id, correo, nombre, cod_telefono, telefono, idioma, roles, correo_verificado_en, telefono_verificado_en
FROM accounts WHERE id = ?"""
TARGETS = "SELECT record_id, target, asked_at, confirmed_at, refused_at FROM alert_targets WHERE record_id IN (?)"
THREADS = """
SELECT id, name, phone_number_id, wa_id, user_id, last_inbound_at, stopped_at, key_id, wrapped_key FROM threads
WHERE phone_number_id = ? AND wa_id IN (?) OR phone_number_id = ? AND user_id IN (?)"""
EMERGENCIES = """
SELECT id, record_id, state, is_drill, position, landmark, opened_at, staff_at, code, entrance, opened_by
FROM emergencies WHERE (record_id IN (SELECT id FROM records WHERE account_id = ? AND erased_at IS NULL)
OR record_id IN (SELECT record_id FROM grants WHERE account_id = ? AND ends_at > ?
AND kind IN ('guardian', 'delegate')))
AND state IN ('open', 'acknowledged') AND is_drill IS FALSE ORDER BY id DESC LIMIT ? OFFSET ?"""
EMPLOYERS = """
SELECT institutions.id, slug, name, institutions.account_id, is_active, role FROM institutions
JOIN institution_roles ON institution_roles.institution_id = institutions.id
WHERE institution_roles.account_id = ? AND is_active IS TRUE ORDER BY institutions.id"""
# The number of the service, and one that a contact may have.
OURS, THEIRS = "100000000000001", "593990000000"
FAMILY_PAGE, FORM_PAGE = os.urandom(3_000), os.urandom(6_000)


def ask_family(seed: Seed) -> RequestStream:
    return requests_for(FAMILY_PATH, seed)


def ask_form(seed: Seed) -> RequestStream:
    return requests_for(FORM_PATH, seed)


async def family_floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    async with store.reading() as db:
        now = db.moment(datetime.now(UTC))
        account_id = (await caller_of(db, scope["headers"])).account_id
        record = (await db.rows(RECORDS, account_id, now, account_id, account_id, now, 0, 1_000, 0))[0]
        record_id = record[0]
        await db.rows(CODES, record_id)
        key = DECRYPTOR.record_key(record_id, record[4], record[5])
        for _, model, version, sealed in await db.rows(ENTRIES_OF, record_id):
            DECRYPTOR.document(key, record_id, model, version, sealed)
        await db.rows(OPENINGS, record_id, "glass%")
        await db.rows(PHOTOS, record_id)
        await db.rows(DECISIONS, record_id, now, now, now, now)
        await db.rows(ACCOUNT, account_id)
        await db.rows(TARGETS, record_id)
        await db.rows(THREADS, OURS, THEIRS, OURS, THEIRS)
        await db.rows(EMERGENCIES, account_id, account_id, now, 1_000, 0)
        await db.rows(EMPLOYERS, account_id)
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
