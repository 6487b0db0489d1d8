"""The read log: reads on the fast lane are written to a file at once and to the hash-chained log a moment later.

`docs/decisions/0007-read-log.md` says what survives what.
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
from sqlalchemy.orm import Session

from ficha.audit.log import RECORDS, AuditEntry, Fact, note_all
from ficha.audit.read_log_files import Sheet
from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.log import log

PERIOD_SECONDS = 0.5
# A transaction's worth: whoever writes something else does not wait long behind it.
BITE = 500
STOP_SECONDS = 10.0


class ReadNotLogged(FichaError):
    """Who cannot be written down is not answered."""

    status = 503
    code = "registro_no_disponible"
    message = "No se pudo anotar esta lectura, y sin anotarla no se muestra la ficha. Intente de nuevo en un momento."
    headers: Mapping[str, str] = {"Retry-After": "5"}


# Called in the transaction in which these entries enter the log, which holds the rows of their records.
Entered = Callable[[Session, Sequence[Fact]], None]


class ReadLog:
    def __init__(self, folder: Path, database: Database, entered: Entered | None = None) -> None:
        self._folder = folder
        self._database = database
        self._entered = entered
        self._sheet: Sheet | None = None
        self._turn = Lock()  # Held for one write, or for changing the sheet.
        self._draining = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None

    def note(
        self, record_id: int, actor: str, action: str, what: Sequence[str], at: datetime, *, via: str, origin: str
    ) -> None:
        """Once this returns, the end of the process no longer loses the entry. Waits for no database."""
        try:
            with self._turn:
                if self._sheet is None:
                    self._sheet = Sheet.new(self._folder)
                self._sheet.append(record_id, actor, action, what, at, via, origin)
        except OSError as error:
            with suppress(OSError):  # The disk that is full may be the log's as well.
                log().error("reads.not_noted", error=type(error).__name__, errno=error.errno)
            raise ReadNotLogged from error

    def drain(self) -> int:
        """Writes what waits to the database, and returns how many entries. A busy database, or a record that
        somebody is changing, leaves them for the next time. Call it outside any transaction."""
        return self._round().written

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
        while not self._round().is_whole and time.monotonic() < deadline:
            time.sleep(0.05)

    @property
    def is_alive(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _keep_draining(self) -> None:
        while not self._stopping.wait(PERIOD_SECONDS):
            try:
                self.drain()
            except Exception as error:  # Nothing may end this thread: the files would only grow.
                log().error("reads.drain_failed", error=type(error).__name__)

    def _round(self) -> "_Round":
        with self._draining:
            round_ = _Round(self._database, self._entered)
            ours = self._change_sheet()
            try:
                if ours is not None:
                    ours.flush()
                with closing(Sheet.left_in(self._folder)) as left:
                    for sheet in left:
                        round_.take(sheet)
                if ours is not None:
                    round_.take(ours)
            except (OperationalError, OSError) as error:  # TimeoutError, for SQLite's turn, is an OSError.
                round_.is_whole = False
                log().warning("reads.not_drained", error=type(error).__name__)
            finally:
                if ours is not None:
                    ours.close()
            return round_

    def _change_sheet(self) -> Sheet | None:
        """The sheet with what was noted until now, which nobody writes to any more."""
        is_last = self._stopping.is_set()
        if self._sheet is None or (self._sheet.is_empty and not is_last):
            return None
        fresh: Sheet | None = None
        if not is_last:
            try:
                fresh = Sheet.new(self._folder)  # Made here, so that the event loop does not have to.
            except OSError as error:  # Then `note` tries, and answers for it.
                log().warning("reads.no_new_file", error=type(error).__name__)
        with self._turn:
            full, self._sheet = self._sheet, fresh
        return full


class _Round:
    """One pass over the files. A record that was passed over stays so to its end, which keeps its entries in order."""

    def __init__(self, database: Database, entered: Entered | None) -> None:
        self._database = database
        self._entered = entered
        self._passed_over: set[int] = set()
        self.written = 0
        self.is_whole = True

    def take(self, sheet: Sheet) -> None:
        try:
            is_whole = self._write(sheet)
        except OperationalError:
            raise
        except SQLAlchemyError as error:  # What is wrong with one file must not keep the others waiting.
            log().error("reads.file_refused", file=sheet.path.name, error=type(error).__name__)
            is_whole = False
        if is_whole:
            sheet.remove()
        else:
            self.is_whole = False

    def _write(self, sheet: Sheet) -> bool:
        """Whether all of it is in the database now."""
        facts = sheet.facts()
        is_whole = True
        while bite := list(islice(facts, BITE)):
            with self._database.writing() as session:
                self._passed_over |= _held_by_others(session, {fact.record_id for fact in bite})
                known = _known(session, bite)
                free = [fact for fact in bite if fact.record_id not in self._passed_over]
                new = [fact for fact in free if fact.uid not in known]
                note_all(session, new)
                if self._entered is not None and new:
                    self._entered(session, new)
            self.written += len(new)
            is_whole = is_whole and len(free) == len(bite)
        return is_whole


def _held_by_others(session: Session, records: set[int]) -> set[int]:
    """Takes the rows of these records, without waiting, and returns those it did not get.

    Waiting could end in a deadlock with a request that changes several records. An erased record has a row still;
    where there is none, the unique index keeps two entries from one place. SQLite's lock is on everything already.
    """
    ids = RECORDS.c.id
    free = select(ids).where(ids.in_(records)).order_by(ids).with_for_update(key_share=True, skip_locked=True)
    others = records.difference(session.scalars(free).all())
    return set(session.scalars(select(ids).where(ids.in_(others))).all()) if others else set()


def _known(session: Session, facts: list[Fact]) -> set[str | None]:
    """A process that died between writing entries and removing their file leaves them in both."""
    uids = [fact.uid for fact in facts]
    return set(session.scalars(select(AuditEntry.uid).where(AuditEntry.uid.in_(uids))).all())
