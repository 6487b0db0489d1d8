"""Wakes the runners of this process the moment a job is committed, so that nobody has to poll quickly."""

from threading import Condition

from sqlalchemy import event
from sqlalchemy.orm import Session

PUT = "ficha_jobs_put"


class JobSignal:
    """Counts its rings. Who remembers the count it last heard never sleeps through one."""

    def __init__(self) -> None:
        self.rings = 0
        self._changed = Condition()

    def ring(self) -> None:
        with self._changed:
            self.rings += 1
            self._changed.notify_all()

    def wait(self, heard: int, timeout: float) -> None:
        """Returns at the first ring after the `heard` ones."""
        with self._changed:
            self._changed.wait_for(lambda: self.rings != heard, timeout)


# One for the process: a process serves one database, and a ring too many costs one cheap look.
bell = JobSignal()


def signal_after_commit(session: Session) -> None:
    session.info[PUT] = True


@event.listens_for(Session, "after_commit")
def _ring(session: Session) -> None:
    # Savepoints announce their end too, but the job is not there for others yet.
    if not session.in_nested_transaction() and session.info.pop(PUT, False):
        bell.ring()
