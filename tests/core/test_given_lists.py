"""A list as one value of a prepared statement: the same rows as SQLAlchemy's own IN, by the same index."""

from sqlalchemy import select

from ficha.core.db import Base, Database
from ficha.core.given_lists import one_of
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
