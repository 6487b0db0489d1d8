"""What a process looks at before it starts: each fault is one sentence, and all of them are told at once."""

import sqlite3
import stat
from pathlib import Path

from ficha.core.settings import InsecureSettings, Settings, laptop_values

DEMO_PEOPLE = "SELECT count(*) FROM accounts WHERE correo LIKE '%@demo.example'"


def refuse_unfit(settings: Settings) -> None:
    """Raises InsecureSettings if production has values, files or people that are fit for development only; BadKeys."""
    faults = laptop_values(settings)
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
