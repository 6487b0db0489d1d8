"""A session that writes: prepared statements and the ORM share one transaction, whichever comes first."""

import pytest
from sqlalchemy import bindparam, event, func, insert, select
from sqlalchemy.exc import IntegrityError, InvalidRequestError, OperationalError
from sqlalchemy.orm import Session

from ficha.core.after_commit import call_after_commit, call_before_commit
from ficha.core.db import Base, Database
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secret
from ficha.core.sessions import WritingSession
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

SECRETS = Base.metadata.tables[Secret.__tablename__]
WRITE = Prepared(insert(SECRETS), columns=("name", "created_at"))
FIND = Prepared(select(SECRETS.c.name).where(SECRETS.c.name == bindparam("wanted")))


@pytest.fixture
def database(world: World) -> Database:
    return world.parts.database


def write(session: Session, name: str, *, by_orm: bool) -> None:
    now = session.info["ficha_clock"].now()
    if by_orm:
        session.add(Secret(name=name, created_at=now))
    else:
        WRITE.run(session, name=name, created_at=now)


def names(database: Database) -> set[str]:
    with database.reading() as session:
        return {name for name in ("first", "second", "third") if FIND.first(session, wanted=name) is not None}


@pytest.mark.parametrize("by_orm", [(False, True), (True, False), (False, False)])
def test_both_ways_are_committed_together_or_not_at_all(database: Database, by_orm: tuple[bool, bool]) -> None:
    with database.session() as session:
        write(session, "first", by_orm=by_orm[0])
        write(session, "second", by_orm=by_orm[1])
        session.rollback()
        assert not session.in_transaction() and names(database) == set()
        write(session, "first", by_orm=by_orm[0])
        assert session.in_transaction()
        write(session, "second", by_orm=by_orm[1])
        assert names(database) == set(), "nothing is committed yet"
        session.commit()
        assert not session.in_transaction() and names(database) == {"first", "second"}
        write(session, "third", by_orm=by_orm[1])
    assert names(database) == {"first", "second"}, "closed without a commit"


def test_a_savepoint_undoes_what_is_in_it_and_no_more(database: Database) -> None:
    with database.session() as session:
        write(session, "first", by_orm=False)
        with pytest.raises(ZeroDivisionError), session.begin_nested():
            write(session, "second", by_orm=False)
            1 / 0  # noqa: B018
        write(session, "third", by_orm=False)
        session.commit()
    assert names(database) == {"first", "third"}


def test_a_call_before_the_commit_may_use_the_orm(database: Database) -> None:
    with database.session() as session:
        write(session, "first", by_orm=False)
        call_before_commit(session, lambda session: write(session, "second", by_orm=True))
        session.commit()
    assert names(database) == {"first", "second"}


def test_what_has_begun_is_not_begun_again(database: Database) -> None:
    with database.session() as session:
        write(session, "first", by_orm=False)
        with pytest.raises(InvalidRequestError):
            session.begin()
        session.commit()
        with session.begin():
            write(session, "second", by_orm=False)
    assert names(database) == {"first", "second"}


def test_others_may_write_once_the_orm_has_committed_even_if_that_failed(database: Database) -> None:
    """Let in a moment earlier, the next writer would meet SQLite's lock, and sleep."""
    seen: list[bool] = []

    def fail_once(_connection: object) -> None:
        seen.append(database.is_writer_free)
        if len(seen) == 1:
            raise TimeoutError

    event.listen(database.engine, "commit", fail_once)
    try:
        with pytest.raises(TimeoutError), database.writing() as session:
            write(session, "first", by_orm=True)
        assert database.is_writer_free
        with database.writing() as session:
            write(session, "second", by_orm=True)
    finally:
        event.remove(database.engine, "commit", fail_once)
    assert database.is_writer_free and names(database) == {"second"}
    if database.is_sqlite:
        assert seen == [False, False]


def test_others_may_write_once_the_driver_has_committed_even_if_that_failed(database: Database) -> None:
    """The same without the ORM, with a commit that the database itself refuses."""
    with pytest.raises((IntegrityError, OperationalError)), database.writing() as session:
        write(session, "first", by_orm=False)
        assert isinstance(session, WritingSession) and database.is_writer_free is not database.is_sqlite
        driver = session.line().driver
        if database.is_sqlite:
            driver.execute("PRAGMA defer_foreign_keys=ON")
            driver.execute("INSERT INTO entries VALUES (-1, 'cuerpo', 1, 1, x'00', '2026-01-01')")
        else:
            with database.engine.connect() as other:
                other.execute(select(func.pg_terminate_backend(driver.info.backend_pid, 5000)))
    assert database.is_writer_free
    was_free: list[bool] = []
    with database.writing() as session:
        write(session, "second", by_orm=False)
        call_after_commit(session, lambda: was_free.append(database.is_writer_free))
    assert database.is_writer_free and names(database) == {"second"}
    assert was_free == [not database.is_sqlite]


@pytest.mark.parametrize("ends_by", ["commit", "block"])
def test_what_waits_is_there_for_the_next_statement_and_for_the_commit(database: Database, ends_by: str) -> None:
    with database.session() as session:
        now = session.info["ficha_clock"].now()
        WRITE.queue(session, name="first", created_at=now)
        assert session.in_transaction() and FIND.first(session, wanted="first") is not None
        WRITE.queue(session, name="second", created_at=now)
        assert session.get(Secret, "second") is not None, "the ORM finds it too"
        session.rollback()
        assert names(database) == set()
        if ends_by == "commit":
            WRITE.queue(session, name="first", created_at=now)
            session.commit()
        else:
            with session.begin():
                session.add(Secret(name="second", created_at=now))
                WRITE.queue(session, name="first", created_at=now)
    assert names(database) == ({"first"} if ends_by == "commit" else {"first", "second"})


def test_what_waits_is_neither_undone_with_a_savepoint_nor_kept_by_one(database: Database) -> None:
    with database.session() as session:
        now = session.info["ficha_clock"].now()
        WRITE.queue(session, name="first", created_at=now)
        with pytest.raises(ZeroDivisionError), session.begin_nested():
            WRITE.queue(session, name="second", created_at=now)
            raise ZeroDivisionError
        WRITE.queue(session, name="third", created_at=now)
        session.commit()
    assert names(database) == {"first", "third"}


def test_what_is_queued_before_a_rollback_is_gone(database: Database) -> None:
    with database.session() as session:
        WRITE.queue(session, name="first", created_at=session.info["ficha_clock"].now())
        session.rollback()
        assert not session.in_transaction()
        session.commit()
        WRITE.queue(session, name="second", created_at=session.info["ficha_clock"].now())
    assert names(database) == set(), "closed without a commit"


def test_a_change_that_fails_when_it_is_sent_commits_nothing(database: Database) -> None:
    with database.session() as session:
        now = session.info["ficha_clock"].now()
        WRITE.queue(session, name="first", created_at=now)
        with pytest.raises(IntegrityError):
            WRITE.queue(session, name="first", created_at=now)
            session.commit()
    assert names(database) == set()
