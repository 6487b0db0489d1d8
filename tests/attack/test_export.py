"""An ordinary account fills its record and exports it again and again. Nobody else waits for it."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.records import Record
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.world import Person, World, build_world, settings_for

CHANGES = 35
LONG = "x" * 900


def path(person: Person, rest: str) -> str:
    return f"/v2/fmd/{person.data['attributes']['product_codes'][0]}{rest}"


def change(person: Person, number: int) -> int:
    conditions = [{"condicion": {"texto": f"{number} {place}"}, "plan": LONG} for place in range(12)]
    return person.put(path(person, "/salud"), {"condiciones": conditions}).status_code


@pytest.fixture
def full(world: World, ana: Person) -> Person:
    for number in range(CHANGES):
        assert change(ana, number) == 200
    return ana


async def pieces_of(world: World, target: str, token: str) -> list[bytes]:
    """As the server sends them. The test client would put them together."""
    sent: list[bytes] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] == 200
            assert b"content-length" not in dict(message["headers"])
        else:
            sent.append(message["body"])

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": target,
        "raw_path": target.encode(),
        "query_string": b"",
        "headers": [(b"host", b"testserver"), (b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 5000),
        "server": ("testserver", 80),
    }
    await world.app(scope, receive, send)  # type: ignore[arg-type]
    return sent


def test_an_export_leaves_in_pieces_and_is_whole(world: World, full: Person) -> None:
    sent = asyncio.run(pieces_of(world, path(full, "/export"), full.token))
    whole = b"".join(sent)
    assert max(map(len, sent)) < len(whole) / 2
    told = json.loads(whole)
    assert [one["id"] for one in told["historial"]] == list(range(CHANGES, 0, -1))
    assert [one["id"] for one in told["accesos"]] == list(range(len(told["accesos"]), 0, -1))
    assert told["accesos"][0]["attributes"]["action"] == "record.exported"
    assert told["modelos"]["salud"]["condiciones"][0]["condicion"]["texto"] == f"{CHANGES - 1} 0"


def test_no_read_of_a_record_waits_for_a_writer_or_is_one(world: World, full: Person) -> None:
    code = full.data["attributes"]["product_codes"][0]
    ensure_signing_key(world.parts.database, world.parts.keyring, world.clock.now())
    with world.parts.database.writing() as tx:
        tx.orm.scalars(select(Record).with_for_update()).all()
        for rest in ("/export", "/history", "/access-log", "/grants"):
            answer = full.get(path(full, rest))
            assert answer.status_code == 200, answer.text
            assert len(answer.content) > 100 or rest == "/grants"
        for kind in ("link", "hybrid"):
            answer = full.get("/v2/generators/qr", params={"code": code, "kind": kind})
            assert answer.status_code == 200, answer.text
    world.drain_reads()
    log = full.get(path(full, "/access-log")).json()["data"]
    actions = {one["attributes"]["action"] for one in log}
    assert {"record.exported", "history.read", "log.read", "qr.link", "qr.hybrid"} <= actions


@pytest.mark.slow
def test_alerts_are_raised_beside_eight_exports(world: World, full: Person) -> None:
    scenario = EmergencyScenario(world)
    stickers = [scenario.sticker(contact()) for _ in range(4)]
    with ThreadPoolExecutor(8) as crowd:
        exports = [crowd.submit(full.get, path(full, "/export")) for _ in range(8)]
        raised = [scenario.press_alert(sticker).status_code for sticker in stickers]
        assert {export.result().status_code for export in exports} == {200}
    assert raised == [201] * 4


@pytest.mark.parametrize(
    "quota", [{"record_changes": 3}, {"record_bytes": 40_000}], ids=lambda quota: next(iter(quota))
)
def test_a_record_has_room_for_so_much_history(database_url: str, tmp_path: Path, quota: dict[str, int]) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", **quota))
    ana = world.register()
    assert [change(ana, number) for number in range(3)] == [200] * 3
    refused = ana.put(path(ana, "/cuerpo"), {"peso_kg": 60}) if "record_changes" in quota else None
    if refused is None:
        assert change(ana, 3) == 409
        refused = ana.put(path(ana, "/salud"), {"condiciones": [{"condicion": {"texto": "Asma"}, "plan": LONG}] * 12})
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "ficha_llena"
    told = ana.get(path(ana, "/export")).json()
    assert len(told["historial"]) == 3 and told["modelos"]["salud"]["condiciones"][0]["condicion"]["texto"] == "2 0"
    world.close()
