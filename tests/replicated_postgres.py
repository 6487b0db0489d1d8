"""Two PostgreSQL servers: a primary and a replica that streams from it. Either can be stopped, and replaying paused."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.databases import POSTGRES_15, SERVER_SETTINGS, server_folder

# A replica looks for its primary again.
SOON = "wal_retrieve_retry_interval=100ms"


@dataclass
class PostgresServer:
    """Nobody reaches it but through the socket in its folder."""

    folder: Path

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def start(self) -> None:
        settings = " ".join(f"-c {setting}" for setting in (*SERVER_SETTINGS, SOON))
        self.run(
            "pg_ctl",
            "-w",
            "-t",
            "300",
            "-l",
            str(self.folder / "log"),
            "-o",
            f"-k {self.folder} -h '' {settings}",
            "start",
        )

    def stop(self) -> None:
        self.run("pg_ctl", "-m", "immediate", "stop")

    def do(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)

    def run(self, program: str, *words: str) -> None:
        command = [str(POSTGRES_15 / program), "-D", str(self.folder / "data"), *words]
        # PostgreSQL refuses to run as root; this user comes with it.
        user = "postgres" if os.getuid() == 0 else None
        subprocess.run(command, user=user, check=True, stdout=subprocess.DEVNULL, cwd=self.folder)


@dataclass
class ReplicatedPostgres:
    primary: PostgresServer
    replica: PostgresServer

    @contextmanager
    def replaying_paused(self) -> Iterator[None]:
        """The replica receives what happens, and shows nothing of it."""
        self.replica.do("SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            self.replica.do("SELECT pg_wal_replay_resume()")

    @contextmanager
    def without(self, server: PostgresServer) -> Iterator[None]:
        server.stop()
        try:
            yield
        finally:
            server.start()


@contextmanager
def replicated_postgres() -> Iterator[ReplicatedPostgres]:
    with server_folder() as above:
        servers = []
        for name in ("primary", "replica"):
            folder = above / name
            folder.mkdir()
            if os.getuid() == 0:
                shutil.chown(folder, "postgres")
            servers.append(PostgresServer(folder))
        primary, replica = servers
        primary.run("initdb", "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8")
        primary.start()
        try:
            source = f"host={primary.folder} user=postgres"
            replica.run("pg_basebackup", "-d", source, "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
            replica.start()
            try:
                yield ReplicatedPostgres(primary, replica)
            finally:
                replica.stop()
        finally:
            primary.stop()
