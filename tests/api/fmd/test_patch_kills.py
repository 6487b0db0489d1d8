"""A process that dies before any statement or the commit of a patch leaves the record as it was."""

from typing import Any

from sqlalchemy import select

from ficha.audit.verify_entries import verify_all
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from tests.databases import wait_until_forgotten
from tests.emergencies.killed_processes import KILLED, started_process
from tests.world import Person, World


def stored(world: World) -> Any:
    """The record and its one model as they are in the database, and how many rows there are of everything."""
    with world.parts.database.reading() as tx:
        columns = Record.version, Record.stored_bytes, Entry.version.label("of_model"), Entry.sealed
        return tx.orm.execute(select(*columns).join(Entry, Entry.record_id == Record.id)).one(), world.rows()


def test_a_patch_is_whole_or_not_there_whenever_its_process_dies(world: World, ana: Person, database_url: str) -> None:
    [code] = ana.data["attributes"]["product_codes"]
    settings, number, died = world.parts.settings, 0, True
    with started_process(True, database_url, settings.data_dir, settings.whatsapp_base_url) as children:

        def patch(what: str, dies_at: int, **headers: str) -> int:
            command = {"what": what, "dies_at": dies_at, "now": world.clock.now()}
            called = {"method": "PATCH", "url": f"/v2/fmd/{code}/cuerpo", "json": {"peso_kg": 50 + number}}
            children.send(command | called | {"headers": ana.headers | headers})
            return int(children.recv())

        assert patch("warm call", 0) == 0
        while died:
            number += 1
            etag, before = {"If-Match": f'"cuerpo-{number}"'}, stored(world)
            died = patch("call", number, **etag) == KILLED
            if died:
                wait_until_forgotten(world.parts.database)
                assert stored(world) == before, number
                assert patch("call", 0, **etag) == 0, "the same patch again is the first that counts"
            assert stored(world)[0].version == number + 1
    assert number > 4, "there were fewer places to die than statements"
    with world.parts.database.reading() as tx:
        assert verify_all(tx, lambda _: None) == []
