"""Every statement that a database is sent, seen where nothing passes unseen: at the driver."""

from collections.abc import Callable
from typing import Any

from psycopg import Cursor
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
            call(str(query))
            return super().execute(query, *args, **more)

        def executemany(self, query: Any, *args: Any, **more: Any) -> None:
            call(str(query))
            super().executemany(query, *args, **more)

    @event.listens_for(engine, "connect", insert=True)
    def use_cursor(connection: Any, _record: object) -> None:
        connection.cursor_factory = WatchedCursor

    # The driver sends these by itself, without a cursor.
    for word in ("begin", "commit", "rollback"):
        event.listen(engine, word, lambda _connection, word=word: call(word.upper()), insert=True)
