"""What a process looks at before it starts: each fault is one sentence, and all of them are told at once."""

import sqlite3
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ficha.core.settings import InsecureSettings, Settings, laptop_values

if TYPE_CHECKING:
    import psycopg

# How often two sessions are asked whether one process of the server answers both. A pooler that gives each statement to
# any process takes the one that was used last.
ASKED_TIMES = 3
DROPPED_SETTINGS = (
    "The pooler before PostgreSQL does not pass on what a connection asks for. In pgbouncer.ini set pool_mode = session"
    " and ignore_startup_parameters = options, and give the role what we would ask for: ALTER ROLE … SET lock_timeout ="
    " '10s'; ALTER ROLE … SET timezone = 'UTC' (docs/high-availability.md)."
)
SHARED_SESSIONS = (
    "FICHA_DATABASE_URL leads through a pooler in transaction mode: prepared statements and LISTEN do not work there."
    " Set pool_mode = session for this database, or name PostgreSQL's own address (docs/high-availability.md)."
)

DEMO_PEOPLE = "SELECT count(*) FROM accounts WHERE correo LIKE '%@demo.example'"


def refuse_unfit(settings: Settings) -> None:
    """Raises InsecureSettings if production has values, files or people that are fit for development only, or if the
    database is behind a pooler that we cannot work through; BadKeys."""
    faults = [*laptop_values(settings), *_pooler_faults(settings.database)]
    if settings.in_production:
        faults += [*_open_files(settings), *_demo_people(settings)]
    if faults:
        raise InsecureSettings("\n".join(faults))
    if settings.in_production and not settings.master_keys.get_secret_value():
        from ficha.core.crypto import Keyring  # A server in development starts without loading it here.

        Keyring.from_file(settings.key_path, in_production=True)


def _open_files(settings: Settings) -> list[str]:
    if not settings.database.startswith("sqlite"):
        return []
    file = Path(settings.database.removeprefix("sqlite:///"))
    names = (file.name, f"{file.name}-wal", f"{file.name}-shm")
    found = [file.with_name(name) for name in names if file.with_name(name).exists()]
    return [
        f"{one} can be read by others. Run: chmod 600 {one}"
        for one in found
        if one.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ]


def _demo_people(settings: Settings) -> list[str]:
    """On the driver: this process is to stay small. A database without tables has nobody."""
    try:
        count = _count(settings.database)
    except Exception:  # Unreachable or not migrated: whoever needs it says so.
        return []
    return [f"{count} demo people are in the database. Run: ficha demo --remove"] if count else []


def _count(url: str) -> int:
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        if not file.exists():
            return 0
        connection = sqlite3.connect(file)
        try:
            return int(connection.execute(DEMO_PEOPLE).fetchone()[0])
        finally:
            connection.close()
    import psycopg  # Not loaded where the database is SQLite.

    from ficha.core.postgres_address import libpq_url

    with psycopg.connect(libpq_url(url), connect_timeout=5) as postgres:
        row = postgres.execute(DEMO_PEOPLE).fetchone()
        return int(row[0]) if row else 0


def _pooler_faults(url: str) -> list[str]:
    """Nothing for a database that does not answer: whoever needs it says so."""
    if url.startswith("sqlite"):
        return []
    import psycopg  # Not loaded where the database is SQLite.

    from ficha.core.postgres_address import libpq_url

    def connect() -> "psycopg.Connection[tuple[Any, ...]]":
        return psycopg.connect(libpq_url(url), connect_timeout=5, options="-c lock_timeout=10s", autocommit=True)

    try:
        with connect() as one, connect() as other:
            for _ in range(ASKED_TIMES):
                first, second = (each.execute("SELECT pg_backend_pid()").fetchone() for each in (one, other))
                if first == second:
                    return [SHARED_SESSIONS]
            (lock_timeout,) = one.execute("SHOW lock_timeout").fetchone() or ("",)
            return [DROPPED_SETTINGS] if lock_timeout == "0" else []
    except psycopg.OperationalError as error:
        return [DROPPED_SETTINGS] if "unsupported startup parameter" in str(error) else []
