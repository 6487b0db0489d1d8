"""How far a database was migrated, read without loading Alembic, which would slow down every start."""

import re
import sqlite3
from contextlib import closing
from enum import Enum, auto
from importlib.util import find_spec
from pathlib import Path

REVISION = re.compile(r'^(down_revision|revision)(?:: .*?)? = (?:"(\w+)"|None)$', re.MULTILINE)

VERSION = "SELECT version_num FROM alembic_version"


class SchemaState(Enum):
    MISSING = auto()
    OLDER = auto()
    CURRENT = auto()
    NEWER = auto()


def schema_versions() -> dict[str, str]:
    """Every migration's revision, and the one that it follows ('' for the first). Their numbers need not be in order:
    who made two at the same time puts one behind the other."""
    package = find_spec("ficha")
    assert package is not None and package.origin is not None
    files = Path(package.origin).parent.joinpath("migrations", "versions").glob("[0-9]*.py")
    said = (dict(REVISION.findall(file.read_text())) for file in files)
    return {each["revision"]: each["down_revision"] for each in said}


def schema_state(url: str) -> SchemaState:
    """Raises the driver's errors: a database that cannot be read may well be current."""
    return state_of(_in_sqlite(url) if url.startswith("sqlite") else _in_postgres(url))


def state_of(version: str | None) -> SchemaState:
    """A revision that this version of Ficha does not know was made by a later one."""
    versions = schema_versions()
    if version is None:
        return SchemaState.MISSING
    if version not in versions:
        return SchemaState.NEWER
    return SchemaState.OLDER if version in versions.values() else SchemaState.CURRENT


def _in_sqlite(url: str) -> str | None:
    file = Path(url.removeprefix("sqlite:///"))
    if not file.exists():
        return None
    with closing(sqlite3.connect(file)) as connection:
        try:
            row = connection.execute(VERSION).fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_ERROR":
                raise
            return None  # It has no such table.
    return row[0] if row else None


def _in_postgres(url: str) -> str | None:
    import psycopg  # noqa: PLC0415

    from ficha.core.postgres_address import libpq_url  # noqa: PLC0415

    with psycopg.connect(libpq_url(url), connect_timeout=5) as connection:
        try:
            row = connection.execute(VERSION).fetchone()
        except psycopg.errors.UndefinedTable:
            return None
    return row[0] if row else None
