"""Where a claimed job is run and its end written down. Both runners work here; they differ in how they claim."""

import logging
import random
import time
import traceback
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path

from sqlalchemy.orm import Session

from ficha.core.clock import Clock, SystemClock
from ficha.core.db import Database
from ficha.core.log import log
from ficha.jobs.engine import Engine
from ficha.jobs.kinds import Claim, GiveUp, Job, Kind

LONGEST_PAUSE_SECONDS = 5.0


class Outcome(StrEnum):
    DONE = "done"
    RETRY = "retry"
    DEAD = "dead"
    LOST = "lost"  # Somebody else has the job by now; what we found out does not count.


LEVELS = {
    Outcome.DONE: logging.INFO,
    Outcome.RETRY: logging.WARNING,
    Outcome.DEAD: logging.ERROR,
    Outcome.LOST: logging.WARNING,
}


class UnknownKind(Exception):
    """No function for this job: it was put by another version of the program."""


class WorkerLost(Exception):
    """The process that held the job fell silent."""


class Interrupted(Exception):
    """The process stopped before the job was done."""


class JobExecutor:
    """The kinds of job this process can do, and the jobs in its hands."""

    def __init__(
        self,
        database: Database,
        engine: Engine,
        kinds: Mapping[str, Kind],
        clock: Clock,
        lease: timedelta,
        on_done: Callable[[str, str], None] | None = None,
    ) -> None:
        self.database = database
        self.engine = engine
        self.kinds = kinds
        self.lease = lease
        self._clock = clock
        self._on_done = on_done
        self._held: dict[tuple[int, int], Claim] = {}

    @property
    def held(self) -> list[Claim]:
        return list(self._held.values())

    def now(self) -> datetime:
        # What is put without a time carries the machine's, and the clock of a test may stand still.
        return max(self._clock.now(), SystemClock().now())

    def work(self, claim: Claim) -> None:
        """From the job's function to its end, written down."""
        place = (claim.job.id, claim.job.attempt)
        self._held[place] = claim
        try:
            error = self._run(claim.job)
            pause = 0.1
            # Without an end the job would hang in our hands for good, so a database in trouble is waited for.
            while place in self._held and not self._settle(claim, error):
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        finally:
            self._held.pop(place, None)

    def take_over(self) -> None:
        """Jobs whose process fell silent go back to the queue. Each time counts, so a killer does not live forever."""
        with self.database.writing() as session:
            ends = [
                (claim, self._ended_badly(session, claim, WorkerLost()))
                for claim in self.engine.expired(session, self.lease)
            ]
        for claim, outcome in ends:
            self._tell(claim.job, outcome, WorkerLost())

    def give_back(self) -> None:
        """What is still under way at the end of a stop may be taken by another process at once."""
        given, self._held = self.held, {}
        for claim in given:
            try:
                with self.database.writing() as session:
                    # It was us who stopped: not even a last attempt is held against the job.
                    was_held = self.engine.retry(session, claim, self.now(), Interrupted.__name__)
            except Exception as trouble:  # Then our lease on it runs out by itself.
                log().warning("job.not_given_back", job=claim.job.id, kind=claim.job.kind, error=_name(trouble))
            else:
                if was_held:  # If not, it was done at the last moment.
                    self._tell(claim.job, Outcome.RETRY, Interrupted())

    def _run(self, job: Job) -> BaseException | None:
        kind = self.kinds.get(job.kind)
        if kind is None:
            return UnknownKind()
        try:
            kind.run(job)
        except BaseException as error:  # Even SystemExit must not take the thread with it.
            return error
        return None

    def _settle(self, claim: Claim, error: BaseException | None) -> bool:
        try:
            with self.database.writing() as session:
                if error is None:
                    outcome = Outcome.DONE if self.engine.finish(session, claim) else Outcome.LOST
                else:
                    outcome = self._ended_badly(session, claim, error)
        except Exception as trouble:
            log().warning("job.end_not_written", job=claim.job.id, kind=claim.job.kind, error=_name(trouble))
            return False
        self._tell(claim.job, outcome, error)
        return True

    def _ended_badly(self, session: Session, claim: Claim, error: BaseException) -> Outcome:
        kind = self.kinds.get(claim.job.kind)
        if kind is None or isinstance(error, GiveUp) or claim.job.attempt >= kind.attempts:
            return Outcome.DEAD if self.engine.bury(session, claim, _name(error)) else Outcome.LOST
        # A silent process was waited for already, by its lease.
        is_lost = isinstance(error, WorkerLost)
        wait = timedelta() if is_lost else kind.wait_after(claim.job.attempt, random.random())  # noqa: S311
        was_held = self.engine.retry(session, claim, self.now() + wait, _name(error))
        return Outcome.RETRY if was_held else Outcome.LOST

    def _tell(self, job: Job, outcome: Outcome, error: BaseException | None) -> None:
        about: dict[str, object] = {"job": job.id, "kind": job.kind, "attempt": job.attempt}
        if error is not None:
            about |= {"error": _name(error), "where": _where(error)}
        log().log(LEVELS[outcome], f"job.{outcome}", **about)
        if self._on_done is not None:
            self._on_done(job.kind, outcome)


def _name(error: BaseException) -> str:
    """Its class, and never its text. Who gives up because of another error is known by that one."""
    return type(error.__cause__ or error).__name__


def _where(error: BaseException) -> str | None:
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None
