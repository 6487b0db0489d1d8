"""Runs a claimed job and writes down how it ended, for the runner and for `run_due`."""

import logging
import random
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.traces import job_span, note_job_error
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import GiveUp, Job, JobClaim, Kind
from ficha.jobs.statements import claim_more, expired, finish, mark_dead, retry

LONGEST_PAUSE_SECONDS = 5.0


# Claims the next jobs, in the transaction that ends those before.
ClaimNext = Callable[[Transaction], Sequence[JobClaim]]


class JobOutcome(StrEnum):
    DONE = "done"
    RETRY = "retry"
    DEAD = "dead"
    LOST = "lost"  # Another process has the job by now; how it ended here does not count.


LEVELS = {
    JobOutcome.DONE: logging.INFO,
    JobOutcome.RETRY: logging.WARNING,
    JobOutcome.DEAD: logging.ERROR,
    JobOutcome.LOST: logging.WARNING,
}


class UnknownKind(Exception):
    """No function for this job: it was put by another version of the program."""


class WorkerLost(Exception):
    """The process that held the job sends no more heartbeats."""


class JobInterrupted(Exception):
    """The process stopped before the job was done."""


class JobExecutor:
    """The kinds of job this process can run, and the claims that it holds."""

    def __init__(
        self,
        database: Database,
        kinds: Iterable[Kind],
        lease: timedelta,
        on_done: Callable[[str, str], None] | None = None,
    ) -> None:
        self.database = database
        self.kinds = {kind.name: kind for kind in kinds}
        self.lease = lease
        self._on_done = on_done
        self._held: dict[tuple[int, int], JobClaim] = {}

    @property
    def held(self) -> list[JobClaim]:
        return list(self._held.values())

    def with_more(self, tx: Transaction, first: JobClaim | None) -> Sequence[JobClaim]:
        """What runs together with this claim, which is among it; nothing if there is none."""
        if first is None:
            return ()
        kind = self.kinds.get(first.job.kind)
        if kind is None or kind.run_together is None:
            return (first,)
        return (first, *claim_more(tx, first, kind.most_together - 1))

    def run(self, claims: Sequence[JobClaim], claim_next: ClaimNext = lambda _tx: ()) -> Sequence[JobClaim]:
        """Runs the function of these jobs, which are of one kind, and writes down how they ended. What `claim_next`
        claims in that same transaction is returned: while there is work, a turn takes one transaction of the queue's
        and not two."""
        for claim in claims:
            self._held[_key(claim)] = claim
        try:
            errors = self._call_in_span([claim.job for claim in claims])
            pause = 0.1
            # Without an end a job would stay claimed for good, so a database in trouble is waited for.
            while ended := [(claim, errors[claim.job.id]) for claim in claims if _key(claim) in self._held]:
                try:
                    outcomes, following = self._write_ends(ended, claim_next)
                except Exception as trouble:
                    job = ended[0][0].job
                    log().warning("job.end_not_written", job=job.id, kind=job.kind, error=_name(trouble))
                else:
                    with suppress(Exception):  # Who counts or logs must not lose what is claimed by now.
                        for (claim, error), outcome in zip(ended, outcomes, strict=True):
                            self._report(claim.job, outcome, error)
                    return following
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            return ()
        finally:
            for claim in claims:
                self._held.pop(_key(claim), None)

    def take_over(self) -> None:
        """Jobs of processes that died go back to the queue. It counts as an attempt, so a job that kills its process
        does not come back for ever."""
        with self.database.writing() as tx:
            ends = [(claim, self._write_failure(tx, claim, WorkerLost())) for claim in expired(tx)]
        for claim, outcome in ends:
            self._report(claim.job, outcome, WorkerLost())

    def give_back(self) -> None:
        """What still runs at the end of a stop may be taken by another process at once."""
        given, self._held = self.held, {}
        for claim in given:
            try:
                with self.database.writing() as tx:
                    # The job is not to blame: it is tried again even after its last attempt.
                    was_held = retry(tx, claim, self._now(), JobInterrupted.__name__)
            except Exception as trouble:  # Then its lease runs out by itself.
                log().warning("job.not_given_back", job=claim.job.id, kind=claim.job.kind, error=_name(trouble))
            else:
                if was_held:  # If not, it was done at the last moment.
                    self._report(claim.job, JobOutcome.RETRY, JobInterrupted())

    def _now(self) -> datetime:
        return self.database.clock.now()

    def _call_in_span(self, jobs: Sequence[Job]) -> dict[int, BaseException | None]:
        with job_span(jobs[0].kind, [job.payload for job in jobs]):
            errors = self._call_function(jobs)
            for error in filter(None, errors.values()):
                note_job_error(_name(error))
        return errors

    def _call_function(self, jobs: Sequence[Job]) -> dict[int, BaseException | None]:
        """The error of each job, by its id. If several fail together, each is run by itself: one that cannot be done
        must not keep the others from being done."""
        kind = self.kinds.get(jobs[0].kind)
        if kind is None:
            return {job.id: UnknownKind() for job in jobs}
        if kind.run_together is not None and len(jobs) > 1:
            try:
                kind.run_together(jobs)
            except Exception as error:
                log().warning("jobs.run_one_by_one", kind=kind.name, count=len(jobs), error=_name(error))
            else:
                return {job.id: None for job in jobs}
        return {job.id: _error_of(kind, job) for job in jobs}

    def _write_ends(
        self, ended: Sequence[tuple[JobClaim, BaseException | None]], claim_next: ClaimNext
    ) -> tuple[list[JobOutcome], Sequence[JobClaim]]:
        with self.database.writing() as tx:
            return [self._write_end(tx, *each) for each in ended], claim_next(tx)

    def _write_end(self, tx: Transaction, claim: JobClaim, error: BaseException | None) -> JobOutcome:
        if error is not None:
            return self._write_failure(tx, claim, error)
        return JobOutcome.DONE if finish(tx, claim) else JobOutcome.LOST

    def _write_failure(self, tx: Transaction, claim: JobClaim, error: BaseException) -> JobOutcome:
        kind = self.kinds.get(claim.job.kind)
        if kind is None or isinstance(error, GiveUp) or claim.job.attempt >= kind.attempts:
            return JobOutcome.DEAD if mark_dead(tx, claim, _name(error)) else JobOutcome.LOST
        # After a lost process the lease was waited for already.
        is_lost = isinstance(error, WorkerLost)
        wait = timedelta() if is_lost else kind.wait_after(claim.job.attempt, random.random())  # noqa: S311
        was_held = retry(tx, claim, self._now() + wait, _name(error))
        return JobOutcome.RETRY if was_held else JobOutcome.LOST

    def _report(self, job: Job, outcome: JobOutcome, error: BaseException | None) -> None:
        about: dict[str, object] = {"job": job.id, "kind": job.kind, "attempt": job.attempt}
        if error is not None:
            about |= {"error": _name(error), "where": _where(error)}
        log().log(LEVELS[outcome], f"job.{outcome}", **about)
        if self._on_done is not None:
            self._on_done(job.kind, outcome)


def _key(claim: JobClaim) -> tuple[int, int]:
    return claim.job.id, claim.job.attempt


def _error_of(kind: Kind, job: Job) -> BaseException | None:
    try:
        kind.run(job)
    except BaseException as error:  # Even SystemExit must not take the thread with it.
        return error
    return None


def _name(error: BaseException) -> str:
    """Its class, never its text. For a GiveUp raised from another error, the class of that one."""
    return type(error.__cause__ or error).__name__


def _where(error: BaseException) -> str | None:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None
