"""Counts statements and transactions on the driver: SQLAlchemy's own events do not see what runs there directly."""

import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psycopg.pq import Trace
from sqlalchemy import event

from ficha.core.db import Database

# A line of libpq's trace: what was sent ("F"), its length, its kind and its content. Text of several lines goes on
# without such a beginning.
SENT = re.compile(r"F\t\d+\t(Query|Parse|Execute)\t(.*)")


@dataclass
class Counted:
    """Of every connection of one database. `texts` says which, for whoever wonders; beginnings and ends are not in
    it. On PostgreSQL a statement that the server had prepared before has no text."""

    statements: int = 0
    transactions: int = 0
    texts: list[str] = field(default_factory=list)

    def note(self, sql: str) -> None:
        word = sql.lstrip().partition(" ")[0].rstrip(";").upper()
        if word == "BEGIN":
            self.transactions += 1
        elif word not in ("COMMIT", "ROLLBACK") or " TO " in sql:  # A savepoint is a statement like any other.
            self.statements += 1
            self.texts.append(" ".join(sql.split())[:150])


@contextmanager
def count_statements(database: Database) -> Iterator[Counted]:
    """What is run until the end of the block. The numbers are there when it has ended."""
    counted = Counted()
    with _traced_sqlite(database, counted) if database.is_sqlite else _traced_postgres(database, counted):
        yield counted


@contextmanager
def _traced_sqlite(database: Database, counted: Counted) -> Iterator[None]:
    def note(sql: str) -> None:
        if not sql.startswith("--"):  # What a trigger does.
            counted.note(sql)

    with _at_checkout(
        database,
        lambda connection: connection.set_trace_callback(note),
        lambda connection: connection.set_trace_callback(None),
    ):
        yield


@contextmanager
def _traced_postgres(database: Database, counted: Counted) -> Iterator[None]:
    """By the trace of what libpq sends, which misses nothing that psycopg does by itself. It needs Linux."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace"
        with file.open("ab") as out:

            def trace(connection: Any) -> None:
                connection.pgconn.trace(out.fileno())
                connection.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)

            with _at_checkout(database, trace, lambda connection: connection.pgconn.untrace()):
                yield
        for kind, content in SENT.findall(file.read_text(errors="replace")):
            if kind == "Query":
                counted.note(content.strip().strip('"'))
            elif kind == "Execute":
                counted.statements += 1
            else:
                counted.texts.append(content.strip()[:150])


@contextmanager
def _at_checkout(database: Database, begin: Callable[[Any], object], end: Callable[[Any], object]) -> Iterator[None]:
    def begins(connection: Any, _record: object, _proxy: object) -> None:
        begin(connection)

    def ends(connection: Any, _record: object) -> None:
        if connection is not None:  # It was lost.
            end(connection)

    for engine in (database.engine, database.reserved_engine):
        event.listen(engine, "checkout", begins)
        event.listen(engine, "checkin", ends)
    try:
        yield
    finally:
        for engine in (database.engine, database.reserved_engine):
            event.remove(engine, "checkout", begins)
            event.remove(engine, "checkin", ends)
