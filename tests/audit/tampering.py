"""Changes the log as somebody with the database's password could: without the triggers that forbid it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import text

from ficha.core.db import Database
from ficha.core.transaction import Transaction

TABLES = ("audit_entries", "audit_anchors")
TRIGGERS = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'"


@contextmanager
def tampering_with(database: Database) -> Iterator[Transaction]:
    with database.writing() as tx:
        if database.is_sqlite:
            triggers = tx.orm.execute(text(TRIGGERS)).all()
            for trigger in triggers:
                tx.orm.execute(text(f"DROP TRIGGER {trigger.name}"))
            yield tx
            for trigger in triggers:
                tx.orm.execute(text(trigger.sql))
        else:
            for table in TABLES:
                tx.orm.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
            yield tx
            for table in TABLES:
                tx.orm.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
