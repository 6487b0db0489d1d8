"""PostgreSQL connections that outlive the engine which opened them.

Every test has engines of its own. To open a connection, the server starts a process that reads its catalogue anew:
that took as long as many a test. So a connection that an engine closes forgets whose it was, as a new one would,
and the next engine that asks for one of its kind gets it.
"""

from select import POLLIN, poll
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, WeakSet

from psycopg import Connection, Cursor, Error
from sqlalchemy.dialects.postgresql.psycopg import dialect as psycopg_dialect

MOST_OF_A_KIND = 8
# What DISCARD ALL does, but for prepared statements. Those stay: to read and plan them again in each test is a third of
# the server's work.
FORGET = b"CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); DISCARD SEQUENCES; DISCARD TEMP; RESET ALL"
PREPARED_AFTER, MOST_PREPARED = 1, 2000
Kind = tuple[tuple[str, str], ...]


class KeptConnections:
    def __init__(self) -> None:
        self._idle: dict[Kind, list[Connection[Any]]] = {}
        self._kinds: WeakKeyDictionary[Connection[Any], Kind] = WeakKeyDictionary()
        self._greeted: WeakSet[Connection[Any]] = WeakSet()
        # False while a test wants that who closes a connection is gone.
        self.keeps = True

    def take(self, kind: Kind) -> Connection[Any] | None:
        idle = self._idle.get(kind, [])
        while idle:
            connection = idle.pop()
            if not _has_hung_up(connection):
                return connection
            connection.close()
        return None

    def note(self, connection: Connection[Any], kind: Kind) -> None:
        self._kinds[connection] = kind

    def keep(self, connection: Connection[Any]) -> bool:
        """False if it is to be closed."""
        kind = self._kinds.get(connection)
        if kind is None or not self.keeps or connection.closed:
            return False
        idle = self._idle.setdefault(kind, [])
        if len(idle) >= MOST_OF_A_KIND:
            return False
        try:
            connection.rollback()
            connection.autocommit = True
            connection.execute(FORGET, prepare=False)
            connection.autocommit = False
        except Error:
            return False
        connection.isolation_level = None
        connection.cursor_factory = Cursor
        idle.append(connection)
        return True

    def is_greeted(self, connection: Connection[Any]) -> bool:
        """Whether this was asked of it before."""
        is_greeted = connection in self._greeted
        self._greeted.add(connection)
        return is_greeted

    def close(self) -> None:
        for idle in self._idle.values():
            while idle:
                idle.pop().close()


KEPT = KeptConnections()


def _has_hung_up(connection: Connection[Any]) -> bool:
    """If there is something to read on an idle connection, the server has said goodbye."""
    said = poll()
    said.register(connection.fileno(), POLLIN)
    return bool(said.poll(0))


class KeepingPsycopg(psycopg_dialect):
    """Only the service's own connections are kept: those that are opened with its options."""

    supports_statement_cache = True
    # By the version of the server: what `initialize` learns there.
    _known: ClassVar[dict[int, dict[str, Any]]] = {}

    def connect(self, *cargs: Any, **cparams: Any) -> Any:
        if "options" not in cparams:
            return super().connect(*cargs, **cparams)
        kind = tuple(sorted((name, str(value)) for name, value in cparams.items() if name != "context"))
        connection: Any = KEPT.take(kind)
        if connection is None:
            connection = super().connect(*cargs, **cparams)
            connection.prepare_threshold, connection.prepared_max = PREPARED_AFTER, MOST_PREPARED
            KEPT.note(connection, kind)
        return connection

    def on_connect(self) -> Any:
        """Once for each: it gives a connection one more handler of notices."""
        greet = super().on_connect()  # type: ignore[no-untyped-call]

        def greet_new(connection: Any) -> None:
            if not KEPT.is_greeted(connection):
                greet(connection)

        return greet_new

    def initialize(self, connection: Any) -> None:
        """What an engine asks the server at first: the same of each server of one version."""
        version = connection.connection.driver_connection.info.server_version
        if version not in self._known:
            before = dict(self.__dict__)
            super().initialize(connection)  # type: ignore[no-untyped-call]
            learnt = {name: value for name, value in self.__dict__.items() if before.get(name) != value}
            # Facts only: whatever else it keeps is made for this engine's own settings.
            self._known[version] = {name: fact for name, fact in learnt.items() if isinstance(fact, bool | str | tuple)}
        self.__dict__.update(self._known[version])

    def do_close(self, dbapi_connection: Any) -> None:
        if not KEPT.keep(dbapi_connection):
            super().do_close(dbapi_connection)  # type: ignore[no-untyped-call]
