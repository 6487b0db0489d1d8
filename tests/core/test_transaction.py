"""A transaction: prepared statements and the ORM share it, whichever comes first."""

from threading import Thread
from traceback import format_exception

import pytest
from sqlalchemy import bindparam, delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidRequestError, OperationalError
from sqlalchemy.orm import Session

from ficha.core.db import Base, Database
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secret
from ficha.core.transaction import Transaction
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

SECRETS = Base.metadata.tables[Secret.__tablename__]
WRITE = Prepared(insert(SECRETS), columns=("name", "created_at"))
FIND = Prepared(select(SECRETS.c.name).where(SECRETS.c.name == bindparam("wanted")))
ACCOUNTS = Base.metadata.tables["accounts"]
MOVE = Prepared(update(ACCOUNTS).where(ACCOUNTS.c.id == bindparam("account_id")), columns=("correo_key",))
DELETE = Prepared(delete(SECRETS).where(SECRETS.c.name == bindparam("unwanted")))


@pytest.fixture
def database(world: World) -> Database:
    return world.parts.database


def write(tx: Transaction, name: str, *, by_orm: bool = False) -> None:
    if by_orm:
        tx.orm.add(Secret(name=name, created_at=tx.now()))
    else:
        tx.run(WRITE, name=name, created_at=tx.now())


def names(database: Database) -> set[str]:
    with database.reading() as tx:
        return {name for name in ("first", "second", "third") if tx.first(FIND, wanted=name) is not None}


@pytest.mark.parametrize("by_orm", [(False, True), (True, False), (False, False), (True, True)])
def test_both_ways_are_committed_together_or_not_at_all(database: Database, by_orm: tuple[bool, bool]) -> None:
    with database.transaction() as tx:
        write(tx, "first", by_orm=by_orm[0])
        write(tx, "second", by_orm=by_orm[1])
        tx.rollback()
        assert names(database) == set()
        write(tx, "first", by_orm=by_orm[0])
        write(tx, "second", by_orm=by_orm[1])
        assert names(database) == set(), "nothing is committed yet"
        tx.commit()
        assert names(database) == {"first", "second"}
        write(tx, "third", by_orm=by_orm[1])
    assert names(database) == {"first", "second"}, "left without a commit"


def test_the_orm_is_an_ordinary_session_that_commits_nothing(database: Database) -> None:
    with database.transaction() as tx:
        write(tx, "first", by_orm=True)
        assert type(tx.orm) is Session
        tx.orm.commit()
        assert names(database) == set()
        write(tx, "second")
        tx.commit()
    assert names(database) == {"first", "second"}


@pytest.mark.parametrize("by_orm", [False, True])
def test_a_savepoint_undoes_what_is_in_it_and_no_more(database: Database, by_orm: bool) -> None:
    with database.transaction() as tx:
        write(tx, "first", by_orm=by_orm)
        with pytest.raises(ZeroDivisionError), tx.savepoint():
            write(tx, "second", by_orm=by_orm)
            tx.orm.flush()
            1 / 0  # noqa: B018
        write(tx, "third", by_orm=by_orm)
        tx.commit()
    assert names(database) == {"first", "third"}


def test_a_refused_change_in_a_savepoint_leaves_the_rest_alone(database: Database) -> None:
    with database.writing() as tx:
        write(tx, "first")
        for by_orm in (False, True):
            with pytest.raises(IntegrityError), tx.savepoint():
                write(tx, "first", by_orm=by_orm)
                tx.orm.flush()
        write(tx, "second")
    assert names(database) == {"first", "second"}


def test_after_a_flush_that_failed_nothing_more_is_written(database: Database) -> None:
    """The transaction is gone by then: on SQLite a statement would be committed by itself."""
    with database.transaction() as tx:
        write(tx, "first")
        write(tx, "first", by_orm=True)
        with pytest.raises(IntegrityError):
            tx.orm.flush()
        with pytest.raises(InvalidRequestError, match="rolled back"):
            write(tx, "second")
        tx.rollback()
        write(tx, "third")
        tx.commit()
    assert names(database) == {"third"}


def test_a_call_before_the_commit_is_part_of_it_and_made_once(database: Database) -> None:
    def add(tx: Transaction) -> None:
        write(tx, "second", by_orm=True)

    with database.writing() as tx:
        write(tx, "first")
        tx.before_commit(add)
        tx.before_commit(add)
    assert names(database) == {"first", "second"}


def test_a_call_after_the_commit_sees_it_done_and_the_next_may_write(database: Database) -> None:
    seen: list[set[str]] = []

    def look() -> None:
        assert database.is_writer_free()
        seen.append(names(database))

    with database.writing() as tx:
        write(tx, "first")
        tx.after_commit(look)
        tx.after_commit(look)
        with pytest.raises(ZeroDivisionError), tx.savepoint():
            raise ZeroDivisionError
        assert seen == []
    assert seen == [{"first"}]


