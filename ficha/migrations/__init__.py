"""Migrations of the database, and the function that runs them."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from ficha.core.db import Database

FOLDER = Path(__file__).parent


def alembic_config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    return config


def migrate(database: Database) -> None:
    """Runs what is missing. Several processes may start at once: one works, the others wait and find it done."""
    with database.session() as session, session.begin():
        connection = session.connection()
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7216001)")
        command.upgrade(alembic_config(connection), "head")
