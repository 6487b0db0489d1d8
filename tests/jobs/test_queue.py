"""Putting work aside: it exists with the caller's transaction, and starts when that is committed."""

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import text

from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting, oldest_wait, put
from ficha.jobs.statements import claim, finish, has_due
from ficha.jobs.wakeup import job_signal
from tests.clock import MovableClock
from tests.jobs.conftest import Start
from tests.waiting import eventually

pytestmark = pytest.mark.oldest_postgresql


def count_of(database: Database, kind: str = "greet") -> int:
    with database.reading() as tx:
        return count_waiting(tx).get(kind, 0)


def test_a_rolled_back_transaction_leaves_no_job(database: Database, start: Start) -> None:
    seen: list[Job] = []
    start(Kind("greet", seen.append))
    with database.transaction() as tx:
        put(tx, "greet", {"account_id": 1})
        tx.rollback()
    with pytest.raises(ZeroDivisionError), database.writing() as tx:
        put(tx, "greet", {"account_id": 2})
        raise ZeroDivisionError
    with database.writing() as tx:
        put(tx, "greet", {"account_id": 3})
    eventually(lambda: seen)
    assert [job.payload for job in seen] == [{"account_id": 3}]
    assert count_of(database) == 0


def test_a_committed_job_runs_once_and_is_gone(database: Database, start: Start) -> None:
    seen: list[Job] = []
    outcomes: list[tuple[str, str]] = []
    start(Kind("greet", seen.append), on_done=lambda *outcome: outcomes.append(outcome))
    with database.writing() as tx:
        put(tx, "greet", {"account_id": 7, "names": ["ñ", None]})
        assert not seen
    eventually(lambda: outcomes)
    assert [(job.kind, job.payload, job.attempt) for job in seen] == [
        ("greet", {"account_id": 7, "names": ["ñ", None]}, 1)
    ]
    assert outcomes == [("greet", "done")]
    assert count_of(database) == 0


def test_a_job_put_inside_a_job_runs_too(database: Database, start: Start) -> None:
    seen: list[Job] = []

    def pass_on(_job: Job) -> None:
        with database.writing() as tx:
            put(tx, "greet", {})

    start(Kind("pass_on", pass_on), Kind("greet", seen.append), threads=1)
    with database.writing() as tx:
        put(tx, "pass_on", {})
    eventually(lambda: seen)


def test_a_sleeping_runner_is_woken_by_the_commit(database: Database, start: Start) -> None:
    """Also when the job was put inside a savepoint, whose end is no commit yet."""
    done = Event()
    runner = start(Kind("greet", lambda _job: done.set()), poll_seconds=60)
    for _ in range(2):
        eventually(lambda: runner.is_alive)
        with database.writing() as tx:
            tx.orm.execute(text("SELECT 1"))
            with tx.savepoint():
                put(tx, "greet", {})
            time.sleep(0.3)
        assert done.wait(60)
        done.clear()


def test_only_one_job_with_a_key_waits(database: Database, start: Start) -> None:
    with database.writing() as tx:
        put(tx, "greet", {"n": 1}, key="ana")
        put(tx, "greet", {"n": 2}, key="ana")
        put(tx, "greet", {"n": 3}, key="eva")
    with database.writing() as tx:
        put(tx, "greet", {"n": 4}, key="ana")
        put(tx, "other", {"n": 5})  # The transaction is still good after the refusal.
    assert count_of(database) == 2
    assert count_of(database, "other") == 1
    seen: list[Job] = []
    start(Kind("greet", seen.append), Kind("other", seen.append))
    eventually(lambda: len(seen) == 3)
    assert sorted(job.payload["n"] for job in seen) == [1, 3, 5]


def test_a_running_job_does_not_block_its_key(database: Database, start: Start) -> None:
    started, go_on, seen = Event(), Event(), list[Job]()

    def run(job: Job) -> None:
        seen.append(job)
        started.set()
        go_on.wait(90)

    start(Kind("greet", run), threads=1)
    with database.writing() as tx:
        put(tx, "greet", {"n": 1}, key="ana")
    assert started.wait(60)
    for n in (2, 3):
        with database.writing() as tx:
            put(tx, "greet", {"n": n}, key="ana")
    go_on.set()
    eventually(lambda: len(seen) == 2)
    assert [job.payload["n"] for job in seen] == [1, 2]


def test_a_process_runs_one_job_of_a_key_at_a_time(database: Database) -> None:
    lease = timedelta(minutes=1)
    with database.writing() as tx:
        put(tx, "greet", {"n": 1}, key="ana")
    with database.writing() as tx:
        first = claim(tx, "here", lease)
        put(tx, "greet", {"n": 2}, key="ana")
        put(tx, "greet", {"n": 3})
    assert first is not None and first.job.payload == {"n": 1}
    with database.writing() as tx:
        other = claim(tx, "here", lease)
        assert other is not None and other.job.payload == {"n": 3}, "a job without a key waits for no other"
        assert not has_due(tx, "here")
        assert has_due(tx, "elsewhere"), "the first may be dead, for all that another process knows"
        finish(tx, first)
    with database.writing() as tx:
        second = claim(tx, "here", lease)
    assert second is not None and second.job.payload == {"n": 2}


