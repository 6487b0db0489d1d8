"""Asks for the job that empties SQLite's write-ahead log, where what was erased is until then."""

from sqlalchemy.orm import Session

from ficha.jobs.queue import put

EMPTY_WAL = "borrado.diario"


def put_empty_wal(session: Session) -> None:
    put(session, EMPTY_WAL, {}, key=EMPTY_WAL)
