"""Asks for the job that empties SQLite's write-ahead log, where what was erased is until then."""

from ficha.core.transaction import Transaction
from ficha.jobs.queue import put

EMPTY_WAL = "borrado.diario"


def put_empty_wal(tx: Transaction) -> None:
    put(tx, EMPTY_WAL, {}, key=EMPTY_WAL)