def test_a_job_that_waits_already_wakes_nobody(sqlite_database: Database) -> None:
    """On SQLite, where it would be begun no sooner. On PostgreSQL a worker may just have passed it over."""
    with sqlite_database.writing() as tx:
        put(tx, "greet", {}, key="ana")
    seen = job_signal.count
    with sqlite_database.writing() as tx:
        put(tx, "greet", {}, key="ana")
        put(tx, "greet", {}, key="later", at=datetime.now(UTC) + timedelta(hours=1))
    assert job_signal.count == seen
    with sqlite_database.writing() as tx:
        put(tx, "greet", {}, key="eva")
    assert job_signal.count == seen + 1


@pytest.fixture
def sqlite_database(sqlite_file: Path, tmp_path: Path) -> Iterator[Database]:
    file = tmp_path / "ficha.db"
    shutil.copy(sqlite_file, file)
    database = Database(f"sqlite:///{file}")
    yield database
    database.close()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_job_passed_over_because_its_key_was_put_again_starts_with_that_commit(
    database: Database, start: Start
) -> None:
    """Not at the next poll, which is far away. On SQLite nobody can pass over anything meanwhile."""
    done = Event()
    with database.writing() as tx:
        put(tx, "greet", {}, key="ana")
    with database.writing() as tx:
        put(tx, "greet", {}, key="ana")
        start(Kind("greet", lambda _job: done.set()), poll_seconds=60)
        assert not done.wait(1)
    assert done.wait(20)


def test_a_waiting_job_does_not_start_while_its_key_is_put_again(database: Database, start: Start) -> None:
    """Else it could miss what the second transaction wrote, and no third would come."""
    at = datetime.now(UTC) + timedelta(seconds=0.7)
    with database.writing() as tx:
        put(tx, "greet", {}, key="ana", at=at)
    seen: list[datetime] = []
    start(Kind("greet", lambda _job: seen.append(datetime.now(UTC))))
    with database.writing() as tx:
        put(tx, "greet", {}, key="ana")
        eventually(lambda: datetime.now(UTC) > at + timedelta(seconds=0.5))
        assert not seen
    eventually(lambda: seen)


def test_many_puts_of_one_key_at_once_leave_one(database: Database) -> None:
    def put_one() -> None:
        with database.writing() as tx:
            put(tx, "greet", {}, key="ana")

    threads = [Thread(target=put_one) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_of(database) == 1


def test_a_job_waits_for_its_time(database: Database, start: Start) -> None:
    seen: list[str] = []
    start(Kind("greet", lambda job: seen.append(job.payload["when"])))
    soon, later = datetime.now(UTC) + timedelta(seconds=1), datetime.now(UTC) + timedelta(hours=1)
    with database.writing() as tx:
        put(tx, "greet", {"when": "later"}, at=later)
        put(tx, "greet", {"when": "soon"}, at=soon)
        put(tx, "greet", {"when": "now"})
    eventually(lambda: seen)
    assert seen == ["now"]
    eventually(lambda: len(seen) == 2)
    assert seen == ["now", "soon"] and datetime.now(UTC) >= soon
    assert count_of(database) == 1


def test_a_clock_that_is_moved_brings_the_time_and_leaves_running_jobs_alone(
    database: Database, clock: MovableClock, start: Start
) -> None:
    begun, go_on, seen = Event(), Event(), list[str]()

    def stay(_job: Job) -> None:
        begun.set()
        go_on.wait(90)
        seen.append("stay")

    start(Kind("stay", stay), Kind("greet", lambda job: seen.append(job.kind)), threads=2)
    with database.writing() as tx:
        put(tx, "stay", {})
        put(tx, "greet", {}, at=clock.now() + timedelta(days=2))
    assert begun.wait(60)
    clock.move(days=4)
    eventually(lambda: seen == ["greet"])
    go_on.set()
    eventually(lambda: seen == ["greet", "stay"])


def test_the_queue_says_how_far_behind_it_is(database: Database) -> None:
    now = datetime.now(UTC)
    with database.writing() as tx:
        assert oldest_wait(tx, now) == timedelta()
        put(tx, "greet", {}, at=now + timedelta(hours=1))
        assert oldest_wait(tx, now) == timedelta()
        assert oldest_wait(tx, now + timedelta(hours=3)) == timedelta(hours=2)
    with database.writing() as tx:
        put(tx, "greet", {})
    with database.reading() as tx:
        behind = oldest_wait(tx, now + timedelta(hours=1))
        assert timedelta(minutes=59) < behind <= timedelta(hours=1)
