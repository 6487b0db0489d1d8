"""PostgreSQL: every table as COPY gives it, all of one moment, without another program; and where a backup is put: one
transaction, seen by nobody until it is committed, or never, for a trial."""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from graphlib import TopologicalSorter
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, inspect, text

from ficha.backup.archive import ArchiveReader, ArchiveWriter, TableCopy
from ficha.backup.files import BackupRefused, BadArchive, Progress
from ficha.core.db import Database
from ficha.core.schema_version import VERSION
from ficha.core.transaction import Transaction
from ficha.migrations import migrate

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

    def schema_version(self) -> str:
        return str(self._connection.exec_driver_sql(VERSION).scalar_one())

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


class WithinTransaction(Transaction):
    """A savepoint of a transaction that somebody else ends."""

    def __init__(self, connection: Connection, database: Database) -> None:
        super().__init__(connection.engine, database.clock, info=database.info)
        self._outer = connection

    def _begin(self) -> Connection:
        if self._begun is None:
            self._begun = self._outer.begin_nested()
            self._connection, self._driver = self._outer, self._outer.connection.driver_connection
        return self._outer

    def _release(self, connection: Connection) -> None:
        """Whoever opened it closes it."""


class OneTransaction(Database):
    """A database whose transactions all work in one that somebody else ends."""

    def __init__(self, url: str, connection: Connection) -> None:
        super().__init__(url)
        self._connection = connection

    def transaction(self, *, writes: bool = True) -> Transaction:
        return WithinTransaction(self._connection, self)


class RestoreTarget:
    def __init__(self, database: Database, archive: ArchiveReader, progress: Progress, *, is_apart: bool) -> None:
        self._database = database
        self._archive = archive
        self._progress = progress
        self._is_apart = is_apart

    @contextmanager
    def filled(self, *, may_replace: bool, refusal: str) -> Iterator[Database]:
        """Commits at the end; rolls back when anything is raised, and always if it is apart. Raises BackupRefused."""
        with self._database.engine.connect() as connection, connection.begin() as transaction:
            if self._is_apart:
                scratch = f"ficha_trial_{secrets.token_hex(4)}"
                connection.exec_driver_sql(f"CREATE SCHEMA {scratch}")
                connection.exec_driver_sql(f"SET LOCAL search_path TO {scratch}")
            inside = OneTransaction(self._database.url, connection)
            self._make_tables(connection, inside, may_replace=may_replace, refusal=refusal)
            self._fill(connection)
            yield inside
            if self._is_apart:
                transaction.rollback()

    def _make_tables(self, connection: Connection, inside: Database, *, may_replace: bool, refusal: str) -> None:
        expected = self._archive.manifest.schema_version
        names = inspect(connection).get_table_names()
        if "alembic_version" not in names:
            migrate(inside, expected)
            return
        others = count_others(connection)
        if others:
            raise BackupRefused(f"{others} connection(s) to this database are open. Stop the service first.")
        if not may_replace and any(_has_rows(connection, name) for name in names if name != "alembic_version"):
            raise BackupRefused(refusal)
        found = connection.exec_driver_sql(VERSION).scalar_one_or_none()
        if found != expected:
            raise BackupRefused(
                f"The tables here are of version {found}, and in the backup of {expected}. Use an empty database."
            )

    def _fill(self, connection: Connection) -> None:
        manifest = self._archive.manifest
        empty_tables(connection, manifest.tables)
        for number, table in enumerate(manifest.tables, 1):
            rows = fill_table(connection, table, self._archive.pieces(f"{TABLES}/{table.name}"))
            if rows != table.rows:
                raise BadArchive(f"The table {table.name} of the backup has {rows} rows, and not {table.rows}.")
            self._progress("Filling tables", number, len(manifest.tables))
        end_filling(connection, manifest.tables, manifest.sequences)


def _has_rows(connection: Connection, table: str) -> bool:
    quoted = connection.dialect.identifier_preparer.quote(table)
    return connection.exec_driver_sql(f"SELECT 1 FROM {quoted} LIMIT 1").first() is not None  # noqa: S608
