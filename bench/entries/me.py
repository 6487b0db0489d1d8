"""GET /v2/auth/me: the plainest read behind a token."""

from typing import Any

from bench.entries.entry import Entry, Scope
from bench.entries.rows import account_of, caller_of, codes_and_relation_of
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store

METHOD, PATH = "GET", "/v2/auth/me"


def seeds(people: People, count: int) -> list[Seed]:
    return people.tokens(count)


def ask(seed: Seed) -> RequestStream:
    request = request_bytes(METHOD, PATH, seed["token"])
    while True:
        yield request


async def floor(store: Store, scope: Scope, _body: bytes) -> dict[str, Any]:
    async with store.reading() as db:
        caller = await caller_of(db, scope["headers"])
        account = await account_of(db, caller.account_id)
        attributes, relacion = await codes_and_relation_of(db, caller.account_id, account[1])
        codes = attributes["product_codes"] + attributes["bp_codes"]
        return {
            "type": "user",
            "id": caller.account_id,
            "attributes": attributes
            | {
                "nombre": account[4],
                "cod_telefono": account[5],
                "telefono": account[6],
                "idioma": account[8],
                "roles": db.json(account[9]),
                "correo_verificado": account[10] is not None,
                "telefono_verificado": account[13] is not None,
                "session_key": caller.session_key,
                "records": [{"fmd_code": attributes["fmd_code"], "relacion": relacion, "codes": codes}],
            },
        }


ENTRY = Entry("me", "Who am I", METHOD, PATH, 200, seeds, ask, floor)
