"""Publishing: with the change itself or not at all, one row for each receiver."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from ficha.core.db import Database
from ficha.events.events import Event
from ficha.events.publish import PRUNE_BATCH, prune_events, publish
from ficha.events.statements import newest

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def stored(database: Database) -> list[tuple[int | str | None, str, Any]]:
    """For whom each row is (account or topic, none for staff), its kind and its payload."""
    with database.reading() as tx:
        rows = tx.orm.scalars(select(Event).order_by(Event.id))
        return [(row.account_id or row.topic, row.kind, row.payload) for row in rows]


def test_each_account_and_topic_gets_one_row_and_staff_one_together(database: Database) -> None:
    with database.writing() as tx:
        publish(
            tx,
            "emergency.opened",
            {"id": 7, "state": "open"},
            NOW,
            accounts=[3, 1, 3],
            topics=["sticker:7", "sticker:7"],
            staff=True,
        )
    payload = {"id": 7, "state": "open"}
    assert stored(database) == [
        (1, "emergency.opened", payload),
        (3, "emergency.opened", payload),
        ("sticker:7", "emergency.opened", payload),
        (None, "emergency.opened", payload),
    ]


def test_an_event_for_nobody_is_not_written(database: Database) -> None:
    with database.writing() as tx:
        publish(tx, "record.read", {"id": 7}, NOW)
    assert stored(database) == []


def test_a_rollback_publishes_nothing(database: Database) -> None:
    with pytest.raises(RuntimeError), database.writing() as tx:
        publish(tx, "record.read", {"id": 7}, NOW, accounts=[1])
        raise RuntimeError
    assert stored(database) == []


def test_a_savepoint_that_is_rolled_back_publishes_nothing(database: Database) -> None:
    with database.writing() as tx:
        publish(tx, "record.read", {"id": 1}, NOW, accounts=[1])
        with pytest.raises(RuntimeError), tx.savepoint():
            publish(tx, "record.read", {"id": 2}, NOW, accounts=[1])
            raise RuntimeError
        with tx.savepoint():
            publish(tx, "record.read", {"id": 3}, NOW, accounts=[1])
    assert [payload["id"] for _, _, payload in stored(database)] == [1, 3]


def test_old_events_are_pruned_and_the_newest_stays_to_mark_the_position(database: Database) -> None:
    with database.writing() as tx:
        for number in range(5):
            publish(tx, "record.read", {"id": number}, NOW + timedelta(days=number), accounts=[1])
    with database.writing() as tx:
        assert prune_events(tx, NOW + timedelta(days=2)) == 2
    assert [payload["id"] for _, _, payload in stored(database)] == [2, 3, 4]
    with database.reading() as tx:
        before = newest(tx)
    with database.writing() as tx:
        assert prune_events(tx, NOW + timedelta(days=30)) == 2
        assert prune_events(tx, NOW + timedelta(days=30)) == 0
        assert newest(tx) == before


def test_pruning_goes_on_past_the_first_batch(database: Database) -> None:
    with database.writing() as tx:
        publish(tx, "record.read", {}, NOW, accounts=range(1, PRUNE_BATCH * 2 + 100))
        tx.orm.execute(update(Event).where(Event.account_id > PRUNE_BATCH * 2).values(at=NOW + timedelta(days=9)))
    with database.writing() as tx:
        assert prune_events(tx, NOW + timedelta(days=1)) == PRUNE_BATCH * 2
        assert tx.orm.scalar(select(func.count()).select_from(Event)) == 99


def test_postgresql_is_told_once_per_transaction(database: Database) -> None:
    told: list[str] = []
    database.on_statement = lambda sql: told.append(sql) if "pg_notify" in sql else None
    with database.writing() as tx:
        for number in range(5):
            publish(tx, "emergency.opened", {"id": number}, NOW, staff=True)
    assert len(told) == (0 if database.is_sqlite else 1)
    assert len(stored(database)) == 5
