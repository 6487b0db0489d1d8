"""GET /v2/fmd/{code}/models?names=…: two documents, decrypted."""

from bench.entries.entry import Entry, Scope
from bench.entries.fmd_rows import DECRYPTOR, DOCUMENT, NAMED, requests_for, rows, seeds, statement
from bench.requests import RequestStream, Seed
from bench.store import Store

NAMES = ("personal", "modulo")
METHOD, PATH = "GET", "/v2/fmd/{code}/models"
SQL = statement(f"entries.model, {DOCUMENT}", NAMED)


def ask(seed: Seed) -> RequestStream:
    return requests_for(f"{PATH}?names={','.join(NAMES)}", seed)


async def floor(store: Store, scope: Scope, _body: bytes) -> bytes:
    found = await rows(store, scope, SQL, *NAMES)
    key = DECRYPTOR.key(found[0])
    by_model = {row[9]: DECRYPTOR.attributes(key, row[3], row[9], row[10], row[11], row[12]) for row in found}
    shown = [b'{"type":"fmd_model","id":"%b","attributes":%b}' % (name.encode(), by_model[name]) for name in NAMES]
    return b"[%b]" % b",".join(shown)


ENTRY = Entry(
    "models",
    "Read two models",
    METHOD,
    PATH,
    200,
    seeds,
    ask,
    floor,
    has_ordinary=True,
    page=b',"page":{"size":2,"next":null}',
)
