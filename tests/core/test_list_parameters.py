"""A list or rows as one value of a prepared statement: the same rows as SQLAlchemy's own IN, by the same index; and
whatever is given is what is stored, in its order."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from ficha.audit.chain import AuditEntry
from ficha.core.db import Base, Database
from ficha.core.list_parameters import insert_rows, one_of, rows_value
from ficha.core.prepared import Prepared
from ficha.messaging.tables import SendBudget, Thread
from tests.world import World

BUDGETS, THREADS = (Base.metadata.tables[each.__tablename__] for each in (SendBudget, Thread))
BY_TEXT = Prepared(select(BUDGETS.c.name).where(one_of(BUDGETS.c.name, "names")).order_by(BUDGETS.c.name))
BY_NUMBER = Prepared(select(THREADS.c.id).where(one_of(THREADS.c.id, "ids")))


def test_a_list_of_any_length_finds_its_rows(world: World) -> None:
    names = ["a", "b'; --", "ñ"]
    with world.parts.database.writing() as tx:
        tx.orm.add_all(SendBudget(name=name, tokens=1, at=world.clock.now()) for name in names)
        for asked in ([], ["b'; --"], ["ñ", "a", "none"], names * 400):
            found = [row.name for row in tx.all(BY_TEXT, names=asked)]
            assert found == sorted(set(asked) & set(names), key=names.index)
        assert tx.all(BY_NUMBER, ids=[2**40, 1]) == []


def test_sqlite_searches_by_the_index(database: Database) -> None:
    if not database.is_sqlite:
        return  # A planner that knows how few rows there are may well read them all.
    with database.reading() as tx:
        connection = tx.connection()
        for statement in (BY_TEXT, BY_NUMBER):
            compiled = statement.compiled_for(connection.dialect)
            driver = connection.connection.driver_connection
            assert driver is not None
            plan = driver.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", ("[]",)).fetchall()
            assert plan[0][3].startswith("SEARCH"), plan


ENTRIES = Base.metadata.tables[AuditEntry.__tablename__]
COLUMNS = ("record_id", "at", "actor", "action", "what", "uid", "seq", "previous", "hash")
INSERT = insert_rows(ENTRIES, COLUMNS)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# PostgreSQL keeps no NUL in text, and no half of a pair.
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
BYTES = st.binary(min_size=32, max_size=32)
TIMES = st.integers(0, 4 * 10**15).map(lambda microseconds: EPOCH + timedelta(microseconds=microseconds))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(TIMES, WORDS, st.lists(WORDS, max_size=3), st.none() | WORDS, BYTES), max_size=5))
def test_rows_are_stored_as_they_were_given(
    world: World, said: list[tuple[datetime, str, list[str], str | None, bytes]]
) -> None:
    rows = [
        dict(
            zip(
                COLUMNS, (7, at, actor, "x", what, f"{n}{uid}"[:32] if uid else None, n, b"\0" * 32, hash_), strict=True
            )
        )
        for n, (at, actor, what, uid, hash_) in enumerate(said, start=1)
    ]
    with world.parts.database.transaction() as tx:
        if rows:
            tx.run(INSERT, rows=rows_value(rows))
        query = select(*(ENTRIES.c[name] for name in COLUMNS)).where(ENTRIES.c.record_id == 7).order_by(ENTRIES.c.id)
        assert [dict(row) for row in tx.orm.execute(query).mappings()] == rows
