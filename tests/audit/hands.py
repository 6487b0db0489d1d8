"""Somebody with the database's own password, who takes the guard away, changes the log, and puts the guard back."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text
from sqlalchemy.orm import Session

from ficha.core.db import Database

TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_entries'"


@contextmanager
def by_hand(database: Database) -> Iterator[Session]:
    with database.writing() as session:
        if database.is_sqlite:
            triggers = session.execute(text(TRIGGERS)).all()
            for trigger in triggers:
                session.execute(text(f"DROP TRIGGER {trigger.name}"))
            yield session
            for trigger in triggers:
                session.execute(text(trigger.sql))
        else:
            session.execute(text("ALTER TABLE audit_entries DISABLE TRIGGER USER"))
            yield session
            session.execute(text("ALTER TABLE audit_entries ENABLE TRIGGER USER"))
