"""Every statement that a database is sent, seen where nothing passes unseen: at the driver."""

from collections.abc import Callable
from functools import partial
from typing import Any

from psycopg import Cursor
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event

# Called before a statement runs, with its text.
OnStatement = Callable[[str], None]


def watch_statements(engine: Engine, call: OnStatement) -> None:
    """Of connections that are opened from now on. BEGIN, COMMIT and ROLLBACK are statements too."""
    if engine.dialect.name == "sqlite":

        @event.listens_for(engine, "connect", insert=True)
        def trace(connection: Any, _record: object) -> None:
            # SQLite calls it as a statement begins to run; what a trigger does comes as a comment.
            connection.set_trace_callback(lambda sql: None if sql.startswith("--") else call(sql))

        return

    class WatchedCursor(Cursor[Any]):
        def execute(self, query: Any, *args: Any, **more: Any) -> Any:
            self._sees(str(query))
            return super().execute(query, *args, **more)

        def executemany(self, query: Any, *args: Any, **more: Any) -> None:
            self._sees(str(query))
            super().executemany(query, *args, **more)

        def _sees(self, query: str) -> None:
            if not self.connection.autocommit and is_idle(self.connection):
                call("BEGIN")
            call(query)

    def is_idle(connection: Any) -> bool:
        return connection.info.transaction_status == TransactionStatus.IDLE  # type: ignore[no-any-return]

    @event.listens_for(engine, "connect", insert=True)
    def use_cursor(connection: Any, _record: object) -> None:
        connection.cursor_factory = WatchedCursor
        # The driver sends these by itself, without a cursor, when there is something to end.
        for word in ("commit", "rollback"):
            setattr(connection, word, partial(end, connection, word, getattr(connection, word)))

    def end(connection: Any, word: str, inner: Callable[[], None]) -> None:
        if not is_idle(connection):
            call(word.upper())
        inner()
