"""One request, one transaction: opened when first needed, committed or rolled back by what serves the operation.

An operation asks for the writer or for the reader, not for both: two connections a request can starve each other.
"""

from sqlalchemy.orm import Session

from ficha.core.db import Database


class RequestTransaction:
    """A session for writing and one for reading, each made when an operation first asks for it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer: Session | None = None
        self._reader: Session | None = None

    @property
    def writer(self) -> Session:
        if self._writer is None:
            self._writer = self._database.session()
        return self._writer

    @property
    def reader(self) -> Session:
        """Sees what is committed, and locks nothing."""
        if self._reader is None:
            self._reader = self._database.session(writes=False)
        return self._reader

    def commit(self) -> None:
        if self._writer is not None and self._writer.in_transaction():
            self._writer.commit()

    def close(self) -> None:
        """Rolls back what was not committed."""
        for session in (self._writer, self._reader):
            if session is not None:
                session.close()
