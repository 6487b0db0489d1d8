"""Migrations of the database, and the function that runs them."""

import re
import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import Script, ScriptDirectory
from sqlalchemy import Connection, inspect
from sqlalchemy.exc import OperationalError

from ficha.core.db import Database
from ficha.core.schema_version import SchemaState, state_of

FOLDER = Path(__file__).parent
# About five minutes: a backup that is being made lets go of the tables when it is done.
MOST_TRIES = 240
PAUSE_SECONDS = 0.5
# How PostgreSQL says that a statement took too long, that a lock was not to be had, and that two waited for each other.
GAVE_WAY = ("57014", "55P03", "40P01")
WORD = re.compile(r"\w+")


class DatabaseNewer(Exception):
    """Its text says what to do."""

    def __init__(self) -> None:
        super().__init__("The database was migrated by a newer Ficha: this one can change nothing (docs/deploy.md).")


def alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    config.attributes["on_step"] = ()
    return config


def migrate(
    database: Database, revision: str = "head", progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Runs what is missing up to this revision. Several processes may start at once: one works, the others wait and
    find it done. `progress` is told what is under way, how many steps are done, and how many there are. Raises
    DatabaseNewer.

    The version before may serve meanwhile. On PostgreSQL its requests wait while their tables are changed: whenever
    they and we would wait for each other, it is us who give up, undo everything and try again."""
    for tried in range(1, MOST_TRIES + 1):
        try:
            _upgrade(database, revision, progress)
            return
        except OperationalError as error:
            if getattr(error.orig, "sqlstate", None) not in GAVE_WAY or tried == MOST_TRIES:
                raise
        if progress is not None:
            progress("Waiting for those who use the tables", tried, MOST_TRIES)
        time.sleep(PAUSE_SECONDS)


def _upgrade(database: Database, revision: str, progress: Callable[[str, int, int], None] | None) -> None:
    with database.writing() as tx:
        connection = tx.connection()
        config = alembic_config(connection)
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")  # As long as it takes another process.
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7216001)")
            connection.exec_driver_sql("SET LOCAL lock_timeout TO DEFAULT")
        missing = _missing(config, connection, revision)
        if connection.dialect.name == "postgresql":
            _lock_tables(connection, missing)
        if progress is not None:
            total, done = len(missing), count(1)
            config.attributes["on_step"] = lambda **_: progress("Migrating", next(done), total)
        command.upgrade(config, revision)


def _missing(config: Config, connection: Connection, revision: str) -> list[Script]:
    """Raises DatabaseNewer."""
    current = MigrationContext.configure(connection).get_current_revision()
    if state_of(current) is SchemaState.NEWER:
        raise DatabaseNewer
    return list(ScriptDirectory.from_config(config).iterate_revisions(revision, current or "base"))


def _lock_tables(connection: Connection, missing: Sequence[Script]) -> None:
    """Every table that these migrations name, before they change any. Whoever has one of them and waits for another
    cannot go on until we give up; PostgreSQL looks for such circles after `deadlock_timeout` and ends one who waits,
    so that we give up before it looks."""
    words = {word for script in missing for word in WORD.findall(Path(script.path).read_text("utf-8"))}
    names = sorted(words.intersection(inspect(connection).get_table_names()))
    if not names:
        return
    found = "SELECT setting::integer FROM pg_settings WHERE name = 'deadlock_timeout'"
    milliseconds: int = connection.exec_driver_sql(found).scalar_one()
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = {max(1, milliseconds * 4 // 5)}")
    connection.exec_driver_sql(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
    connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")
