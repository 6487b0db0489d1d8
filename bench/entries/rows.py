"""The statements of the service, written by hand for the floor's driver."""

import hashlib
import hmac
import secrets
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.store import Db, Row

CALLER = """
SELECT tokens.hash, tokens.expires_at, tokens.account_id, tokens.session_key, accounts.roles, accounts.vanishes_at
FROM tokens JOIN accounts ON accounts.id = tokens.account_id WHERE tokens.id = ?"""

ACCOUNT_COLUMNS = """
SELECT id, correo, correo_key, clave_hash, nombre, cod_telefono, telefono, telefono_e164, idioma, roles,
correo_verificado_en, created_at, vanishes_at, telefono_verificado_en FROM accounts"""
ACCOUNT = f"{ACCOUNT_COLUMNS} WHERE id = ?"
ACCOUNT_BY_CORREO = f"{ACCOUNT_COLUMNS} WHERE correo_key = ?"

RECORDS = """
SELECT id, account_id, relacion, created_at, erased_at, key_id, wrapped_key
FROM records WHERE account_id = ? ORDER BY created_at"""

# The people measured have one record each, so the list the service sends has one member.
CODES = """
SELECT code, is_bp, state, record_id, issued_at, claimed_at FROM products
WHERE record_id IN (?) AND state IN (?, ?) ORDER BY claimed_at, code"""

NEW_TOKEN = """
INSERT INTO tokens (account_id, hash, session_key, created_at, expires_at, last_used_at)
VALUES (?, ?, ?, ?, ?, NULL) RETURNING id"""


class Refused(Exception):
    """The floor is only asked by valid callers; anything else is an error of the bench."""


@dataclass(frozen=True)
class FloorCaller:
    token_id: int
    account_id: int
    session_key: str


async def caller_of(db: Db, headers: list[tuple[bytes, bytes]]) -> FloorCaller:
    presented = next((value for name, value in headers if name == b"authorization"), b"")
    token_id, _, secret = presented.removeprefix(b"Bearer ").partition(b"|")
    rows = await db.rows(CALLER, int(token_id))
    if not rows or not hmac.compare_digest(rows[0][0], hashlib.sha256(secret).digest()):
        raise Refused
    if rows[0][1] <= db.moment(datetime.now(UTC)):
        raise Refused
    return FloorCaller(int(token_id), rows[0][2], rows[0][3])


async def account_of(db: Db, account_id: int) -> Row:
    return (await db.rows(ACCOUNT, account_id))[0]


async def codes_of(db: Db, account_id: int, correo: str) -> dict[str, Any]:
    """The attributes that every answer about a person has."""
    return (await codes_and_relation_of(db, account_id, correo))[0]


async def codes_and_relation_of(db: Db, account_id: int, correo: str) -> tuple[dict[str, Any], str]:
    records = await db.rows(RECORDS, account_id)
    products = await db.rows(CODES, records[0][0], "claimed", "active")
    attributes = {
        "correo": correo,
        "fmd_code": records[0][0],
        "product_codes": [row[0] for row in products if not row[1]],
        "bp_codes": [row[0] for row in products if row[1]],
    }
    return attributes, str(records[0][2])


async def user_with_new_token(db: Db, account: Row, session_key: str) -> dict[str, Any]:
    letters = secrets.token_hex(20)
    secret = f"{letters}{zlib.crc32(letters.encode()):08x}"
    now = datetime.now(UTC)
    expires = now + timedelta(hours=1)
    hashed = hashlib.sha256(secret.encode()).digest()
    rows = await db.rows(NEW_TOKEN, account[0], hashed, session_key, db.moment(now), db.moment(expires))
    attributes = await codes_of(db, account[0], account[1])
    attributes["token"] = f"{rows[0][0]}|{secret}"
    attributes["expiration_date"] = expires.isoformat()
    attributes["session_key"] = session_key
    return {"type": "user", "id": account[0], "attributes": attributes}
