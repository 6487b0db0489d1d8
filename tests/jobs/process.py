"""A process that runs jobs, to be killed.

Each job writes a line when it begins and one when it ends, and so does each outcome, in one file that all
processes append to.
"""

import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from threading import Event

from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.runner import start_runner
from tests.waiting import eventually


def gate_of(job_log: Path, process: int) -> Path:
    """A "gated" job of that process ends once this file is there."""
    return job_log.with_name(f"gate-{process}")


def main(url: str, job_log: Path, threads: int, lease_seconds: float) -> None:
    handle = os.open(job_log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(what: str, job: Job) -> None:
        os.write(handle, f"{what} {job.kind} {job.id} {job.attempt} {os.getpid()} {time.time_ns()}\n".encode())

    def note_outcome(kind: str, outcome: str) -> None:
        os.write(handle, f"{outcome} {kind} 0 0 {os.getpid()} {time.time_ns()}\n".encode())

    def short(job: Job) -> None:
        note("begin", job)
        time.sleep(0.005)
        note("end", job)

    def gated(job: Job) -> None:
        note("begin", job)
        eventually(gate_of(job_log, os.getpid()).exists)
        note("end", job)

    def stuck_once(job: Job) -> None:
        note("begin", job)
        if job.attempt == 1:
            time.sleep(600)
        note("end", job)

    def killer(job: Job) -> None:
        note("begin", job)
        os.kill(os.getpid(), signal.SIGKILL)

    kinds = [Kind("short", short), Kind("gated", gated), Kind("stuck_once", stuck_once)]
    kinds.append(Kind("killer", killer, attempts=2, first_wait=timedelta(milliseconds=10)))
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    database = Database(url)
    runner = start_runner(
        database,
        kinds,
        threads=threads,
        lease_seconds=lease_seconds,
        poll_seconds=0.1,
        on_done=note_outcome,
    )
    stop.wait()
    runner.stop(0.5)
