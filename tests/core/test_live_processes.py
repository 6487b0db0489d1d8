"""Which processes of the service are alive is known to all of them, on whichever machine they run."""

from datetime import timedelta
from threading import enumerate as enumerate_threads

from sqlalchemy import func, select, update

from ficha.core.db import Database
from ficha.core.live_processes import Heartbeat, ProcessRole, count_live_workers, live_processes, processes
from tests.world import World, build_world


def seen(database: Database) -> list[tuple[str, str | None]]:
    with database.reading() as tx:
        return [(process.role, process.key_ids) for process in live_processes(tx)]


def silence(database: Database, heartbeat: Heartbeat, **how_long: float) -> None:
    """As if its process had been killed so long ago."""
    with database.writing() as tx:
        mine = processes.c.id == heartbeat.process_id
        last = tx.orm.execute(select(processes.c.seen_at).where(mine)).scalar_one()
        tx.orm.execute(update(processes).where(mine).values(seen_at=last - timedelta(**how_long)))


def test_a_process_is_seen_from_its_first_beat_until_it_stops_or_is_silent(world: World) -> None:
    database, keys = world.parts.database, ["k1"]
    server = Heartbeat(database, ProcessRole.SERVER, runs_jobs=lambda: False, key_ids=lambda: ",".join(keys))
    worker = Heartbeat(database, ProcessRole.WORKER, runs_jobs=lambda: True)
    server.beat()
    worker.beat()
    assert seen(database) == [("server", "k1"), ("worker", None)]
    keys.insert(0, "k2")
    server.beat()
    assert ("server", "k2,k1") in seen(database), "it says what it has by now"
    with database.reading() as tx:
        assert count_live_workers(tx) == 1, "the server runs no jobs"
    silence(database, worker, minutes=1)
    assert seen(database) == [("server", "k2,k1")]
    worker.beat()
    assert len(seen(database)) == 2, "it was only slow"
    worker.end()
    assert seen(database) == [("server", "k2,k1")]


def test_a_worker_whose_threads_have_ended_does_not_count(world: World) -> None:
    is_alive = [True]
    worker = Heartbeat(world.parts.database, ProcessRole.WORKER, runs_jobs=lambda: is_alive[0])
    worker.beat()
    is_alive[0] = False
    worker.beat()
    with world.parts.database.reading() as tx:
        assert count_live_workers(tx) == 0


def test_rows_of_processes_that_were_killed_do_not_pile_up(world: World) -> None:
    database = world.parts.database
    for _ in range(3):
        killed = Heartbeat(database, ProcessRole.WORKER, runs_jobs=lambda: True)
        killed.beat()
        silence(database, killed, days=2)
    Heartbeat(database, ProcessRole.WORKER, runs_jobs=lambda: True).beat()
    with database.reading() as tx:
        assert tx.orm.execute(select(func.count()).select_from(processes)).scalar_one() == 1


def test_the_chores_of_a_service_end_with_it(world: World) -> None:
    def chores() -> int:
        return sum(thread.name == "server-housekeeper" for thread in enumerate_threads())

    before = chores()
    other = build_world(world.parts.settings)
    assert other.reader.get("/health/live").status_code == 200 and chores() == before + 1
    other.close()
    assert chores() == before
