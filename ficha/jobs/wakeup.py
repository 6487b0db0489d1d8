"""Wakes a thread the moment a job is committed, so that nobody has to poll quickly."""

from threading import Condition, Event, Thread
from time import monotonic

from sqlalchemy import func, select

from ficha.core.answer_deadlines import watched
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.transaction import Transaction

CHANNEL = "ficha_jobs"
# PostgreSQL tells it at the commit, once for each transaction, and never after a rollback.
NOTIFY = func.pg_notify(CHANNEL, "").label("told")
LISTEN_SECONDS = 1.0
TEST_SECONDS = 10.0


class JobSignal:
    """Counts the commits that put a job. A thread that passes the count it saw last misses none."""

    def __init__(self) -> None:
        self.count = 0
        self._changed = Condition()

    def notify(self) -> None:
        """Wakes one thread. To wake all of them for one job costs more than most jobs."""
        with self._changed:
            self.count += 1
            self._changed.notify()

    def notify_all(self) -> None:
        with self._changed:
            self.count += 1
            self._changed.notify_all()

    def wait(self, seen: int, timeout: float) -> None:
        """Returns when the count is no longer `seen`, or after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self.count != seen, timeout)


# One for the process: a process serves one database, and a needless wake-up costs one cheap query.
job_signal = JobSignal()


def wake_after_commit(tx: Transaction) -> None:
    if tx.is_sqlite:
        tx.after_commit(job_signal.notify)
    else:
        tx.orm.execute(select(NOTIFY))


class JobListener:
    """Passes PostgreSQL's notifications on to the threads of this process, on a connection of its own."""

    def __init__(self, database: Database) -> None:
        self._engine = database.engine
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="jobs-listener", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(2 * LISTEN_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._listen()
            except Exception as error:  # The database restarts, for example. Meanwhile the threads poll.
                log().warning("jobs.listener_failed", error=type(error).__name__)
                self._stopping.wait(LISTEN_SECONDS)

    def _listen(self) -> None:
        from psycopg import connect  # noqa: PLC0415  Not loaded where the database is SQLite.

        _, arguments = self._engine.dialect.create_connect_args(self._engine.url)
        with connect(**arguments, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            job_signal.notify()  # For what came before.
            with watched(connection.fileno(), TEST_SECONDS) as watch:
                tested_at = monotonic()
                while not self._stopping.is_set():
                    for _ in connection.notifies(timeout=LISTEN_SECONDS, stop_after=1):
                        job_signal.notify()
                    if monotonic() > tested_at + TEST_SECONDS:  # A server can be gone, or frozen, without a word.
                        watch.begin()
                        connection.execute("SELECT 1")
                        watch.pause()
                        tested_at = monotonic()
