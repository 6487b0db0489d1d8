"""What a process looks at before it starts: each fault is one sentence, and all of them are told at once."""

import sqlite3
import stat
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import typer

from ficha.cli.unknown_settings import unknown_settings
from ficha.core.key_sources import BadKeys, KeyFile, key_source_of
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
# Of the 128 that a Health Link's address has at most, `/shl/` and the secret take 48. Written here because who knows
# both (ficha/exchange/health_links) loads the database's library, and this process is to stay small.
MOST_ADDRESS_LETTERS = 80
LONG_ADDRESS = (
    "FICHA_BASE_URL has {letters} letters. It may have {most} at most: with a longer one nobody could share a record,"
    " because the address in a Health Link ends after 128 letters."
)
WRAPPING_KEY = "SELECT id FROM master_keys WHERE wraps_since IS NOT NULL ORDER BY wraps_since DESC LIMIT 1"
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
    """Raises InsecureSettings if production has values, files or people that are fit for development only or names that
    are no settings, of which others are warned; or if the database is behind a pooler that we cannot work through, a
    file that a setting names is faulty, or the public address is too long for Health Links; BadKeys."""
    faults = [*laptop_values(settings), *_pooler_faults(settings.database)]
    faults += [*_missing_traces(settings), *_faulty_issuers(settings), *_long_address(settings)]
    unknown = unknown_settings()
    if settings.in_production:
        faults += [*_open_files(settings), *_demo_people(settings), *unknown]
    for sentence in unknown if not settings.in_production else ():
        typer.secho(sentence, fg="yellow", err=True)
    if faults:
        raise InsecureSettings("\n".join(faults))
    _refuse_other_keys(settings)


def _refuse_other_keys(settings: Settings) -> None:
    """A machine that lacks the key under which the data are would answer nobody. Raises BadKeys."""
    source = key_source_of(settings)
    is_made_now = isinstance(source, KeyFile) and not settings.in_production and not source.file.exists()
    keys = {} if is_made_now else source.load()
    try:
        wrapping = _first_value(settings.database, WRAPPING_KEY)
    except Exception:  # Unreachable or not migrated: whoever needs it says so.
        return
    if wrapping is not None and wrapping not in keys:
        raise BadKeys(
            f"The database is under master key {wrapping}, which is not in {source.name}. Bring the keys of the other"
            " machines here (docs/keys.md)."
        )


def warn_without_worker(settings: Settings) -> None:
    """Nobody is alerted then, and the pages look as if all were well."""
    if settings.runs_jobs_in_server:
        return
    is_sqlite = settings.database.startswith("sqlite")
    try:
        count = _first_value(settings.database, SQLITE_WORKERS if is_sqlite else POSTGRES_WORKERS)
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


def _faulty_issuers(settings: Settings) -> list[str]:
    if not settings.trusted_issuers_file:
        return []
    from ficha.exchange.trusted_issuers import TrustedIssuersFaulty, trusted_issuers  # Only where a file is set.

    try:
        trusted_issuers(settings)
    except TrustedIssuersFaulty as fault:
        return [f"FICHA_TRUSTED_ISSUERS_FILE: {fault}."]
    return []


def _long_address(settings: Settings) -> list[str]:
    if len(settings.public_url) <= MOST_ADDRESS_LETTERS:
        return []
    return [LONG_ADDRESS.format(letters=len(settings.public_url), most=MOST_ADDRESS_LETTERS)]


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
        count = _first_value(settings.database, DEMO_PEOPLE)
    except Exception:  # Unreachable or not migrated: whoever needs it says so.
        return []
    return [f"{count} demo people are in the database. Run: ficha demo --remove"] if count else []


def _first_value(url: str, query: LiteralString) -> Any:
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        if not file.exists():
            return None
        connection = sqlite3.connect(file)
        try:
            row = connection.execute(query).fetchone()
            return row[0] if row else None
        finally:
            connection.close()
    import psycopg  # Not loaded where the database is SQLite.

    from ficha.core.postgres_address import libpq_url

    with psycopg.connect(libpq_url(url), connect_timeout=5) as postgres:
        row = postgres.execute(query).fetchone()
        return row[0] if row else None


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
