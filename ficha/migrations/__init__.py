"""Migrations of the database, and the function that runs them."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from ficha.core.db import Database

FOLDER = Path(__file__).parent


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
    find it done. `progress` is told what is under way, how many steps are done, and how many there are."""
    with database.writing() as tx:
        connection = tx.connection()
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7216001)")
        config = alembic_config(connection)
        if progress is not None:
            config.attributes["on_step"] = _step_counter(config, connection, progress)
        command.upgrade(config, revision)


def _step_counter(
    config: Config, connection: Connection, progress: Callable[[str, int, int], None]
) -> Callable[..., None]:
    current = MigrationContext.configure(connection).get_current_revision()
    missing = ScriptDirectory.from_config(config).iterate_revisions("head", current or "base")
    total, done = len(list(missing)), count(1)
    return lambda **_: progress("Migrating", next(done), total)