def test_a_rollback_forgets_the_calls(database: Database) -> None:
    calls: list[str] = []
    with database.transaction() as tx:
        write(tx, "first")
        tx.before_commit(lambda _tx: calls.append("before"))
        tx.after_commit(lambda: calls.append("after"))
        tx.rollback()
        write(tx, "second")
        tx.commit()
    assert calls == [] and names(database) == {"second"}


@pytest.mark.parametrize("by_orm", [False, True])
def test_a_commit_that_the_database_refuses_lets_others_write(database: Database, by_orm: bool) -> None:
    with pytest.raises((IntegrityError, OperationalError)), database.writing() as tx:
        write(tx, "first", by_orm=by_orm)
        connection = tx.connection()
        assert database.is_writer_free() is not database.is_sqlite
        if database.is_sqlite:
            connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
            connection.exec_driver_sql("INSERT INTO entries VALUES (-1, 'cuerpo', 1, 1, x'00', '2026-01-01')")
        else:
            own = connection.execute(select(func.pg_backend_pid())).scalar_one()
            with database.engine.connect() as other:
                other.execute(select(func.pg_terminate_backend(own, 5000)))
    assert database.is_writer_free()
    with database.writing() as tx:
        write(tx, "second", by_orm=by_orm)
    assert database.is_writer_free() and names(database) == {"second"}


def test_what_goes_together_is_written_in_its_order_and_counted_when_asked(database: Database) -> None:
    with database.writing() as tx:
        with tx.together():
            write(tx, "first")
            write(tx, "second")
            assert tx.changed(DELETE, unwanted="first") == 1
            assert tx.changed(DELETE, unwanted="first") == 0
            assert tx.first(FIND, wanted="second").name == "second"
            with tx.together():
                write(tx, "third")
            with pytest.raises(InvalidRequestError, match="together"):
                _ = tx.orm
        assert tx.first(FIND, wanted="third").name == "third"
    assert names(database) == {"second", "third"}


def test_what_fails_together_is_raised_by_the_end_of_the_block(database: Database) -> None:
    with database.transaction() as tx:
        with pytest.raises(IntegrityError), tx.together():
            write(tx, "first")
            write(tx, "first")
        tx.rollback()
        write(tx, "second")
        tx.commit()
    assert names(database) == {"second"}


def test_each_statement_is_told_before_it_runs_whoever_runs_it(database: Database) -> None:
    told: list[str] = []
    database.on_statement = told.append
    try:
        with database.writing() as tx:
            write(tx, "first")
            write(tx, "second", by_orm=True)
            tx.orm.flush()
    finally:
        database.on_statement = None
    words = [sql.split()[0] for sql in told]
    assert words == ["BEGIN", "INSERT", "INSERT", "COMMIT"]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # SQLite's cannot be lost.
def test_a_lost_connection_is_told_as_such_and_not_used_again(database: Database) -> None:
    with pytest.raises(DBAPIError) as lost, database.writing() as tx:
        own = tx.connection().execute(text("SELECT pg_backend_pid()")).scalar_one()
        with database.engine.connect() as other:
            other.execute(select(func.pg_terminate_backend(own, 5000)))
        write(tx, "first")
    assert lost.value.connection_invalidated
    with database.writing() as tx:
        write(tx, "second")
    assert names(database) == {"second"}


def test_one_writer_at_a_time_waits_for_its_turn(database: Database) -> None:
    def write_third() -> None:
        with database.writing() as tx:
            write(tx, "third")

    other = Thread(target=write_third)
    with database.writing() as tx:
        write(tx, "first")
        other.start()
        write(tx, "second", by_orm=True)
    other.join()
    assert names(database) == {"first", "second", "third"}


@pytest.mark.parametrize("by_orm", [False, True])
def test_an_error_does_not_quote_the_row_that_was_refused(world: World, *, by_orm: bool) -> None:
    """It may be logged, with all that it was caused by."""
    ana, luis = world.register(), world.register()
    taken = {"id": luis.id, "correo_key": ana.correo}
    with pytest.raises(IntegrityError) as refused, world.parts.database.writing() as tx:
        if by_orm:
            tx.orm.execute(text("UPDATE accounts SET correo_key = :correo_key WHERE id = :id"), taken)
        else:
            tx.run(MOVE, account_id=luis.id, correo_key=ana.correo)
    error = refused.value
    assert "correo_key" in str(error) and error.__cause__ is not None
    for line in (str(error), str(error.orig), str(error.__cause__), *format_exception(error)):
        assert ana.correo not in line
