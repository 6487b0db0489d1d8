"""Prepared statements: part of the session's transaction, with SQLAlchemy's types and errors, on both databases."""

import pytest
from sqlalchemy import bindparam, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.pool import QueuePool

from ficha.accounts.accounts import Account, Token
from ficha.accounts.statements import read_account
from ficha.accounts.tokens import Caller, caller_with, issue_token
from ficha.core.db import Base
from ficha.core.prepared import Prepared
from ficha.describe import prepared_statements
from tests.world import World

TOKENS = Base.metadata.tables[Token.__tablename__]
COUNT = Prepared(select(func.count().label("count")).select_from(TOKENS))
ACCOUNTS = Base.metadata.tables[Account.__tablename__]


def test_every_statement_fits_the_tables(world: World) -> None:
    """The database explains each without running it, and the columns that come are those that are read."""
    found = dict(prepared_statements())
    assert len(found) > 100
    with world.parts.database.reading() as tx:
        connection = tx.connection()
        driver = connection.connection.driver_connection
        assert driver is not None
        for name, statement in found.items():
            if statement.only not in (None, connection.dialect.name):
                continue
            compiled = statement.compiled_for(connection.dialect)
            values = compiled.parameters({asked: 1 if asked == "most" else None for asked in compiled.names})
            assert driver.execute(f"EXPLAIN {compiled.sql}", values).fetchall(), name
            # The lane takes its rows as they come.
            if not name.startswith("fastlane") and compiled.read is not None and compiled.sql.startswith("SELECT"):
                cursor = driver.execute(compiled.sql, values)
                row = compiled.read([None] * len(cursor.description))
                assert [column[0] for column in cursor.description] == list(row._fields), name


def test_it_is_part_of_the_sessions_transaction(world: World) -> None:
    maria = world.register()
    with world.parts.database.transaction() as tx:
        account = tx.orm.get_one(Account, maria.id)
        before = tx.first(COUNT).count
        issue_token(tx, account, world.clock.now(), 60)
        assert tx.first(COUNT).count == before + 1
        tx.rollback()
        assert tx.first(COUNT).count == before


def test_what_the_orm_holds_is_written_first(world: World) -> None:
    maria = world.register()
    with world.parts.database.transaction() as tx:
        tx.orm.get_one(Account, maria.id).nombre = "María Cambiada"
        assert read_account(tx, maria.id).nombre == "María Cambiada"


def test_values_have_the_types_that_the_orm_gives_them(world: World) -> None:
    maria = world.register()
    now = world.clock.now()
    with world.parts.database.transaction() as tx:
        written = issue_token(tx, tx.orm.get_one(Account, maria.id), now, 60)
        token = tx.orm.get_one(Token, written.id)
        assert (token.created_at, token.expires_at, token.last_used_at) == (now, written.expires_at, None)
        assert isinstance(token.hash, bytes) and token.session_key == written.session_key
        facts, account = read_account(tx, maria.id), tx.orm.get_one(Account, maria.id)
        assert all(getattr(account, name) == value for name, value in facts._asdict().items())
        caller = caller_with(tx, written.text, now, staff_second_factor=False)
        assert caller == Caller(maria.id, written.id, written.session_key, frozenset(account.roles))


def test_a_refused_change_is_sqlalchemys_error_and_says_no_values(world: World) -> None:
    maria = world.register()
    twice = Prepared(
        insert(ACCOUNTS).from_select(
            ["id", *[column.key for column in ACCOUNTS.c if column.key != "id"]],
            select(ACCOUNTS.c.id + 1000, *[column for column in ACCOUNTS.c if column.key != "id"]).where(
                ACCOUNTS.c.correo == bindparam("correo")
            ),
        )
    )
    with world.parts.database.transaction() as tx, pytest.raises(IntegrityError) as refused:
        tx.run(twice, correo=maria.correo)
    assert maria.correo not in str(refused.value).split("DETAIL")[0]


def test_rows_are_counted(world: World) -> None:
    maria = world.register()
    mark = Prepared(
        TOKENS.update().where(TOKENS.c.account_id == bindparam("owner")).values(last_used_at=bindparam("moment"))
    )
    with world.parts.database.transaction() as tx:
        assert tx.changed(mark, owner=maria.id, moment=world.clock.now()) == 1
        assert tx.changed(mark, owner=maria.id + 1, moment=world.clock.now()) == 0


def test_a_change_is_made_for_each_of_many_values(world: World) -> None:
    maria, now = world.register(), world.clock.now()
    mark = Prepared(TOKENS.update().where(TOKENS.c.id == bindparam("token")).values(last_used_at=bindparam("moment")))
    with world.parts.database.transaction() as tx:
        account = tx.orm.get_one(Account, maria.id)
        ids = [issue_token(tx, account, now, 60).id for _ in range(3)]
        tx.run_many(mark, [{"token": id, "moment": now} for id in ids[:2]])
        found = tx.orm.execute(select(TOKENS.c.last_used_at).where(TOKENS.c.id.in_(ids)).order_by(TOKENS.c.id))
        assert list(found.scalars()) == [now, now, None]


def test_a_reader_has_one_connection_for_both_ways(world: World) -> None:
    pool = world.parts.database.engine.pool
    assert isinstance(pool, QueuePool)
    before = pool.checkedout()
    with world.parts.database.reading() as tx:
        for _ in range(2):
            tx.first(COUNT)
            assert pool.checkedout() - before == 1
            tx.orm.scalars(select(Account)).all()
            assert pool.checkedout() - before == 1
    assert pool.checkedout() == before


def test_a_reader_sees_what_was_committed_meanwhile(world: World) -> None:
    world.register()
    with world.parts.database.reading() as tx:
        before = tx.first(COUNT).count
        world.register()
        assert tx.first(COUNT).count == before + 1


def test_a_value_that_the_statement_does_not_know_is_refused(world: World) -> None:
    """Else whoever misspells a condition, or gives one to a statement without it, changes more than was meant."""
    of_owner = Prepared(select(TOKENS.c.id).where(TOKENS.c.account_id == bindparam("owner"), TOKENS.c.id > 0))
    mark = Prepared(TOKENS.update().where(TOKENS.c.id == bindparam("token")).values(last_used_at=bindparam("moment")))
    row = {"token": 1, "moment": world.clock.now()}
    with world.parts.database.transaction() as tx:
        with pytest.raises(TypeError, match="no value named live"):
            tx.all(of_owner, owner=1, live=True)
        with pytest.raises(TypeError, match="no value named id_1"):
            tx.first(of_owner, owner=1, id_1=5)  # The statement's own.
        with pytest.raises(KeyError, match="owner"):
            tx.all(of_owner, holder=1)
        with pytest.raises(TypeError, match="no value named holder"):
            tx.run(mark, **row, holder=1)
        with pytest.raises(TypeError, match="no value named holder"):
            tx.run_many(mark, [row, row | {"holder": 1}])
