"""POST /v2/auth/tokens: a write, and a chain: every request carries the token of the answer before it."""

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.entries.rows import Refused, account_of, caller_of, user_with_new_token
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store

METHOD, PATH = "POST", "/v2/auth/tokens"
TOKEN = b'"token":"'


def seeds(people: People, count: int) -> list[Seed]:
    return people.tokens(count)


def ask(seed: Seed) -> RequestStream:
    before, after = request_bytes(METHOD, PATH, "@").split(b"@")
    token = seed["token"].encode()
    while True:
        answer = yield before + token + after
        start = answer.index(TOKEN) + len(TOKEN)
        token = answer[start : answer.index(b'"', start)]


async def floor(store: Store, scope: Scope, _body: bytes) -> FloorAnswer:
    async with store.reading() as db:
        caller = await caller_of(db, scope["headers"])
    async with store.writing() as db:
        if not await db.rows("DELETE FROM tokens WHERE id = ? RETURNING id", caller.token_id):
            raise Refused
        user = await user_with_new_token(db, await account_of(db, caller.account_id), caller.session_key)
    return FloorAnswer(user, ((b"location", b"/v2/auth/tokens"),))


ENTRY = Entry("renew", "Renew a token", METHOD, PATH, 201, seeds, ask, floor)
