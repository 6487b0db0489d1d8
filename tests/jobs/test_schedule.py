"""Jobs that come back by themselves, once for all processes together."""

from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest

from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting
from ficha.jobs.schedule import ScheduleRow, enter_schedule, move_on, put_scheduled
from tests.clock import MovableClock
from tests.jobs.conftest import Start
from tests.waiting import eventually

pytestmark = pytest.mark.oldest_postgresql

HOURLY = {"sweep": timedelta(hours=1)}
NOON = MovableClock().now()


def next_sweep(database: Database) -> datetime:
    with database.reading() as tx:
        return tx.orm.get_one(ScheduleRow, "sweep").next_at


@pytest.mark.slow
def test_a_scheduled_job_runs_once_a_turn_with_two_runners(database: Database, start: Start) -> None:
    seen: list[Job] = []
    turn = timedelta(seconds=0.7)
    begun = datetime.now(UTC)
    for _ in range(2):
        start(Kind("sweep", seen.append, every=turn))
    eventually(lambda: len(seen) >= 3)
    turns = (datetime.now(UTC) - begun) // turn + 1
    assert 3 <= len(seen) <= turns


def test_of_many_who_look_at_once_one_puts_the_job(database: Database, clock: MovableClock) -> None:
    enter_schedule(database, HOURLY)
    looking = [Thread(target=put_scheduled, args=(database, HOURLY)) for _ in range(8)]
    for thread in looking:
        thread.start()
    for thread in looking:
        thread.join()
    with database.reading() as tx:
        assert count_waiting(tx) == {"sweep": 1}
    assert next_sweep(database) == NOON + timedelta(hours=1)


def test_who_looked_before_but_comes_after_does_nothing(database: Database, clock: MovableClock) -> None:
    enter_schedule(database, HOURLY)
    moves = []
    for _ in range(2):
        with database.writing() as tx:
            moves.append(move_on(tx, "sweep", NOON, NOON + timedelta(hours=1)))
    assert moves == [True, False]


def test_missed_turns_are_not_made_up_for_and_the_rhythm_is_kept(database: Database, clock: MovableClock) -> None:
    enter_schedule(database, HOURLY)
    put_scheduled(database, HOURLY)
    clock.move(hours=5, minutes=20)
    put_scheduled(database, HOURLY)
    with database.reading() as tx:
        assert count_waiting(tx) == {"sweep": 1}
    assert next_sweep(database) == NOON + timedelta(hours=6)


def test_a_restart_does_not_run_it_again_but_a_quicker_rhythm_counts_at_once(
    database: Database, clock: MovableClock
) -> None:
    for _ in range(2):
        enter_schedule(database, HOURLY)
        put_scheduled(database, HOURLY)
    assert next_sweep(database) == NOON + timedelta(hours=1)
    enter_schedule(database, {"sweep": timedelta(minutes=5)})
    assert next_sweep(database) == NOON + timedelta(minutes=5)
