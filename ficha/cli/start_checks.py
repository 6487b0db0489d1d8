"""What a process looks at before it starts: each fault is one sentence, and all of them are told at once."""

import sqlite3
import stat
from importlib.util import find_spec
from pathlib import Path

import typer

from ficha.core.settings import InsecureSettings, Settings, laptop_values

DEMO_PEOPLE = "SELECT count(*) FROM accounts WHERE correo LIKE '%@demo.example'"
# As ficha/core/live_processes.py counts them.
WORKERS = "SELECT count(*) FROM processes WHERE runs_jobs AND seen_at > "
SQLITE_WORKERS = WORKERS + "strftime('%Y-%m-%d %H:%M:%f', 'now', '-30 seconds')"
POSTGRES_WORKERS = WORKERS + "clock_timestamp() - interval '30 seconds'"
NO_WORKER = (
    "No worker is alive: nobody is alerted and nothing is sent until one runs. Start `ficha worker` beside this server,"
    " or set FICHA_JOBS_IN_SERVER=true."
)
TRACES_MISSING = (
    "FICHA_TRACES_URL is set, but OpenTelemetry is not installed. Install it with `pip install 'ficha[traces]'`,"
    " or leave the setting empty."
)


def refuse_unfit(settings: Settings) -> None:
    """Raises InsecureSettings if production has values, files or people that are fit for development only; BadKeys."""
    faults = laptop_values(settings)
    faults += _missing_traces(settings)
    if settings.in_production:
        faults += [*_open_files(settings), *_demo_people(settings)]
    if faults:
        raise InsecureSettings("\n".join(faults))
    if settings.in_production and not settings.master_keys.get_secret_value():
        from ficha.core.crypto import Keyring  # A server in development starts without loading it here.

        Keyring.from_file(settings.key_path, in_production=True)


def warn_without_worker(settings: Settings) -> None:
    """Nobody is alerted then, and the pages look as if all were well."""
    if settings.runs_jobs_in_server:
        return
    is_sqlite = settings.database.startswith("sqlite")
    try:
        count = _count(settings.database, SQLITE_WORKERS if is_sqlite else POSTGRES_WORKERS)
    except Exception:  # As below.
        return
    if not count:
        typer.secho(NO_WORKER, fg="yellow", err=True)


def _missing_traces(settings: Settings) -> list[str]:
    if not settings.traces_url:
        return []
    try:
        is_there = find_spec("opentelemetry.exporter.otlp.proto.http") and find_spec("opentelemetry.sdk")
    except ModuleNotFoundError:
        is_there = None
    return [] if is_there else [TRACES_MISSING]


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
        count = _count(settings.database, DEMO_PEOPLE)
    except Exception:  # Unreachable or not migrated: whoever needs it says so.
        return []
    return [f"{count} demo people are in the database. Run: ficha demo --remove"] if count else []


def _count(url: str, query: str) -> int:
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        if not file.exists():
            return 0
        connection = sqlite3.connect(file)
        try:
            return int(connection.execute(query).fetchone()[0])
        finally:
            connection.close()
    import psycopg  # Not loaded where the database is SQLite.

    with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as postgres:
        row = postgres.execute(query).fetchone()
        return int(row[0]) if row else 0
