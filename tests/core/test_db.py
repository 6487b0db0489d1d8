"""What both databases must do alike."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import literal_column, select, text
from sqlalchemy.exc import DBAPIError, StatementError

from ficha.accounts.tokens import caller_with
from ficha.core.db import Database
from ficha.core.postgres_address import driver_url
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secret
from ficha.core.transaction import Transaction

pytestmark = pytest.mark.oldest_postgresql


def test_times_keep_their_moment_and_come_back_in_utc(database: Database) -> None:
    caracas = datetime(2026, 11, 15, 8, 0, tzinfo=timezone(timedelta(hours=-4)))
    with database.writing() as tx:
        tx.orm.add(Secret(name="x", created_at=caracas))
    with database.reading() as tx:
        found = tx.orm.get_one(Secret, "x").created_at
    assert found == caracas and found.tzinfo == UTC


def test_a_time_without_a_zone_is_refused(database: Database) -> None:
    naive = datetime(2026, 11, 15)  # noqa: DTZ001
    with pytest.raises(StatementError), database.writing() as tx:
        tx.orm.add(Secret(name="x", created_at=naive))


def test_what_raises_is_undone(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.writing() as tx:
        tx.orm.add(Secret(name="x", created_at=datetime.now(UTC)))
        tx.orm.flush()
        1 / 0  # noqa: B018
    with database.reading() as tx:
        assert tx.orm.get(Secret, "x") is None


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


def test_connections_that_the_server_closed_are_not_used(database: Database) -> None:
    """As after a restart of the database: all that the pool holds are dead, and nobody notices."""
    if database.is_sqlite:
        return
    with database.reading() as one, database.writing() as two:
        pids = [tx.orm.scalar(text("SELECT pg_backend_pid()")) for tx in (one, two)]
    outside = Database(database.url)
    with outside.reading() as tx:
        for pid in pids:  # Waits until it is gone.
            assert tx.orm.scalar(text("SELECT pg_terminate_backend(:pid, 10000)"), {"pid": pid})
    outside.close()
    for writes in (False, True):
        with database.transaction(writes=writes) as tx:
            assert tx.orm.scalar(text("SELECT 1")) == 1


WAYS: dict[str, Callable[[Transaction], object]] = {
    "on the driver": lambda tx: caller_with(tx, "1|nobody", datetime.now(UTC), staff_second_factor=False),
    "with the ORM": lambda tx: tx.orm.scalars(select(Secret.name)).all(),
}
USES = text(
    "SELECT coalesce(sum(generic_plans + custom_plans), 0) FROM pg_prepared_statements"
    " WHERE statement NOT LIKE '%pg_prepared_statements%'"
)


@pytest.mark.parametrize("is_by_us", [True, False], ids=["refused by us", "refused by the database"])
@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
def test_what_is_undone_leaves_statements_prepared(
    database: Database, ask: Callable[[Transaction], object], is_by_us: bool
) -> None:
    if database.is_sqlite:  # Its statements are ready in a moment.
        return
    with pytest.raises((KeyError, DBAPIError)), database.writing() as tx:
        for _ in range(10):
            ask(tx)
        if not is_by_us:
            tx.first(Prepared(select(literal_column("1 / 0").label("never"))))
        raise KeyError
    with database.writing() as tx:
        before = tx.orm.scalars(USES).one()
        ask(tx)
        assert tx.orm.scalars(USES).one() == before + 1


def test_readers_see_what_is_committed_and_lock_nothing(database: Database) -> None:
    with database.writing() as tx:
        tx.orm.add(Secret(name="x", created_at=datetime.now(UTC)))
    with database.reading() as reader:
        assert reader.orm.get_one(Secret, "x")
        with database.writing() as writer:
            writer.orm.delete(writer.orm.get_one(Secret, "x"))
        reader.give_back()
        assert reader.orm.get(Secret, "x") is None
