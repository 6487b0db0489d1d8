"""Whether a database has the newest schema, read without loading Alembic, which would slow down every start."""

import re
import sqlite3
from importlib.util import find_spec
from pathlib import Path

REVISION = re.compile(r'^(down_revision|revision)(?:: .*?)? = (?:"(\w+)"|None)$', re.MULTILINE)


def schema_versions() -> dict[str, str]:
    """Every migration's revision, and the one that it follows ('' for the first). Their numbers need not be in order:
    who made two at the same time puts one behind the other."""
    package = find_spec("ficha")
    assert package is not None and package.origin is not None
    files = Path(package.origin).parent.joinpath("migrations", "versions").glob("[0-9]*.py")
    said = (dict(REVISION.findall(file.read_text())) for file in files)
    return {each["revision"]: each["down_revision"] for each in said}


def newest_schema_version() -> str:
    """The revision that no other follows."""
    versions = schema_versions()
    [newest] = versions.keys() - versions.values()
    return newest


def is_schema_current(url: str) -> bool:
    """False also when it cannot be read: Alembic decides then."""
    try:
        return _schema_version_of(url) == newest_schema_version()
    except Exception:
        return False


def _schema_version_of(url: str) -> str | None:
    query = "SELECT version_num FROM alembic_version"
    if url.startswith("sqlite"):
        file = Path(url.removeprefix("sqlite:///"))
        if not file.exists():
            return None
        connection = sqlite3.connect(file)
        try:
            row = connection.execute(query).fetchone()
        finally:
            connection.close()
    else:
        import psycopg  # noqa: PLC0415

        from ficha.core.postgres_address import libpq_url  # noqa: PLC0415

        with psycopg.connect(libpq_url(url), connect_timeout=5) as postgres:
            row = postgres.execute(query).fetchone()
    return row[0] if row else None
