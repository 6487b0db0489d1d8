"""GET /v1/services: what anybody may read, twenty rows by their number.

The floor runs the same statement, writes the same fields and hashes them for the validator.
"""

import hashlib
import json

from bench.entries.entry import Entry, FloorAnswer, Scope
from bench.requests import People, RequestStream, Seed, request_bytes
from bench.store import Store

METHOD, PATH = "GET", "/v1/services"
COUNT, SIZE = 20, 50
COLUMNS = (
    "id, external_id, name, description, path, template, primary_color, logo_url, logo_alt, qr_code_url, qr_code_alt"
)
FIELDS = COLUMNS.split(", ")
SERVICES = f"SELECT {COLUMNS} FROM services WHERE id > ? AND is_active ORDER BY id LIMIT {SIZE + 1}"


def seeds(people: People, connections: int) -> list[Seed]:
    for number in range(1, COUNT + 1):
        people.execute(
            "INSERT INTO services (id, external_id, is_active, updated_at, name, description, path, primary_color) "
            f"VALUES ({number}, 'servicio-{number}', TRUE, '2026-11-16 09:00:00', 'Ambulancias {number}', "
            f"'Traslados las 24 horas.', '/servicio-{number}', '#b3261e') ON CONFLICT DO NOTHING"
        )
    return [{}] * connections


def ask(_seed: Seed) -> RequestStream:
    request = request_bytes(METHOD, PATH)
    while True:
        yield request


async def floor(store: Store, _scope: Scope, _body: bytes) -> FloorAnswer:
    rows = [dict(zip(FIELDS, row, strict=True)) for row in await store.fetch(SERVICES, 0)]
    found = [{"type": "service", "id": row["id"], "attributes": {**row, "is_active": True}} for row in rows]
    data = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'W/"{hashlib.sha256(data).hexdigest()[:32]}"'
    return FloorAnswer(data, ((b"etag", tag.encode()), (b"vary", b"accept-encoding")))


def clean_up(people: People) -> None:
    people.execute("DELETE FROM services WHERE external_id LIKE 'servicio-%'")


ENTRY = Entry(
    "services",
    "Services",
    METHOD,
    PATH,
    200,
    seeds,
    ask,
    floor,
    page=b',"page":{"size":%d,"next":null}' % SIZE,
    clean_up=clean_up,
)
