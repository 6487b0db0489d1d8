"""The fast lane: answers what comes all the time on the event loop, by one statement on the database's own driver."""

from typing import TYPE_CHECKING

from sqlalchemy import make_url

from ficha.core.answer_deadlines import ANSWER_SECONDS, URGENT_SHARE
from ficha.core.db import Database
from ficha.fastlane.store import Store
from ficha.parts import Parts

if TYPE_CHECKING:
    from ficha.fastlane.replica_watch import ReplicaWatch


def store_for(database: Database, pool_size: int) -> Store:
    """Each is loaded where it is used: asyncpg and its dialect take time and memory that SQLite need not spend."""
    if database.is_sqlite:
        from ficha.fastlane.sqlite_store import SqliteStore  # noqa: PLC0415  As said above.

        return SqliteStore(make_url(database.url).database or "")
    from ficha.fastlane.postgres_store import PostgresStore  # noqa: PLC0415  As said above.

    return PostgresStore(database.url, pool_size, URGENT_SHARE * (database.answer_seconds or ANSWER_SECONDS))


def watch_of(parts: Parts) -> "ReplicaWatch | None":
    """None where there are no replicas."""
    if parts.replicas is None:
        return None
    from ficha.fastlane.replica_watch import ReplicaWatch  # noqa: PLC0415  As said above.

    return ReplicaWatch(parts.replicas, parts.database.url, parts.settings.replica_lag_seconds)
