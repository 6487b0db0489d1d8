"""Changes the log as somebody with the database's password could: without the triggers that forbid it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text
from sqlalchemy.orm import Session

from ficha.core.db import Database

TABLES = ("audit_entries", "audit_anchors")
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'"


@contextmanager
def tampering_with(database: Database) -> Iterator[Session]:
    with database.writing() as session:
        if database.is_sqlite:
            triggers = session.execute(text(TRIGGERS)).all()
            for trigger in triggers:
                session.execute(text(f"DROP TRIGGER {trigger.name}"))
            yield session
            for trigger in triggers:
                session.execute(text(trigger.sql))
        else:
            for table in TABLES:
                session.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
            yield session
            for table in TABLES:
                session.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
