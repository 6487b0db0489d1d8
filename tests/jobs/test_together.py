"""Jobs of one kind that are due at once are run together, and one signal does not leave another job waiting."""

from collections.abc import Sequence
from threading import Barrier

from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting, put
from tests.jobs.conftest import Start
from tests.run_due import run_due
from tests.waiting import eventually


def numbers_of(jobs: Sequence[Job]) -> list[int]:
    return [job.payload["n"] for job in jobs]


def test_as_many_as_allowed_are_run_together_in_their_order(database: Database) -> None:
    groups: list[list[int]] = []

    def note(jobs: Sequence[Job]) -> None:
        groups.append(numbers_of(jobs))

    with database.writing() as tx:
        for number in range(5):
            put(tx, "many", {"n": number})
            put(tx, "other", {"n": number})
        put(tx, "many", {"n": 5}, urgent=True)
    kinds = [
        Kind("many", lambda job: note([job]), run_together=note, most_together=3),
        Kind("other", lambda job: note([job])),
    ]
    run_due(database, kinds)
    assert groups[0] == [5], "what is urgent does not wait for what is not"
    assert sorted(groups[1:]) == sorted([[0, 1, 2], [3, 4], [0], [1], [2], [3], [4]])
    with database.reading() as tx:
        assert count_waiting(tx) == {}


def test_one_that_cannot_be_done_does_not_keep_the_others(database: Database) -> None:
    done: list[int] = []

    def run(job: Job) -> None:
        if job.payload["n"] == 1:
            raise ZeroDivisionError
        done.append(job.payload["n"])

    def run_together(jobs: Sequence[Job]) -> None:
        assert 1 not in numbers_of(jobs)

    with database.writing() as tx:
        for number in range(3):
            put(tx, "many", {"n": number})
    outcomes: list[str] = []
    run_due(
        database,
        [Kind("many", run, attempts=1, run_together=run_together, most_together=9)],
        on_done=lambda _kind, outcome: outcomes.append(outcome),
    )
    assert (done, sorted(outcomes)) == ([0, 2], ["dead", "done", "done"])


def test_jobs_put_together_run_side_by_side(database: Database, start: Start) -> None:
    """One thread is woken for a commit, and wakes the next one: a slow job must not hold up the others."""
    met = Barrier(3)

    def meet(_job: Job) -> None:
        met.wait(30)

    start(Kind("meet", meet), threads=3, poll_seconds=20)
    with database.writing() as tx:
        for _ in range(3):
            put(tx, "meet", {})
    eventually(lambda: met.n_waiting == 0 and not met.broken and no_job_is_left(database))


def no_job_is_left(database: Database) -> bool:
    with database.reading() as tx:
        return count_waiting(tx) == {}
