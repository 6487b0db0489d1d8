"""The read log's files: a line for each read, written before the answer leaves and kept until it is in the database.

A line is its checksum and its fields, separated by tabs. It begins with the newline, so that one cut short by a full
disk damages no other; the checksum shows which lines are incomplete, as the last one of a killed process may be.
"""

import errno
import fcntl
import os
import secrets
import time
import zlib
from collections.abc import Generator, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from weakref import finalize

from ficha.audit.chain import AuditEntry, LoggedFact
from ficha.core.db import Base
from ficha.core.log import log

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_columns = Base.metadata.tables[AuditEntry.__tablename__].c
WIDTHS: dict[str, int] = {name: _columns[name].type.length for name in ("actor", "action", "via", "origin")}  # type: ignore[attr-defined]
NARROWEST = min(WIDTHS.values())


class ReadLogFile:
    """One file of the read log. The process that writes or drains it has locked it; the lock ends with the process."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle
        self._uid_prefix = secrets.token_hex(8)
        self._numbers = count(1)
        # What this process wrote to it, so that it need not read that again; None for a file of another process.
        self._written: list[LoggedFact] | None = None
        self.close = finalize(self, os.close, handle)

    @classmethod
    def new(cls, folder: Path) -> "ReadLogFile":
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            # The names sort by age, so that entries are drained in about the order they were made.
            path = folder / f"{time.time_ns():020d}-{secrets.token_hex(4)}.reads"
            file = cls(path, os.open(path, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_RDWR | os.O_CLOEXEC, 0o600))
            if file._try_lock():
                file._written = []
                return file
            file.close()  # Another process took it for an abandoned file.

    @classmethod
    def abandoned_in(cls, folder: Path) -> Generator["ReadLogFile", None, None]:
        """Files that no process writes any more, oldest first; each is locked until the next is asked for."""
        for path in sorted(folder.glob("*.reads")):
            try:
                file = cls(path, os.open(path, os.O_RDWR | os.O_CLOEXEC))
            except FileNotFoundError:  # Drained by another process meanwhile.
                continue
            try:
                if file._try_lock():
                    yield file
            finally:
                file.close()

    def append(
        self, record_id: int, actor: str, action: str, what: Sequence[str], at: datetime, via: str, origin: str
    ) -> None:
        uid = f"{self._uid_prefix}{next(self._numbers):x}"
        microseconds = (at - EPOCH) // MICROSECOND
        text = "\t".join((uid, str(record_id), str(microseconds), actor, action, via, origin, *what))
        if text.count("\t") != 6 + len(what) or "\n" in text or "\0" in text:
            raise ValueError("a tab, a newline or a NUL where a name or an address belongs")
        fields = text.encode()
        line = b"\n%08x\t%b" % (zlib.crc32(fields), fields)
        if os.write(self._handle, line) != len(line):
            raise OSError(errno.ENOSPC, "the line was cut short")
        if self._written is not None:
            self._written.append(_fitting(LoggedFact(record_id, at, actor, action, what, via, origin, uid)))

    @property
    def is_empty(self) -> bool:
        return os.fstat(self._handle).st_size == 0

    def flush(self) -> None:
        """After this not even a power cut loses what was written; the end of the process never does."""
        os.fsync(self._handle)

    def facts(self) -> Iterator[LoggedFact]:
        return self._read_lines() if self._written is None else iter(self._written)

    def _read_lines(self) -> Iterator[LoggedFact]:
        torn = 0
        with self.path.open("rb") as lines:
            for line in lines:
                content = line.rstrip(b"\n")
                fact = _fact_in(content)
                if fact is not None:
                    yield fact
                elif content:
                    torn += 1
        if torn:  # They were not finished, so their reads were not answered.
            log().warning("reads.torn_lines", file=self.path.name, count=torn)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.close()

    def _try_lock(self) -> bool:
        """False if another process has locked it, or the file was removed before we had the lock."""
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return os.fstat(self._handle).st_nlink > 0


def _fact_in(line: bytes) -> LoggedFact | None:
    checksum, _, fields = line.partition(b"\t")
    if checksum != b"%08x" % zlib.crc32(fields):
        return None
    uid, record_id, microseconds, actor, action, via, origin, *what = fields.decode().split("\t")
    at = EPOCH + int(microseconds) * MICROSECOND
    return _fitting(LoggedFact(int(record_id), at, actor, action, what, via, origin, uid))


def _fitting(fact: LoggedFact) -> LoggedFact:
    """What is too long for its column would be refused for ever, and the whole file with it."""
    if max(len(fact.actor), len(fact.action), len(fact.via), len(fact.origin)) <= NARROWEST:
        return fact
    return fact._replace(**{name: getattr(fact, name)[:width] for name, width in WIDTHS.items()})
