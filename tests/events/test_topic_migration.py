"""What was written for a negative account number, before there were topics, is for the topic of that sticker."""

from alembic import command
from sqlalchemy import text

from ficha.core.db import Database
from ficha.migrations import alembic_config

BEFORE = "20261115_05"
INSERT = text("INSERT INTO events (xid, at, account_id, kind, payload) VALUES (0, '2026-11-15', :account, 'x', '{}')")


def test_negative_account_numbers_become_topics(database: Database) -> None:
    with database.engine.connect() as connection, connection.begin() as transaction:
        connection.execute(text("DROP INDEX ix_events_topic_position"))
        connection.execute(text("ALTER TABLE events DROP COLUMN topic"))
        connection.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": BEFORE})
        connection.execute(INSERT, [{"account": account} for account in (7, -7, -1904221833, None)])
        command.upgrade(alembic_config(connection), "20261115_06")
        rows = connection.execute(text("SELECT account_id, topic FROM events ORDER BY id")).all()
        transaction.rollback()  # The PostgreSQL database is shared with other tests.
    assert rows == [(7, None), (-7, "sticker:7"), (-1904221833, "sticker:1904221833"), (None, None)]
