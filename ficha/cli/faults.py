"""Why a command cannot do its work, as one sentence that names the true cause, for whatever a command may raise."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ficha.cli.opened_parts import NotMigrated, WrongUser
from ficha.cli.port_owner import PortRefused

if TYPE_CHECKING:
    from pydantic import ValidationError

# 1: run it again when that is mended. 2: the command or the settings must change.
TRY_AGAIN, CHANGE_SOMETHING = 1, 2


class CommandFault(NamedTuple):
    sentence: str
    exit_code: int


LOCKED = CommandFault(
    "{database} is locked: others have been writing for too long. What was not finished is undone: run it again.",
    TRY_AGAIN,
)
FULL = CommandFault(
    "The disk of {where} is full. What was not finished is undone: make room, then run it again.", TRY_AGAIN
)
NO_RIGHT = CommandFault("This user may not do that in {database}: {reason}.", CHANGE_SOMETHING)
DAMAGED = CommandFault(
    "{database} is damaged, or is no database: {reason}. `ficha restore` puts a backup back.", TRY_AGAIN
)
OTHER_TABLES = CommandFault(
    "The tables of {database} are not those of this version. Run `ficha migrate`.", CHANGE_SOMETHING
)
DISK_FAILS = CommandFault("The disk of {where} cannot be read or written: {reason}.", TRY_AGAIN)
READ_ONLY = CommandFault("{database} is read-only: for this user, or because its disk is.", TRY_AGAIN)
NO_ANSWER = CommandFault("PostgreSQL does not answer at {address}: {reason}.", TRY_AGAIN)
# What each database calls it, or how that begins; the first that fits counts.
BY_CODE = {
    "SQLITE_FULL": FULL,
    "SQLITE_BUSY": LOCKED,
    "SQLITE_LOCKED": LOCKED,
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_CANTOPEN": CommandFault("{database} cannot be opened: look at its folder, and who may use it.", TRY_AGAIN),
    "SQLITE_PERM": NO_RIGHT,
    "SQLITE_AUTH": NO_RIGHT,
    "SQLITE_CORRUPT": DAMAGED,
    "SQLITE_NOTADB": DAMAGED,
    "SQLITE_IOERR": DISK_FAILS,
    # https://www.postgresql.org/docs/current/errcodes-appendix.html
    "08": NO_ANSWER,
    "25006": CommandFault(
        "{database} is read-only: it is a standby, or was told so. Give the address of the primary.", TRY_AGAIN
    ),
    "40": LOCKED,
    "42501": CommandFault(
        "This user may not do that in {database}: {reason}. Whoever owns the database may (docs/running.md).",
        CHANGE_SOMETHING,
    ),
    "42P01": OTHER_TABLES,
    "42703": OTHER_TABLES,
    "53100": FULL,
    "53": CommandFault("{database} has no room for more work now: {reason}. Run it again later.", TRY_AGAIN),
    "55P03": LOCKED,
    "57014": LOCKED,
    "57P": NO_ANSWER,
    "58": DISK_FAILS,
    "XX001": DAMAGED,
    "XX002": DAMAGED,
}
REFUSED = CommandFault("{database} refuses the connection: {reason}.", CHANGE_SOMETHING)
NO_ADDRESS = CommandFault("FICHA_DATABASE_URL is not an address of SQLite or PostgreSQL.", CHANGE_SOMETHING)


@contextmanager
def faults_as_sentences() -> Iterator[None]:
    """What is raised within ends this process: a sentence and an exit code, or the traceback of a bug of ours."""
    try:
        yield
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        typer.secho(fault.sentence, fg="red", err=True)
        sys.exit(fault.exit_code)


def fault_of(error: Exception) -> CommandFault | None:
    """None for what is a bug of ours."""
    told_by = next((tell for kinds, tell in _kinds() if isinstance(error, kinds)), lambda _: None)
    return told_by(error)


def _kinds() -> list[tuple[tuple[type[Exception], ...], Callable[[Any], CommandFault | None]]]:
    """What a command may raise, and how each is told; the first that fits counts. Loaded for somebody who waits for a
    sentence, and not with every command."""
    from pydantic import ValidationError
    from sqlalchemy.exc import ArgumentError, DBAPIError
    from sqlalchemy.exc import TimeoutError as NoConnectionFree

    from ficha.backup.files import BackupRefused
    from ficha.core.crypto import Tampered
    from ficha.core.errors import FichaError
    from ficha.core.key_sources import BadKeys
    from ficha.core.secrets import KeyDestroyed
    from ficha.core.settings import InsecureSettings
    from ficha.core.writer_turns import WritersTimeout
    from ficha.migrations import DatabaseNewer

    return [
        ((BackupRefused,), lambda error: CommandFault(str(error), TRY_AGAIN)),
        ((FichaError,), lambda error: CommandFault("\n".join(one.detail for one in error.problems), TRY_AGAIN)),
        (
            (BadKeys, DatabaseNewer, InsecureSettings, NotMigrated, PortRefused, WrongUser),
            lambda error: CommandFault(str(error), CHANGE_SOMETHING),
        ),
        ((Tampered, KeyDestroyed), lambda _: _wrong_keys()),
        ((WritersTimeout, NoConnectionFree), lambda _: _told(LOCKED)),
        # A full disk, a folder that may not be written.
        ((OSError,), lambda error: CommandFault(f"{error.filename or 'ficha'}: {error.strerror or error}", TRY_AGAIN)),
        ((ValidationError,), _wrong_settings),
        ((ValueError,), _wrong_value),
        ((ArgumentError, ModuleNotFoundError), lambda _: None if _is_known(_database_url()) else NO_ADDRESS),
        ((DBAPIError,), lambda error: _driver_fault(error.orig)),
        ((Exception,), _driver_fault),
    ]


WRONG_KEYS = (
    "does not open what the database holds: it is another's, or something there was altered. "
    "Give the keys that this database was made with."
)


def _wrong_keys() -> CommandFault:
    from ficha.core.settings import Settings

    settings = Settings()
    source = str(settings.key_path)
    if settings.master_keys.get_secret_value():
        source = "FICHA_MASTER_KEYS"
    elif settings.master_keys_command.get_secret_value():
        source = "What FICHA_MASTER_KEYS_COMMAND prints"
    return CommandFault(f"{source} {WRONG_KEYS}", CHANGE_SOMETHING)


def _wrong_settings(wrong: "ValidationError") -> CommandFault | None:
    from ficha.core.settings import Settings

    if wrong.title != Settings.__name__:
        return None
    lines = []
    for error in wrong.errors(include_input=False, include_url=False):
        name = f"FICHA_{'_'.join(map(str, error['loc'][:1])).upper()}"
        lines.append(f"{name}: {error['msg']}.")
    return CommandFault("\n".join(lines), CHANGE_SOMETHING)


def _wrong_value(error: ValueError) -> CommandFault | None:
    """Of a setting that a channel cannot use."""
    return CommandFault(str(error), CHANGE_SOMETHING) if str(error).startswith("FICHA_") else None


def _driver_fault(driver: Any) -> CommandFault | None:
    """What sqlite3 or psycopg raised."""
    if not {kind.__module__.partition(".")[0] for kind in type(driver).__mro__} & {"sqlite3", "psycopg"}:
        return None
    code = getattr(driver, "sqlite_errorname", None) or getattr(driver, "sqlstate", None)
    if code is None:
        return _without_code(driver, _database_url())
    if code == "SQLITE_ERROR" and "no such" in str(driver):
        return _told(OTHER_TABLES)
    found = _disk_fault(code) or next((fault for name, fault in BY_CODE.items() if code.startswith(name)), None)
    return None if found is None else _told(found, driver)


def _disk_fault(code: str) -> CommandFault | None:
    """SQLite needs a file beside its own, and says only that it cannot open or make that."""
    from ficha.core.disks import is_full, is_read_only

    if not code.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN")):
        return None
    folder = Path(_database_url().removeprefix("sqlite:///")).parent
    if is_read_only(folder):
        return READ_ONLY
    return FULL if is_full(folder) else None


def _without_code(driver: Any, url: str) -> CommandFault | None:
    """PostgreSQL gives none to whoever could not connect, or lost the connection."""
    import psycopg

    try:
        psycopg.conninfo.conninfo_to_dict(_libpq(url))
    except psycopg.Error:
        return NO_ADDRESS
    if not isinstance(driver, psycopg.OperationalError):
        return None
    return _told(REFUSED if "FATAL:" in str(driver) else NO_ANSWER, driver, url)


def _told(fault: CommandFault, driver: object = "", url: str = "") -> CommandFault:
    url = url or _database_url()
    # 'connection to server at "127.0.0.1", port 5432 failed: Connection refused'
    first = next(iter(str(driver).strip().splitlines()), "")
    reason = first.rpartition("failed: ")[2].removeprefix("FATAL:").strip().rstrip(".")
    if url.startswith("sqlite"):
        address, where = "", url.removeprefix("sqlite:///")
        database = f"The database {where}"
    else:
        address = _address(url)
        where = database = f"PostgreSQL at {address}"
    said = fault.sentence.format(address=address, where=where, database=database, reason=reason)
    return CommandFault(said, fault.exit_code)


def _address(url: str) -> str:
    """Hosts and ports, and never the password."""
    import psycopg

    given = psycopg.conninfo.conninfo_to_dict(_libpq(url))
    hosts = str(given.get("host") or given.get("hostaddr") or os.environ.get("PGHOST") or "localhost").split(",")
    ports = str(given.get("port") or os.environ.get("PGPORT") or 5432).split(",")
    return ", ".join(f"{host}:{ports[min(number, len(ports) - 1)]}" for number, host in enumerate(hosts))


def _database_url() -> str:
    from ficha.core.settings import Settings

    return Settings().database


def _is_known(url: str) -> bool:
    return url.startswith(("sqlite:", "postgres"))


def _libpq(url: str) -> str:
    return url.replace("+psycopg", "", 1)
