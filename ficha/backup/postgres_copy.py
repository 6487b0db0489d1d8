"""PostgreSQL: every table as COPY gives it, all of one moment, without another program; and filling tables with it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from graphlib import TopologicalSorter
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, text

from ficha.backup.archive import ArchiveWriter, TableCopy
from ficha.backup.faults import Progress
from ficha.core.db import Database

TABLES = "tables"
COLUMNS = text(
    "SELECT relname, pg_relation_size(pg_class.oid), array_agg(attname::text ORDER BY attnum) FROM pg_class "
    "JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' "
    "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace GROUP BY pg_class.oid, relname"
)
REFERENCES = text(
    "SELECT DISTINCT one.relname, other.relname FROM pg_constraint "
    "JOIN pg_class one ON one.oid = conrelid JOIN pg_class other ON other.oid = confrelid "
    "WHERE contype = 'f' AND one.oid <> other.oid AND one.relnamespace = current_schema()::regnamespace"
)
SEQUENCES = text(
    "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL"
)
OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
)
LEAVING_SECONDS = 3.0


class PostgresSnapshot:
    """A transaction whose every statement sees the same moment. Nobody waits for it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        found = connection.execute(COLUMNS).all()  # The moment is now.
        self._columns: dict[str, list[str]] = {name: columns for name, _, columns in found}
        self._bytes = sum(size for _, size, _ in found)

    def sequences(self) -> dict[str, int]:
        """They may already be further than the tables, which does no harm: numbers are left out, not given twice."""
        return {row.sequencename: row.last_value for row in self._connection.execute(SEQUENCES)}

    def copy_to(self, archive: ArchiveWriter, progress: Progress) -> list[TableCopy]:
        copies, done = [], 0
        cursor: Any = self._connection.connection.cursor()

        def pieces(name: str, columns: list[str]) -> Iterator[bytes]:
            nonlocal done
            with cursor.copy(f"COPY {_list([name])} ({_list(columns)}) TO STDOUT") as rows:
                for piece in _joined(rows):
                    yield piece
                    done += len(piece)
                    progress("Copying the database", min(done, self._bytes), self._bytes)

        for name in self._in_order():
            archive.add(f"{TABLES}/{name}", pieces(name, self._columns[name]))
            copies.append(TableCopy(name=name, columns=self._columns[name], rows=cursor.rowcount))
        progress("Copying the database", self._bytes, self._bytes)
        return copies

    def _in_order(self) -> list[str]:
        """Each after those that its rows point to."""
        sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(sorted(self._columns), ()))
        for name, other in self._connection.execute(REFERENCES):
            sorter.add(name, other)
        return list(sorter.static_order())


@contextmanager
def postgres_snapshot(database: Database) -> Iterator[PostgresSnapshot]:
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with database.engine.connect().execution_options(**options) as connection:
        yield PostgresSnapshot(connection)


def count_others(connection: Connection) -> int:
    """How many others are connected to this database. A service that was just stopped is given a moment to be gone:
    PostgreSQL notices only after it that a client has left."""
    last_look = monotonic() + LEAVING_SECONDS
    while others := int(connection.execute(OTHERS).scalar_one()):
        if monotonic() > last_look:
            break
        sleep(0.05)
        connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")  # Else a transaction sees the first answer again.
    return others


def empty_tables(connection: Connection, tables: Iterable[TableCopy]) -> None:
    """And no trigger of ours takes what is copied in for something new, until `end_filling`. A table that migrations
    do not make any more is made as text: a later one reads what an older version kept there."""
    names = []
    for table in tables:
        names.append(table.name)
        columns = ", ".join(f"{_list([column])} text" for column in table.columns)
        connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {_list([table.name])} ({columns})")
        connection.exec_driver_sql(f"ALTER TABLE {_list([table.name])} DISABLE TRIGGER USER")
    connection.exec_driver_sql(f"TRUNCATE {_list(names)} RESTART IDENTITY")


def fill_table(connection: Connection, table: TableCopy, pieces: Iterable[bytes]) -> int:
    """Returns how many rows it has now."""
    cursor: Any = connection.connection.cursor()
    with cursor.copy(f"COPY {_list([table.name])} ({_list(table.columns)}) FROM STDIN") as rows:
        for piece in pieces:
            rows.write(piece)
    return int(cursor.rowcount)


def end_filling(connection: Connection, tables: Iterable[TableCopy], sequences: dict[str, int]) -> None:
    for name, value in sequences.items():
        connection.exec_driver_sql(f"CREATE SEQUENCE IF NOT EXISTS {_list([name])}")
        connection.execute(
            text("SELECT setval(CAST(:name AS regclass), :value)"), {"name": _list([name]), "value": value}
        )
    # A key that points to a row is checked at the end of the transaction unless it is asked for: before ALTER it must.
    connection.exec_driver_sql("SET CONSTRAINTS ALL IMMEDIATE")
    for table in tables:
        connection.exec_driver_sql(f"ALTER TABLE {_list([table.name])} ENABLE TRIGGER USER")


def _joined(rows: Iterable[Any]) -> Iterator[bytes]:
    """COPY gives row by row: a megabyte at a time is quicker to compress."""
    piece = bytearray()
    for row in rows:
        piece += row
        if len(piece) > 1 << 20:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)


def _list(names: Iterable[str]) -> str:
    return ", ".join('"' + name.replace('"', '""') + '"' for name in names)
