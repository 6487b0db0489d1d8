"""The lane's own connections: kept while the server runs, replaced when what they led to is gone."""

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import bindparam, select, text
from starlette.testclient import TestClient

from ficha.core.db import Database
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secret
from ficha.fastlane.sqlite_store import SqliteStore
from tests.fastlane.lane import SALUD, Lane, path_of
from tests.world import Person, World, build_world, settings_for


def test_connections_are_kept_while_the_server_runs(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    with TestClient(lane.app) as client:
        for _ in range(3):
            assert client.get(path_of(ana, "/salud"), headers=ana.headers).status_code == 200
        if not lane.world.parts.database.is_sqlite:
            assert _connections(lane.world) == 1
    if not lane.world.parts.database.is_sqlite:
        assert _connections(lane.world) == 0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # No SQLite server hangs up.
def test_a_database_that_hung_up_is_asked_again(lane: Lane, ana: Person) -> None:
    with TestClient(lane.app) as client:
        assert client.get(path_of(ana), headers=ana.headers).status_code == 200
        with lane.world.parts.database.writing() as tx:
            tx.orm.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {LANES}"))
        assert client.get(path_of(ana), headers=ana.headers).status_code == 200


def test_a_migration_beneath_a_prepared_statement_is_no_error(lane: Lane, ana: Person) -> None:
    # One connection for both, as a migration has: another of SQLite's does not see yet that there is a column to drop.
    migrating = Database(lane.world.parts.database.url)
    with TestClient(lane.app) as client:
        assert client.get(path_of(ana), headers=ana.headers).status_code == 200
        with migrating.writing() as tx:
            tx.orm.execute(text("ALTER TABLE records ADD COLUMN nueva INTEGER"))
        try:
            assert client.get(path_of(ana), headers=ana.headers).status_code == 200
        finally:
            with migrating.writing() as tx:
                tx.orm.execute(text("ALTER TABLE records DROP COLUMN nueva"))
        assert client.get(path_of(ana), headers=ana.headers).status_code == 200
    migrating.close()


def test_a_file_put_back_from_a_backup_is_the_one_that_is_read(tmp_path: Path, sqlite_file: Path) -> None:
    file, backup = tmp_path / "ficha.db", tmp_path / "backup.db"
    for copy in (file, backup):
        shutil.copy(sqlite_file, copy)
    database = Database(f"sqlite:///{file}")
    with database.writing() as tx:
        tx.orm.add(Secret(name="of today", created_at=datetime(2026, 11, 15, tzinfo=UTC)))
    database.close()

    async def read_twice() -> list[int]:
        store = SqliteStore(str(file), check_seconds=0)
        await store.open()
        statement = Prepared(select(Secret.name).where(Secret.name == bindparam("wanted")))
        before = await store.rows(statement, {"wanted": "of today"})
        backup.replace(file)
        after = await store.rows(statement, {"wanted": "of today"})
        await store.close()
        return [len(before), len(after)]

    assert asyncio.run(read_twice()) == [1, 0]


def test_no_database_is_a_503_in_our_shape(tmp_path: Path) -> None:
    for url in ("postgresql://nobody@127.0.0.1:1/none", f"sqlite:///{tmp_path / 'none.db'}"):
        world = build_world(settings_for(url, tmp_path / "data"), has_database=False)
        answer = TestClient(world.app).get("/v2/fmd/222222", headers={"Authorization": "Bearer 1|x"})
        assert answer.status_code == answer.json()["meta"]["status"] == 503
        assert answer.json()["errors"][0]["code"] == "no_disponible" and "nobody" not in answer.text
        assert not (tmp_path / "none.db").exists()
        world.close()


# Their last query is one of the lane's: only those read credential and record at once.
LANES = """datname = current_database() AND pid <> pg_backend_pid()
    AND query LIKE 'SELECT tokens.hash%FROM tokens%records%'"""


def _connections(world: World) -> int:
    with world.parts.database.reading() as tx:
        return int(tx.orm.execute(text(f"SELECT count(*) FROM pg_stat_activity WHERE {LANES}")).scalar_one())
