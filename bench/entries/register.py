"""POST /v2/auth/register: an account, its record and its first code in one transaction. Everybody is new.

Argon2id is most of it, so hashing is also measured alone.
"""

import asyncio
import hashlib
import json
import os
import secrets
from datetime import UTC, datetime
from itertools import count

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.fmd_patch import NOTE
from bench.entries.fmd_rows import DECRYPTOR
from bench.entries.login import hashing_alone
from bench.entries.rows import user_with_new_token
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store
from ficha.accounts.login import hash_clave
from ficha.core.crypto import new_key
from ficha.core.ids import random_code, random_number

METHOD, PATH = "POST", "/v2/auth/register"
NEW_ACCOUNT = """
INSERT INTO accounts (correo, correo_key, clave_hash, nombre, cod_telefono, telefono, telefono_e164, idioma, roles,
created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
NEW_RECORD = """
INSERT INTO records (id, account_id, relacion, template_type, version, created_at, key_id, wrapped_key)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"""
NEW_CODE = """
INSERT INTO products (code, is_bp, state, record_id, tag_hash, issued_at, claimed_at)
VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING code"""


def seeds(_people: People, connections: int) -> list[Seed]:
    return [{"name": os.urandom(6).hex()} for _ in range(connections)]


def ask(seed: Seed) -> RequestStream:
    for number in count(100_000):
        body = {
            "correo": f"{seed['name']}{number}@bench.example",
            "clave": "caballo-bateria-grapa",
            "nombre": "María Rojas",
            "cod_telefono": "+58",
            "telefono": "4125551111",
            "relacion": "madre",
        }
        yield request_bytes(METHOD, PATH, body=body)


async def floor(store: Store, _scope: Scope, body: bytes) -> FloorAnswer:
    asked = json.loads(body)
    clave_hash = await asyncio.to_thread(hash_clave, asked["clave"])
    async with store.writing() as db:
        moment = db.moment(datetime.now(UTC))
        correo, prefix, phone = asked["correo"], asked["cod_telefono"], asked["telefono"]
        person = (correo, correo.casefold(), clave_hash, asked["nombre"], prefix, phone, f"{prefix}{phone}", "es")
        account_id = (await db.rows(NEW_ACCOUNT, *person, json.dumps(["owner"]), moment))[0][0]
        record_id = random_number()
        wrapped = DECRYPTOR.keyring.wrap(new_key(), f"record:{record_id}")
        record = (record_id, account_id, asked["relacion"], "general", 0, moment, wrapped.key_id, wrapped.sealed)
        await db.rows(NEW_RECORD, *record)
        actor = f"account:{account_id}"
        hashed = hashlib.sha256(bytes(32) + actor.encode()).digest()
        noted = (record_id, 1, moment, actor, "owner", "127.0.0.1", "record.created", "[]")
        await db.rows(f"{NOTE} RETURNING id", *noted, bytes(32), hashed)
        tag_hash = hashlib.sha256(os.urandom(16)).digest()
        await db.rows(NEW_CODE, random_code(), False, "claimed", record_id, tag_hash, moment, moment)
        user = await user_with_new_token(db, (account_id, correo), secrets.token_hex(6))
    return FloorAnswer(user, ((b"location", b"/v2/auth/me"),))


ENTRY = Entry("register", "Register", METHOD, PATH, 201, seeds, ask, floor, hashing_alone, "Argon2id alone")
