"""Stops a thread just before or after a statement, so that a race between transactions goes the same way each time."""

from dataclasses import dataclass, field
from threading import Event, Thread, current_thread

from sqlalchemy import text

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
        # By thread: the gate whose statement runs.
        self._passed: dict[str, Gate] = {}

    def before(self, thread: str, statement: str) -> Gate:
        """The thread of this name stops there once: of several gates for the same, each has a turn."""
        return self._add(Gate(thread, False, statement))

    def after(self, thread: str, statement: str) -> Gate:
        return self._add(Gate(thread, True, statement))

    def _add(self, gate: Gate) -> Gate:
        self._gates.append(gate)
        return gate

    def come_to(self, statement: str) -> None:
        """Called before each statement. After one is before the next, be it only the COMMIT."""
        name = current_thread().name
        for gate in (self._passed.pop(name, None), self._take(name, statement, is_after=False)):
            if gate is not None:
                gate.stop_here()
        passed = self._take(name, statement, is_after=True)
        if passed is not None:
            self._passed[name] = passed

    def _take(self, thread: str, statement: str, *, is_after: bool) -> Gate | None:
        for gate in self._gates:
            if (gate.thread, gate.is_after) == (thread, is_after) and gate.statement in statement:
                self._gates.remove(gate)
                return gate
        return None


def gates_in(database: Database) -> Gates:
    """In every transaction that begins from now on."""
    gates = Gates()
    database.on_statement = gates.come_to
    return gates


def wait_until_over_or_locked(database: Database, thread: Thread) -> None:
    """Until the thread has ended, or waits for a lock of PostgreSQL. On SQLite it can do nothing but wait for the one
    writer, or it reads what that one has committed: both come to the same, so nobody waits for it."""
    if database.is_sqlite:
        return

    def is_waiting() -> bool:
        with database.reading() as tx:
            return bool(tx.orm.scalar(WAITING_FOR_LOCKS))

    eventually(lambda: not thread.is_alive() or is_waiting())
