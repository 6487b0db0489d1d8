"""Calls that wait for the commit of a transaction."""

import pytest
from sqlalchemy.orm import Session

from ficha.core.after_commit import call_after_commit, call_before_commit
from ficha.core.db import Database


def test_a_call_comes_once_after_the_commit_and_not_before(database: Database) -> None:
    calls: list[str] = []

    def call() -> None:
        calls.append("called")

    with database.writing() as session:
        call_after_commit(session, call)
        call_after_commit(session, call)
        with session.begin_nested():
            call_after_commit(session, call)
        assert calls == [], "an ended savepoint is no commit"
    assert calls == ["called"]
    with database.writing():
        pass
    assert calls == ["called"], "the next transaction asked for nothing"


def test_a_rollback_calls_nothing(database: Database) -> None:
    calls: list[str] = []
    with pytest.raises(RuntimeError), database.writing() as session:
        call_after_commit(session, lambda: calls.append("called"))
        raise RuntimeError
    assert calls == []


def test_a_call_before_the_commit_is_part_of_the_transaction_and_comes_once(database: Database) -> None:
    calls: list[bool] = []

    def call(session: Session) -> None:
        calls.append(session.in_transaction())

    with database.writing() as session:
        call_before_commit(session, call)
        with session.begin_nested():
            call_before_commit(session, call)
        assert calls == [], "an ended savepoint is no commit"
    assert calls == [True]
