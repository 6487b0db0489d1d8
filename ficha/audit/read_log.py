"""The read log: a read is written to a file before it is answered, and to the hash-chained log a moment later.

`docs/decisions/0007-read-log.md` says which failure loses what.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from itertools import islice
from pathlib import Path
from threading import Event, Lock, Thread

from sqlalchemy import select
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from ficha.audit.chain import AuditEntry, LoggedFact
from ficha.audit.log import note_all
from ficha.audit.read_log_files import ReadLogFile
from ficha.audit.statements import records_locked_by_others
from ficha.core.db import Database
from ficha.core.disks import can_be_written
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.core.transaction import Transaction

PERIOD_SECONDS = 0.5
# Entries in one transaction: few enough that other writers do not wait long for it.
BATCH = 500
STOP_SECONDS = 10.0
NOW_SECONDS = 1.0


class ReadNotLogged(FichaError):
    """Raised when a read could not be written to its file: it is not answered then."""

    status = 503
    code = "registro_no_disponible"
    message = "No se pudo anotar esta lectura, y sin anotarla no se muestra la ficha. Intente de nuevo en un momento."
    headers: Mapping[str, str] = {"Retry-After": "5"}


# Called in the transaction that writes these entries to the log, which has locked the rows of their records.
OnLogged = Callable[[Transaction, Sequence[LoggedFact]], None]


class ReadLog:
    def __init__(self, folder: Path, database: Database, on_logged: OnLogged | None = None) -> None:
        self._folder = folder
        self._database = database
        self._on_logged = on_logged
        self._file: ReadLogFile | None = None
        self._file_lock = Lock()  # Held for one write, or for switching the file.
        self._is_refused = False  # Whether the last read could not be noted.
        self._draining = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None

    def note(
        self, record_id: int, actor: str, action: str, what: Sequence[str], at: datetime, *, via: str, origin: str
    ) -> None:
        """Once this returns, the end of the process no longer loses the entry. Waits for no database."""
        try:
            with self._file_lock:
                if self._file is None:
                    self._file = ReadLogFile.new(self._folder)
                self._file.append(record_id, actor, action, what, at, via, origin)
            self._is_refused = False
        except OSError as error:
            self._is_refused = True
            with suppress(OSError):  # The disk that is full may be the log's as well.
                log().error("reads.not_noted", error=type(error).__name__, errno=error.errno)
            raise ReadNotLogged from error

    def drain(self) -> int:
        """Writes what waits in files to the database, and returns how many entries. What a busy database does not take,
        or belongs to a record that another transaction has locked, waits for the next time. Call it outside any
        transaction."""
        return self._drain_all().written

    def drain_now(self) -> None:
        """For whoever reads the log: drains, but does not wait long for a writer. The rest comes a moment later."""
        if self._database.is_writer_free(NOW_SECONDS) and self._draining.acquire(timeout=NOW_SECONDS):
            try:
                self._drain_files()
            finally:
                self._draining.release()

    def start(self) -> None:
        self._stopping.clear()
        self._thread = Thread(target=self._keep_draining, name="reads", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Drains everything. What the database does not take by then waits in its file for the next start."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        deadline = time.monotonic() + STOP_SECONDS
        while not self._drain_all().is_complete and time.monotonic() < deadline:
            time.sleep(0.05)

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    @property
    def can_note(self) -> bool:
        """Not after a read that could not be noted, until its folder can be written again: meanwhile this process
        shows no record, and others may."""
        if self._is_refused and can_be_written(self._folder):
            self._is_refused = False
        return self.is_alive and not self._is_refused

    def _keep_draining(self) -> None:
        while not self._stopping.wait(PERIOD_SECONDS):
            try:
                self.drain()
            except Exception as error:  # Nothing may end this thread: the files would only grow.
                log().error("reads.drain_failed", error=type(error).__name__)

    def _drain_all(self) -> "_Drain":
        with self._draining:
            return self._drain_files()

    def _drain_files(self) -> "_Drain":
        """The caller holds `_draining`."""
        drain = _Drain(self._database, self._on_logged)
        ours = self._switch_file()
        try:
            if ours is not None:
                ours.flush()
            with closing(ReadLogFile.abandoned_in(self._folder)) as abandoned:
                for file in abandoned:
                    drain.take(file, is_abandoned=True)
            if ours is not None:
                drain.take(ours, is_abandoned=False)
        except (OperationalError, OSError) as error:  # TimeoutError, for SQLite's write lock, is an OSError.
            drain.is_complete = False
            log().warning("reads.not_drained", error=type(error).__name__)
        finally:
            if ours is not None:
                ours.close()
        return drain

    def _switch_file(self) -> ReadLogFile | None:
        """Returns the file with what was noted until now, which nobody writes to any more."""
        is_last = self._stopping.is_set()
        if self._file is None or (self._file.is_empty and not is_last):
            return None
        fresh: ReadLogFile | None = None
        if not is_last:
            try:
                fresh = ReadLogFile.new(self._folder)  # Created here, so that the event loop does not have to.
            except OSError as error:  # Then `note` tries, and raises if it cannot.
                log().warning("reads.no_new_file", error=type(error).__name__)
        with self._file_lock:
            full, self._file = self._file, fresh
        return full


class _Drain:
    """One pass over the files. A record skipped once is skipped to the end, which keeps its entries in order."""

    def __init__(self, database: Database, on_logged: OnLogged | None) -> None:
        self._database = database
        self._on_logged = on_logged
        self._skipped_records: set[int] = set()
        self.written = 0
        self.is_complete = True

    def take(self, file: ReadLogFile, *, is_abandoned: bool) -> None:
        """An abandoned file may have been written to the database in part, or wholly."""
        try:
            is_complete = self._write(file, is_abandoned=is_abandoned)
        except OperationalError:
            raise
        except SQLAlchemyError as error:  # One bad file must not stop the others.
            log().error("reads.file_refused", file=file.path.name, error=type(error).__name__)
            is_complete = False
        if is_complete:
            file.remove()
        else:
            self.is_complete = False

    def _write(self, file: ReadLogFile, *, is_abandoned: bool) -> bool:
        """Returns whether all of it is in the database now."""
        facts = file.facts()
        is_complete = True
        while batch := list(islice(facts, BATCH)):
            with self._database.writing() as tx:
                self._skipped_records |= records_locked_by_others(tx, {fact.record_id for fact in batch})
                known = _already_logged(tx, batch) if is_abandoned else set()
                free = [fact for fact in batch if fact.record_id not in self._skipped_records]
                new = [fact for fact in free if fact.uid not in known]
                note_all(tx, new)
                if self._on_logged is not None and new:
                    self._on_logged(tx, new)
            self.written += len(new)
            is_complete = is_complete and len(free) == len(batch)
        return is_complete


def _already_logged(tx: Transaction, facts: list[LoggedFact]) -> set[str | None]:
    """A process that died between writing entries and removing their file leaves them in both."""
    uids = [fact.uid for fact in facts]
    return set(tx.orm.scalars(select(AuditEntry.uid).where(AuditEntry.uid.in_(uids))).all())
