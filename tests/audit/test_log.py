"""The log of a record cannot be changed without being found out."""

from collections.abc import Callable

import pytest
from sqlalchemy import delete, select, update

from ficha.audit.log import Actor, AuditEntry, first_broken, note
from ficha.core.db import Database
from tests.clock import MovableClock


@pytest.fixture
def chain(database: Database) -> Database:
    clock = MovableClock()
    with database.writing() as session:
        for action in ("record.created", "record.read", "record.changed", "record.read"):
            note(session, 7, Actor("account", 1), action, ["salud"], clock.now())
            clock.move(minutes=1)
        note(session, 8, Actor("service"), "record.created", [], clock.now())
    return database


def broken(database: Database) -> int | None:
    with database.reading() as session:
        found = first_broken(session, 7)
        return None if found is None else found.seq


def test_an_untouched_log_is_whole(chain: Database) -> None:
    assert broken(chain) is None


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda: update(AuditEntry).where(AuditEntry.seq == 2).values(actor="account:99"), 2),
        (lambda: update(AuditEntry).where(AuditEntry.seq == 3).values(what=[]), 3),
        (lambda: delete(AuditEntry).where(AuditEntry.seq == 2), 3),
        (lambda: update(AuditEntry).where(AuditEntry.seq == 4).values(hash=bytes(32)), 4),
    ],
)
def test_a_change_by_hand_is_found_and_named(chain: Database, change: Callable[[], object], found: int) -> None:
    with chain.writing() as session:
        session.execute(change())  # type: ignore[call-overload]
        assert session.scalars(select(AuditEntry)).all()
    assert broken(chain) == found
