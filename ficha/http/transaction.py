"""One request, one transaction: opened when first needed, committed or rolled back by what serves the operation.

An operation asks for the writer or for the reader, not for both: two connections a request can starve each other.
"""

from ficha.core.db import Database
from ficha.core.transaction import Transaction


class RequestTransaction:
    """A transaction for writing and one for reading, each made when an operation first asks for it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer: Transaction | None = None
        self._reader: Transaction | None = None

    @property
    def writer(self) -> Transaction:
        if self._writer is None:
            self._writer = self._database.transaction()
        return self._writer

    @property
    def reader(self) -> Transaction:
        """Sees what is committed, and locks nothing."""
        if self._reader is None:
            self._reader = self._database.transaction(writes=False)
        return self._reader

    def commit(self) -> None:
        if self._writer is not None:
            self._writer.commit()

    def close(self) -> None:
        """Rolls back what was not committed."""
        for tx in (self._writer, self._reader):
            if tx is not None:
                tx.rollback()
