"""Point-in-time recovery: a primary and its disk are destroyed, and a new one is made of backup and archive."""

import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.accounts.login import hash_clave
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.enrolment.registration import NewPerson, register
from ficha.parts import Parts, build_parts
from proof.people import CLAVE
from proof.programs import bin_dir
from proof.service import environment, run_ficha

# What is not archived yet is lost with the disk: a segment is archived when it is full, and this often.
ARCHIVE_SECONDS = 5
# The copy itself, and the server's turns.
BOUND_SECONDS = ARCHIVE_SECONDS + 5
WRITE_SECONDS = 20.0
SETTINGS = f"""
archive_mode = on
archive_timeout = {ARCHIVE_SECONDS}
archive_command = 'test ! -f {{archive}}/%f && cp %p {{archive}}/%f.tmp && mv {{archive}}/%f.tmp {{archive}}/%f'
"""


@dataclass(frozen=True)
class Recovery:
    """`lost_seconds`: how long before the disk was destroyed the first acknowledged write was made that is missing."""

    writes: int
    lost: int
    lost_seconds: float
    restored_seconds: float
    # Of the recovery to a moment: what was acknowledged before it and is missing, what was begun after it and is there.
    missing_before: int
    there_after: int


class Primary:
    """One PostgreSQL with an archive of its log in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.data, self._socket = folder / name, folder / f"{name}-socket"
        self.archive, self.base = folder / "archive", folder / "base"
        self.url = f"postgresql://postgres@/postgres?host={self._socket}"

    def create(self) -> None:
        for path in (self._socket, self.archive):
            path.mkdir(exist_ok=True)
            shutil.chown(path, "postgres")
        self._run("initdb", "-D", str(self.data), "--username=postgres", "--auth=trust", "--encoding=UTF8")
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.write(SETTINGS.format(archive=self.archive))
        self.start()

    def back_up(self) -> None:
        self._run("pg_basebackup", "-h", str(self._socket), "-U", "postgres", "-D", str(self.base), "-c", "fast", "-Xs")

    def restore(self, until: datetime | None = None) -> None:
        """To the end of the archive, or to this moment."""
        self._socket.mkdir(exist_ok=True)
        shutil.chown(self._socket, "postgres")
        self._run("cp", "-a", str(self.base), str(self.data))
        target = f"recovery_target_time = '{until.isoformat()}'\n" if until else ""
        with (self.data / "postgresql.auto.conf").open("a") as file:
            file.write(f"archive_mode = off\nrestore_command = 'cp {self.archive}/%f %p'\n{target}")
            file.write("recovery_target_action = promote\n")
        (self.data / "recovery.signal").touch()
        shutil.chown(self.data / "recovery.signal", "postgres")
        self.start()
        while self._query("SELECT pg_is_in_recovery()") != "f":
            time.sleep(0.2)

    def start(self) -> None:
        options = f"-k {self._socket} -h ''"
        self._run("pg_ctl", "-D", str(self.data), "-w", "-t", "120", "-l", f"{self.data}.log", "-o", options, "start")

    def destroy(self) -> None:
        """The processes and the disk, with what was not archived."""
        subprocess.run(["kill", "-9", (self.data / "postmaster.pid").read_text().split()[0]], check=True)
        shutil.rmtree(self.data)

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", "immediate", "stop")

    def _query(self, sql: str) -> str:
        return self._run("psql", "-h", str(self._socket), "-U", "postgres", "-Atc", sql).strip()

    def _run(self, name: str, *words: str) -> str:
        found = bin_dir() / name
        command = [str(found) if found.exists() else name, *words]
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        # To files: a server that is started keeps what it was given open.
        with (self.archive.parent / "recovery.log").open("a+") as log:
            begun = log.seek(0, os.SEEK_END)
            subprocess.run(command, check=True, stdout=log, stderr=log, user="postgres", env=env, cwd="/")
            log.seek(begun)
            return log.read()


def recover(folder: Path) -> Recovery:
    folder.mkdir()
    folder.chmod(0o755)
    shutil.chown(folder, "postgres")
    first = Primary(folder, "first")
    first.create()
    run_ficha("migrate", env=environment(first.url, folder / "data"))
    parts = build_parts(Settings(database_url=first.url, data_dir=folder / "data"))
    parts.secrets.ensure_root()
    first.back_up()
    writes = _write(parts)
    parts.database.close()
    destroyed_at = time.time()
    first.destroy()
    begun = time.monotonic()
    second = Primary(folder, "second")
    second.restore()
    found = _correos(second.url)
    restored_seconds = time.monotonic() - begun
    lost = [at for correo, (_, at) in writes.items() if correo not in found]
    run_ficha("audit", "verify", env=environment(second.url, folder / "data"))
    second.stop()
    moment = min(begun for begun, _ in writes.values()) + WRITE_SECONDS / 2
    third = Primary(folder, "third")
    third.restore(datetime.fromtimestamp(moment, UTC))
    then = _correos(third.url)
    third.stop()
    return Recovery(
        len(writes),
        len(lost),
        destroyed_at - min(lost) if lost else 0.0,
        restored_seconds,
        sum(at < moment and correo not in then for correo, (_, at) in writes.items()),
        sum(begun > moment and correo in then for correo, (begun, _) in writes.items()),
    )


def _write(parts: Parts) -> dict[str, tuple[float, float]]:
    """Registers people; when each was begun, and when it was acknowledged."""
    clave, writes = hash_clave(CLAVE), dict[str, tuple[float, float]]()
    until = time.monotonic() + WRITE_SECONDS
    while time.monotonic() < until:
        correo, begun = f"saved{len(writes)}@proof.example", time.time()
        with parts.database.writing() as tx:
            register(tx, NewPerson(correo=correo, clave_hash=clave, nombre="Ana"), parts.keyring, parts.clock.now())
        writes[correo] = begun, time.time()
        time.sleep(0.02)
    return writes


def _correos(url: str) -> set[str]:
    database = Database(url)
    with database.reading() as tx:
        found = set(tx.orm.scalars(select(Account.correo)))
    database.close()
    return found
