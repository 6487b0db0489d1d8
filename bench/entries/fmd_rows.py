"""The fast lane's statements, written by hand for the floor, and what the five reads of a record share."""

import hashlib
import hmac
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

from bench.entries.entry import Scope
from bench.entries.rows import Refused
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Row, Store
from ficha.core.crypto import Keyring, Wrapped, unseal

# One of the models that everybody measured has.
MODEL = "personal"

ACCESS = """
SELECT tokens.id, tokens.hash, tokens.account_id, records.id, records.account_id, grants.kind, grants.edits,
records.key_id, records.wrapped_key, {columns}
FROM tokens JOIN accounts ON accounts.id = tokens.account_id
LEFT JOIN products ON products.code = ? AND products.state IN ('claimed', 'active')
LEFT JOIN records ON records.id = products.record_id AND records.erased_at IS NULL
LEFT JOIN grants ON grants.record_id = records.id AND grants.account_id = tokens.account_id AND grants.ends_at > ?
LEFT JOIN entries ON entries.record_id = records.id {entries}
WHERE tokens.id = ? AND tokens.expires_at > ? AND (accounts.vanishes_at IS NULL OR accounts.vanishes_at > ?)"""
ONE = """AND entries.model = ?
LEFT JOIN entries AS consent ON records.account_id {differs} tokens.account_id AND consent.record_id = records.id
AND consent.model = 'consentimiento'"""
NAMED = """AND (entries.model IN (?, ?)
OR records.account_id {differs} tokens.account_id AND entries.model = 'consentimiento')"""
FOR_OTHERS = "CASE WHEN records.account_id = tokens.account_id THEN NULL ELSE entries.sealed END"
DOCUMENT = "entries.version, entries.updated_at, entries.sealed"


def statement(columns: str, entries: str = "") -> str:
    differs = "IS NOT" if _is_sqlite() else "IS DISTINCT FROM"
    return ACCESS.format(columns=columns, entries=entries.format(differs=differs))


async def rows(store: Store, scope: Scope, sql: str, *more: str) -> Sequence[Row]:
    presented = next(value for name, value in scope["headers"] if name == b"authorization")
    token_id, _, secret = presented.removeprefix(b"Bearer ").partition(b"|")
    now = store.moment(datetime.now(UTC))
    code = scope["path"][8:14]
    found = await store.fetch(sql, code, now, *more, int(token_id), now, now)
    if not found or not hmac.compare_digest(found[0][1], hashlib.sha256(secret).digest()):
        raise Refused
    return found


class RecordDecryptor:
    """Decrypts as the service does: the record's key, then its documents."""

    def __init__(self) -> None:
        self._keyring: Keyring | None = None

    @property
    def keyring(self) -> Keyring:
        if self._keyring is None:
            self._keyring = Keyring.from_file(Path(os.environ["FICHA_DATA_DIR"]) / "keys.json")
        return self._keyring

    def key(self, row: Row) -> bytes:
        return self.record_key(row[3], row[7], row[8])

    def record_key(self, record_id: int, key_id: str, wrapped: bytes) -> bytes:
        return self.keyring.unwrap(Wrapped(key_id, wrapped), f"record:{record_id}")

    def document(self, key: bytes, record_id: int, model: str, version: int, sealed: bytes) -> bytes:
        return unseal(key, sealed, f"record:{record_id}:{model}:{version}")

    def attributes(self, key: bytes, record_id: int, model: str, version: int, at: Any, sealed: bytes) -> bytes:
        plain = self.document(key, record_id, model, version, sealed)
        moment = f"{at[:10]}T{at[11:]}+00:00" if isinstance(at, str) else at.isoformat()
        return b'{"version":%d,"updated_at":"%b","data":%b}' % (version, moment.encode(), plain)


DECRYPTOR = RecordDecryptor()


def seeds(people: People, count: int) -> list[Seed]:
    return people.record_owners(count)


def empty_seeds(people: People, count: int) -> list[Seed]:
    return people.empty_record_owners(count)


def requests_for(path: str, seed: Seed) -> RequestStream:
    """Requests for many people in turn, so that the database does not answer from one cached page."""
    people = [person.split(" ") for person in seed["people"].split("\n")]
    requests = [request_bytes("GET", path.replace("{code}", code), token) for code, token in people]
    for request in cycle(requests):  # noqa: UP028 - a cycle cannot be sent the answers.
        yield request


def _is_sqlite() -> bool:
    return os.environ.get("FICHA_DATABASE_URL", "sqlite").startswith("sqlite")
