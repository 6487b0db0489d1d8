"""Stops a thread just before or after a statement, so that a race between transactions goes the same way each time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread, current_thread
from typing import Any

from sqlalchemy import event, text

from ficha.core.db import Database
from tests.waiting import eventually

WAITING_FOR_LOCKS = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@dataclass
class Gate:
    """A place in another thread's work: whether the thread has come to it, and whether it may go on."""

    thread: str
    is_after: bool
    statement: str
    _reached: Event = field(default_factory=Event)
    _opened: Event = field(default_factory=Event)

    def stop_here(self) -> None:
        self._reached.set()
        assert self._opened.wait(60)

    def wait_for_thread(self) -> None:
        assert self._reached.wait(60)

    def open(self) -> None:
        self._opened.set()


class Gates:
    def __init__(self) -> None:
        self._gates: list[Gate] = []

    def before(self, thread: str, statement: str) -> Gate:
        """The thread of this name stops there once: of several gates for the same, each has a turn."""
        return self._add(Gate(thread, False, statement))

    def after(self, thread: str, statement: str) -> Gate:
        return self._add(Gate(thread, True, statement))

    def _add(self, gate: Gate) -> Gate:
        self._gates.append(gate)
        return gate

    def listener(self, is_after: bool) -> Callable[..., None]:
        def stop_at_gate(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
            for gate in self._gates:
                if (gate.thread, gate.is_after) == (current_thread().name, is_after) and gate.statement in statement:
                    self._gates.remove(gate)
                    gate.stop_here()
                    return

        return stop_at_gate


@contextmanager
def gates_in(database: Database) -> Iterator[Gates]:
    gates = Gates()
    listeners = {
        "before_cursor_execute": gates.listener(is_after=False),
        "after_cursor_execute": gates.listener(is_after=True),
    }
    for name, listener in listeners.items():
        event.listen(database.engine, name, listener)
    yield gates
    for name, listener in listeners.items():
        event.remove(database.engine, name, listener)


def wait_until_over_or_locked(database: Database, thread: Thread) -> None:
    """Until the thread has ended, or waits for a lock of PostgreSQL. On SQLite it can do nothing but wait for the one
    writer, or it reads what that one has committed: both come to the same, so nobody waits for it."""
    if database.is_sqlite:
        return

    def is_waiting() -> bool:
        with database.reading() as session:
            return bool(session.scalar(WAITING_FOR_LOCKS))

    eventually(lambda: not thread.is_alive() or is_waiting())
