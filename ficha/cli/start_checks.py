"""What a process looks at before it starts: each fault is one sentence, and all of them are told at once."""

import sqlite3
import stat
from pathlib import Path
from typing import Any, LiteralString

from ficha.core.key_sources import BadKeys, KeyFile, key_source_of
from ficha.core.settings import InsecureSettings, Settings, laptop_values

WRAPPING_KEY = "SELECT id FROM master_keys WHERE wraps_since IS NOT NULL ORDER BY wraps_since DESC LIMIT 1"
DEMO_PEOPLE = "SELECT count(*) FROM accounts WHERE correo LIKE '%@demo.example'"


def refuse_unfit(settings: Settings) -> None:
    """Raises InsecureSettings if production has values, files or people that are fit for development only; BadKeys."""
    faults = laptop_values(settings)
    if settings.in_production:
        faults += [*_open_files(settings), *_demo_people(settings)]
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

    with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as postgres:
        row = postgres.execute(query).fetchone()
        return row[0] if row else None
