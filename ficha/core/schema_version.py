"""Whether a database has the newest shape, found out without loading the tools that change it."""

import sqlite3
from importlib.util import find_spec
from pathlib import Path


def newest_version() -> str:
    """Migrations are files named by date and number, and so is their revision."""
    package = find_spec("ficha")
    assert package is not None and package.origin is not None
    files = Path(package.origin).parent.joinpath("migrations", "versions").glob("[0-9]*.py")
    return max("_".join(file.name.split("_")[:2]) for file in files)


def is_at_newest(url: str) -> bool:
    """False whenever in doubt: the slow way decides then."""
    try:
        return _shape_of(url) == newest_version()
    except Exception:
        return False


def _shape_of(url: str) -> str | None:
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

        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5) as session:
            row = session.execute(query).fetchone()
    return row[0] if row else None
