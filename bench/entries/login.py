"""POST /v2/auth/login: Argon2id is most of it, so hashing is also measured alone."""

import asyncio
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.rows import ACCOUNT_BY_CORREO, Refused, account_of, user_with_new_token
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store
from ficha.accounts.login import clave_matches, hash_clave

METHOD, PATH = "POST", "/v2/auth/login"
VERIFIES, THREADS = 8, 2
# A login also names the device, so that it gets in while others guess.
DEVICE = (b"set-cookie", b"ficha_device=" + b"0" * 87 + b"; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax")


def seeds(people: People, count: int) -> list[Seed]:
    return people.claves(count)


def ask(seed: Seed) -> RequestStream:
    request = request_bytes(METHOD, PATH, body={"correo": seed["correo"], "clave": seed["clave"]})
    while True:
        yield request


async def floor(store: Store, _scope: Scope, body: bytes) -> FloorAnswer:
    asked = json.loads(body)
    async with store.reading() as db:
        rows = await db.rows(ACCOUNT_BY_CORREO, asked["correo"].casefold())
    if not rows or not await asyncio.to_thread(clave_matches, rows[0][3], asked["clave"]):
        raise Refused
    async with store.writing() as db:
        user = await user_with_new_token(db, await account_of(db, rows[0][0]), secrets.token_hex(6))
    return FloorAnswer(json.dumps(user, ensure_ascii=False, separators=(",", ":")).encode(), (DEVICE,))


def hashing_alone() -> float:
    """CPU milliseconds of one check. Two at once, as in the server: they share the memory's bandwidth."""
    stored = hash_clave("a clave to measure")

    def check(_number: int) -> None:
        for _ in range(VERIFIES):
            assert clave_matches(stored, "a clave to measure")

    # The whole process: the service hashes in threads of its own.
    started = time.process_time()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(check, range(THREADS)))
    return (time.process_time() - started) / (VERIFIES * THREADS) * 1000


ENTRY = Entry("login", "Log in", METHOD, PATH, 200, seeds, ask, floor, hashing_alone, "Argon2id alone")
