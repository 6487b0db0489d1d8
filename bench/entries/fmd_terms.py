"""GET /v2/fmd/terms: what a form asks for while somebody types.

It needs no database; the floor searches with the same function.
"""

import hashlib
import json
from itertools import cycle

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store

METHOD, PATH = "GET", "/v2/fmd/terms"
SIZE = 5
# Each finds at least so many.
TYPED = ("epilep", "diab", "cardi", "renal")


def seeds(_people: People, connections: int) -> list[Seed]:
    return [{}] * connections


def ask(_seed: Seed) -> RequestStream:
    requests = [request_bytes(METHOD, f"{PATH}?q={typed}&size={SIZE}") for typed in TYPED]
    for request in cycle(requests):  # noqa: UP028 - a cycle cannot be sent the answers.
        yield request


async def floor(_store: Store, scope: Scope, _body: bytes) -> FloorAnswer:
    # Here, so that the floor of all other entries stays as small as it is.
    from ficha.fmd.terms import search

    typed = scope["query_string"].decode().partition("q=")[2].partition("&")[0]
    found = [
        {
            "type": "term",
            "id": f"{term.sistema}:{term.codigo}",
            "attributes": {
                "modelo": term.modelo,
                "campo": term.campo,
                "sistema": term.sistema,
                "codigo": term.codigo,
                **term.words.as_json(),
                "nombre": term.nombre,
            },
        }
        for term in search(typed, "", SIZE + 1)[:SIZE]
    ]
    data = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'W/"{hashlib.sha256(data).hexdigest()[:32]}"'
    return FloorAnswer(data, ((b"etag", tag.encode()), (b"vary", b"accept-encoding")))


ENTRY = Entry(
    "terms",
    "Find terms",
    METHOD,
    PATH,
    200,
    seeds,
    ask,
    floor,
    page=b',"page":{"size":%d,"next":"NQ.c2VhcmNoZXM"}' % SIZE,
)
