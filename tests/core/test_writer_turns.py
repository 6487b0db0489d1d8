"""Processes that share one SQLite file write in turn: one that never pauses keeps no other waiting."""

import time
from pathlib import Path

import pytest
from sqlalchemy import text

from ficha.core.db import Database
from ficha.core.writer_turns import WriterTurns
from tests.processes import kill, start
from tests.waiting import eventually

WRITES = 10


def write_without_pause(url: str) -> None:
    database = Database(url)
    while True:
        with database.writing() as tx:
            tx.orm.execute(text("UPDATE turns SET theirs = theirs + 1"))
            time.sleep(0.02)  # As long as a batch of a roster takes.


def test_who_waits_is_the_next_to_write(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'turns.db'}")
    with database.writing() as tx:
        tx.orm.execute(text("CREATE TABLE turns (theirs INTEGER NOT NULL)"))
        tx.orm.execute(text("INSERT INTO turns VALUES (0)"))
    other = start(write_without_pause, database.url)
    try:
        eventually(lambda: count(database) > 2)
        for _ in range(WRITES):
            before = count(database)
            with database.writing() as tx:
                found = tx.orm.execute(text("SELECT theirs FROM turns")).scalar_one()
            assert found - before <= 2, "the one under way, and at most one more that had its turn"
    finally:
        kill(other)
        database.close()


def count(database: Database) -> int:
    with database.reading() as tx:
        return int(tx.orm.execute(text("SELECT theirs FROM turns")).scalar_one())


def test_a_turn_that_is_never_given_back_is_an_error(tmp_path: Path) -> None:
    first, second = (WriterTurns(str(tmp_path / "a.db"), 0.01) for _ in range(2))
    with first.turn(), pytest.raises(TimeoutError), second.turn():
        pass
    with second.turn():
        pass
    first.close()
    second.close()
