"""Wakes the threads of this process the moment a job is committed, so that nobody has to poll quickly."""

from threading import Condition

from ficha.core.transaction import Transaction


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


def signal_after_commit(tx: Transaction) -> None:
    tx.after_commit(job_signal.notify)
