"""Jobs that fail: again after a while, and in the end dead, out of the way of the others."""

from datetime import timedelta
from threading import Event

import pytest
import structlog

from ficha.core.db import Database
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import count_waiting, dead_jobs, discard_dead, put, retry_all_dead, retry_dead
from tests.jobs.conftest import Start
from tests.waiting import eventually

pytestmark = pytest.mark.oldest_postgresql

SOON = timedelta(milliseconds=10)


class Flaky:
    """Fails until it has been called often enough."""

    def __init__(self, failures: int, error: BaseException | None = None) -> None:
        self.failures = failures
        self.error = error or ValueError("Ana's phone is 600000000")
        self.attempts: list[int] = []

    def __call__(self, job: Job) -> None:
        self.attempts.append(job.attempt)
        if len(self.attempts) <= self.failures:
            raise self.error


def number_dead(database: Database) -> int:
    with database.reading() as tx:
        return len(dead_jobs(tx))


def test_a_failed_job_is_tried_again_until_it_succeeds(database: Database, start: Start) -> None:
    flaky, outcomes = Flaky(2), list[str]()
    # One thread tells of them one after another: of two, the second might be quicker to tell.
    start(Kind("flaky", flaky, first_wait=SOON), threads=1, on_done=lambda _kind, outcome: outcomes.append(outcome))
    with database.writing() as tx:
        put(tx, "flaky", {})
    eventually(lambda: len(outcomes) == 3)
    assert outcomes == ["retry", "retry", "done"]
    assert flaky.attempts == [1, 2, 3]
    assert number_dead(database) == 0


def test_a_retry_waits(database: Database, start: Start) -> None:
    flaky, outcomes = Flaky(1), list[str]()
    start(Kind("flaky", flaky, first_wait=timedelta(hours=2)), on_done=lambda _kind, outcome: outcomes.append(outcome))
    with database.writing() as tx:
        put(tx, "flaky", {})
    eventually(lambda: outcomes)
    with database.reading() as tx:
        assert count_waiting(tx) == {"flaky": 1}


@pytest.mark.parametrize(
    ("attempt", "chance", "seconds"),
    [(1, 0, 2), (1, 1, 1), (2, 0, 4), (4, 0.5, 12), (9, 0, 512), (10, 0, 600), (5000, 1, 300)],
)
def test_the_wait_doubles_up_to_a_limit(attempt: int, chance: float, seconds: float) -> None:
    assert Kind("any", lambda _job: None).wait_after(attempt, chance) == timedelta(seconds=seconds)


def test_a_poison_job_dies_and_the_others_go_on(database: Database, start: Start) -> None:
    poison, seen = Flaky(99), list[Job]()
    start(Kind("poison", poison, attempts=3, first_wait=SOON), Kind("greet", seen.append), threads=1)
    with database.writing() as tx:
        put(tx, "poison", {})
        for n in range(5):
            put(tx, "greet", {"n": n})
    eventually(lambda: len(seen) == 5 and number_dead(database))
    assert poison.attempts == [1, 2, 3]
    with database.reading() as tx:
        (dead,) = dead_jobs(tx)
    assert (dead.kind, dead.attempts, dead.error) == ("poison", 3, "ValueError")
    assert dead.created_at <= dead.died_at


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt()])
def test_not_even_an_exit_ends_the_runner(database: Database, start: Start, error: BaseException) -> None:
    seen: list[Job] = []
    runner = start(Kind("poison", Flaky(99, error), attempts=1), Kind("greet", seen.append), threads=1)
    with database.writing() as tx:
        put(tx, "poison", {})
        put(tx, "greet", {})
    eventually(lambda: seen and number_dead(database))
    assert runner.is_alive


def test_who_gives_up_is_not_asked_again(database: Database, start: Start) -> None:
    def refuse(_job: Job) -> None:
        try:
            raise LookupError("no mailbox called ana@example.com")
        except LookupError as error:
            raise GiveUp("the text stays out of the database") from error

    start(Kind("refuse", refuse), Kind("bare", Flaky(99, GiveUp())))
    with database.writing() as tx:
        put(tx, "refuse", {})
        put(tx, "bare", {})
    eventually(lambda: number_dead(database) == 2)
    with database.reading() as tx:
        assert {(dead.attempts, dead.error) for dead in dead_jobs(tx)} == {
            (1, "LookupError"),
            (1, "GiveUp"),
        }


