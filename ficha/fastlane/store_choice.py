"""Chooses the lane's store by the database."""

from sqlalchemy import make_url

from ficha.core.db import Database
from ficha.fastlane.sqlite_store import SqliteStore
from ficha.fastlane.store import Store


def store_for(database: Database, pool_size: int) -> Store:
    if database.is_sqlite:
        return SqliteStore(make_url(database.url).database or "")
    # Start-up cost: asyncpg and its dialect take time and memory that a server on SQLite need not spend.
    from ficha.fastlane.postgres_store import PostgresStore  # noqa: PLC0415

    return PostgresStore(database.url, pool_size)
