"""ficha worker: runs jobs."""

import os
import signal
import sys
import threading

from ficha.cli.migrated import migrated_settings
from ficha.cli.start_checks import refuse_unfit

SECONDS_ASLEEP = 1.0


def worker() -> None:
    """Run jobs, and nothing else.

    Start as many as you like, on as many machines as you like. Ctrl-C (or SIGTERM) stops it.

    Example: FICHA_DATABASE_URL=postgresql://… ficha worker
    """
    from ficha.core.log import configure_logs, log
    from ficha.parts import build_parts
    from ficha.worker import start_jobs

    settings = migrated_settings()
    refuse_unfit(settings)
    configure_logs(settings)
    parts = build_parts(settings)
    parts.secrets.ensure_root()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    runner = start_jobs(parts)
    log().info("worker.started", threads=settings.job_threads)
    # Python may hear a signal in the instant before this thread falls asleep, and would not wake it for that.
    while not stop.wait(SECONDS_ASLEEP):
        pass
    runner.stop(settings.stop_seconds)
    parts.database.close()
    log().info("worker.stopped")
    # A job that did not finish was given back; its thread must not hold this process.
    sys.stderr.flush()
    os._exit(0)
