"""What both databases must do alike."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import text
from sqlalchemy.exc import StatementError

from ficha.core.db import Database, driver_url
from ficha.core.secrets import Secret

pytestmark = pytest.mark.oldest_postgresql


def test_times_keep_their_moment_and_come_back_in_utc(database: Database) -> None:
    caracas = datetime(2026, 11, 15, 8, 0, tzinfo=timezone(timedelta(hours=-4)))
    with database.writing() as session:
        session.add(Secret(name="x", created_at=caracas))
    with database.reading() as session:
        found = session.get_one(Secret, "x").created_at
    assert found == caracas and found.tzinfo == UTC


def test_a_time_without_a_zone_is_refused(database: Database) -> None:
    naive = datetime(2026, 11, 15)  # noqa: DTZ001
    with pytest.raises(StatementError), database.writing() as session:
        session.add(Secret(name="x", created_at=naive))


def test_what_raises_is_undone(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.writing() as session:
        session.add(Secret(name="x", created_at=datetime.now(UTC)))
        session.flush()
        1 / 0  # noqa: B018
    with database.reading() as session:
        assert session.get(Secret, "x") is None


def test_sqlite_is_set_up_to_survive(database: Database) -> None:
    if not database.is_sqlite:
        return
    with database.engine.connect() as connection:
        found = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous", "secure_delete", "busy_timeout")
        }
    assert found == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "secure_delete": 1,
        "busy_timeout": 10000,
    }


def test_addresses_are_written_as_people_write_them() -> None:
    assert driver_url("postgresql://a/b") == driver_url("postgres://a/b") == "postgresql+psycopg://a/b"
    assert driver_url("sqlite:///x.db") == "sqlite:///x.db"
