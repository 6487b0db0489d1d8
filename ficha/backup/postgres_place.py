"""Where a backup is put on PostgreSQL: one transaction, seen by nobody until it is committed; or never, for a trial."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect, text

from ficha.backup.archive import ArchiveReader
from ficha.backup.faults import BackupRefused, BadArchive, Progress
from ficha.backup.postgres_copy import TABLES, count_others, empty_tables, end_filling, fill_table
from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.migrations import migrate


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


class PostgresPlace:
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
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
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
