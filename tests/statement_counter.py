"""Counts the statements and transactions of a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import current_thread

from ficha.core.db import Database


@dataclass
class Counted:
    """`texts` says which statements, for whoever wonders; beginnings and ends are not in it."""

    statements: int = 0
    transactions: int = 0
    texts: list[str] = field(default_factory=list)

    def note(self, sql: str) -> None:
        if current_thread().name.endswith("housekeeper"):  # Its heartbeats come whenever they come.
            return
        word = sql.lstrip().partition(" ")[0].rstrip(";").upper()
        if word == "BEGIN":
            self.transactions += 1
        elif word != "COMMIT":
            self.statements += 1
            self.texts.append(" ".join(sql.split())[:150])


@contextmanager
def count_statements(database: Database) -> Iterator[Counted]:
    """Of all transactions that begin before the end of the block."""
    counted = Counted()
    database.on_statement = counted.note
    try:
        yield counted
    finally:
        database.on_statement = None
