"""Jobs run in the caller's thread, by a clock that the test moves: the same promises as those of the runners."""

from datetime import timedelta

from ficha.core.db import Database
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import count_waiting, dead_jobs, put, retry_dead
from tests.clock import MovableClock
from tests.run_due import claim_without_lease, run_due


class Recorder:
    """A job's function that remembers what it was called with, and fails as often as it is told."""

    def __init__(self, failures: int = 0, error: Exception | None = None) -> None:
        self.failures = failures
        self.error = error or ValueError()
        self.jobs: list[Job] = []

    def __call__(self, job: Job) -> None:
        self.jobs.append(job)
        if len(self.jobs) <= self.failures:
            raise self.error

    @property
    def numbers(self) -> list[int]:
        return [job.payload["n"] for job in self.jobs]


def waiting_in(database: Database) -> dict[str, int]:
    with database.reading() as tx:
        return count_waiting(tx)


def test_what_is_due_runs_in_order_and_the_urgent_first(database: Database, clock: MovableClock) -> None:
    greet = Recorder()
    with database.writing() as tx:
        put(tx, "greet", {"n": 1})
        put(tx, "greet", {"n": 2}, at=clock.now())
        put(tx, "greet", {"n": 3}, urgent=True)
    run_due(database, [Kind("greet", greet)])
    assert greet.numbers == [3, 1, 2] and waiting_in(database) == {}


def test_a_job_waits_for_its_time_by_the_services_clock(database: Database, clock: MovableClock) -> None:
    greet = Recorder()
    with database.writing() as tx:
        put(tx, "greet", {"n": 1}, at=clock.now() + timedelta(days=400))
    clock.move(days=399)
    run_due(database, [Kind("greet", greet)])
    assert greet.numbers == [] and waiting_in(database) == {"greet": 1}
    clock.move(days=1)
    run_due(database, [Kind("greet", greet)])
    assert greet.numbers == [1]


def test_a_clock_that_tells_an_earlier_time_than_the_machine_brings_every_job(database: Database) -> None:
    database.clock = clock = MovableClock()
    clock.move(days=-4000)
    greet = Recorder(failures=1)
    kinds = [Kind("greet", greet, attempts=1)]
    with database.writing() as tx:
        put(tx, "greet", {"n": 1})
    run_due(database, kinds)
    with database.writing() as tx:
        (dead,) = dead_jobs(tx)
        assert retry_dead(tx, dead.id)
    run_due(database, kinds)
    assert greet.numbers == [1, 1]


def test_jobs_that_a_job_puts_run_too(database: Database, clock: MovableClock) -> None:
    greet = Recorder()

    def pass_on(job: Job) -> None:
        with database.writing() as tx:
            put(tx, "greet", job.payload)

    with database.writing() as tx:
        put(tx, "pass_on", {"n": 1})
    run_due(database, [Kind("pass_on", pass_on), Kind("greet", greet)])
    assert greet.numbers == [1]


def test_a_job_that_failed_comes_back_after_its_wait_and_dies_after_its_last_attempt(
    database: Database, clock: MovableClock
) -> None:
    greet, outcomes = Recorder(failures=9), list[tuple[str, str]]()
    kinds = [Kind("greet", greet, attempts=2, first_wait=timedelta(hours=1))]
    with database.writing() as tx:
        put(tx, "greet", {"n": 1})
    for _ in range(2):
        run_due(database, kinds, on_done=lambda *outcome: outcomes.append(outcome))
    assert outcomes == [("greet", "retry")]
    clock.move(hours=1)
    run_due(database, kinds, on_done=lambda *outcome: outcomes.append(outcome))
    assert outcomes == [("greet", "retry"), ("greet", "dead")]
    assert [job.attempt for job in greet.jobs] == [1, 2] and len({job.id for job in greet.jobs}) == 1
    with database.reading() as tx:
        (dead,) = dead_jobs(tx)
    assert (dead.kind, dead.attempts, dead.error) == ("greet", 2, "ValueError")


def test_who_gives_up_dies_at_once_and_the_others_go_on(database: Database, clock: MovableClock) -> None:
    greet = Recorder(failures=1, error=GiveUp())
    with database.writing() as tx:
        put(tx, "greet", {"n": 1})
        put(tx, "from_the_future", {})
        put(tx, "greet", {"n": 2})
    run_due(database, [Kind("greet", greet)])
    assert greet.numbers == [1, 2]
    with database.reading() as tx:
        assert [(dead.kind, dead.error) for dead in dead_jobs(tx)] == [
            ("greet", "GiveUp"),
            ("from_the_future", "UnknownKind"),
        ]


def test_the_key_of_a_running_job_is_free_for_the_next(database: Database, clock: MovableClock) -> None:
    greet = Recorder()

    def put_again(job: Job) -> None:
        greet(job)
        if job.payload["n"] < 3:
            with database.writing() as tx:
                put(tx, "greet", {"n": job.payload["n"] + 1}, key="ana")
                put(tx, "greet", {"n": 99}, key="ana")

    with database.writing() as tx:
        put(tx, "greet", {"n": 1}, key="ana")
    run_due(database, [Kind("greet", put_again)])
    assert greet.numbers == [1, 2, 3]


def test_what_a_process_that_died_had_claimed_is_taken_over_at_once(database: Database, clock: MovableClock) -> None:
    with database.writing() as tx:
        put(tx, "greet", {"n": 1})
    with database.writing() as tx:
        assert claim_without_lease(tx) is not None
    greet, outcomes = Recorder(), list[tuple[str, str]]()
    run_due(database, [Kind("greet", greet)], on_done=lambda *outcome: outcomes.append(outcome))
    assert outcomes == [("greet", "retry"), ("greet", "done")]
    assert [job.attempt for job in greet.jobs] == [2]