def test_a_kind_nobody_knows_dies_with_a_clear_line(database: Database, start: Start) -> None:
    with structlog.testing.capture_logs() as lines:
        start(Kind("greet", lambda _job: None))
        with database.writing() as tx:
            put(tx, "from_the_future", {"secret": "s3cr3t"})
        eventually(lambda: number_dead(database))
        # Written after the commit, and heard only as long as one listens.
        eventually(lambda: any(line["event"] == "job.dead" and line["kind"] == "from_the_future" for line in lines))
    with database.reading() as tx:
        (dead,) = dead_jobs(tx)
    assert (dead.kind, dead.error) == ("from_the_future", "UnknownKind")
    assert "s3cr3t" not in str(lines)


def test_logs_name_the_error_and_never_quote_it(
    database: Database, start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    outcomes: list[str] = []
    with structlog.testing.capture_logs() as lines:
        start(
            Kind("poison", Flaky(99), attempts=2, first_wait=SOON),
            threads=1,  # Of two, the second might be quicker to tell.
            on_done=lambda _kind, outcome: outcomes.append(outcome),
        )
        with database.writing() as tx:
            put(tx, "poison", {"phone": "600000001"})
        eventually(lambda: outcomes == ["retry", "dead"])
    logged = [(line["event"], line["kind"], line["attempt"], line["error"]) for line in lines]
    assert logged == [("job.retry", "poison", 1, "ValueError"), ("job.dead", "poison", 2, "ValueError")]
    assert "60000000" not in str(lines) + "".join(capfd.readouterr())


def test_dead_jobs_can_be_listed_retried_and_discarded(database: Database, start: Start) -> None:
    flaky = Flaky(5, GiveUp())
    start(Kind("flaky", flaky))
    with database.writing() as tx:
        for n in range(5):
            put(tx, "flaky", {"n": n})
    eventually(lambda: number_dead(database) == 5)
    with database.reading() as tx:
        first, second = dead_jobs(tx, limit=2)
        ids = [first.id, second.id, *(dead.id for dead in dead_jobs(tx, after=second.id))]
        assert ids == sorted(ids) and len(ids) == 5
        assert count_waiting(tx) == {}
    with database.writing() as tx:
        assert discard_dead(tx, ids[0])
        assert not discard_dead(tx, ids[0])
        assert not retry_dead(tx, ids[0])
        assert retry_dead(tx, ids[1])
    eventually(lambda: len(flaky.attempts) == 6)
    assert flaky.attempts[-1] == 1, "a second life begins from the start"
    with database.writing() as tx:
        assert not retry_dead(tx, ids[1])
        assert retry_all_dead(tx) == 3
    eventually(lambda: len(flaky.attempts) == 9)
    with database.writing() as tx:
        assert dead_jobs(tx) == []
        assert retry_all_dead(tx) == 0


def test_a_dead_job_gives_way_to_a_waiting_one_with_its_key(database: Database, start: Start) -> None:
    runner = start(Kind("flaky", Flaky(99, GiveUp())))
    with database.writing() as tx:
        put(tx, "flaky", {}, key="ana")
    eventually(lambda: number_dead(database))
    runner.stop(5)
    with database.writing() as tx:
        put(tx, "flaky", {}, key="ana")
        (dead,) = dead_jobs(tx)
        assert retry_dead(tx, dead.id)
        put(tx, "other", {})
    with database.reading() as tx:
        assert count_waiting(tx) == {"flaky": 1, "other": 1}
        assert dead_jobs(tx) == []


def test_a_failed_job_gives_way_to_a_waiting_one_with_its_key(database: Database, start: Start) -> None:
    started, go_on, seen = Event(), Event(), list[Job]()

    def fail_once(job: Job) -> None:
        seen.append(job)
        started.set()
        go_on.wait(90)
        if len(seen) == 1:
            raise ValueError

    outcomes: list[str] = []
    start(Kind("flaky", fail_once, first_wait=SOON), threads=1, on_done=lambda _kind, outcome: outcomes.append(outcome))
    with database.writing() as tx:
        put(tx, "flaky", {"n": 1}, key="ana")
    assert started.wait(60)
    with database.writing() as tx:
        put(tx, "flaky", {"n": 2}, key="ana")
    go_on.set()
    eventually(lambda: outcomes == ["retry", "done"])
    assert [job.payload["n"] for job in seen] == [1, 2]
    with database.reading() as tx:
        assert count_waiting(tx) == {} and dead_jobs(tx) == []
