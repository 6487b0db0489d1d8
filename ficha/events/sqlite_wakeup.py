"""Wakes the listeners of this process the moment an event is committed on SQLite, which cannot notify by itself."""

from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.orm import Session

PUBLISHED = "ficha_events_published"

# Called from the thread that committed. jobs/wakeup.py wakes threads that wait; these wake event loops.
_listeners: set[Callable[[], None]] = set()


def listen(wake: Callable[[], None]) -> None:
    _listeners.add(wake)


def unlisten(wake: Callable[[], None]) -> None:
    _listeners.discard(wake)


def ring_after_commit(session: Session) -> None:
    session.info[PUBLISHED] = True


@event.listens_for(Session, "after_commit")
def _ring(session: Session) -> None:
    # Savepoints announce their end too, but the event is not there for others yet.
    if not session.in_nested_transaction() and session.info.pop(PUBLISHED, False):
        for wake in tuple(_listeners):
            wake()
