"""Reading in an order that never changes afterwards."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from ficha.core.db import Database
from ficha.events.events import START, Position, prune_events, publish
from ficha.events.ordered_reads import LARGEST, Kept, kept, newest, position_of, read_after, read_between, wire_of
from tests.databases import empty

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def tell(session: Session, n: int, *accounts: int, staff: bool = False) -> None:
    publish(session, "record.read", {"n": n}, NOW, accounts=accounts or (1,), staff=staff)


def settle(database: Database) -> None:
    """Other tests write on the same server, and any of their transactions may hold ours back for a moment."""
    deadline = time.monotonic() + 20
    while True:
        with database.reading() as session:
            if not read_after(session, START, 1000).is_waiting:
                return
        assert time.monotonic() < deadline, "somebody's transaction does not end"
        time.sleep(0.02)


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Database]:
    """For what can only happen where several write at once."""
    database = Database(postgres_url)
    empty(database)
    yield database
    database.close()


def test_who_goes_on_loses_nothing_that_was_written_first_and_committed_last(postgres: Database) -> None:
    early, late = postgres.session(), postgres.session()
    tell(early, 1)
    tell(late, 2)
    late.commit()
    with postgres.reading() as session:
        # The second is there, but the first may still come before it.
        page = read_after(session, START, 10)
        assert (list(page.told), page.is_waiting) == ([], True)
        assert newest(session) == START
    early.commit()
    settle(postgres)
    with postgres.reading() as session:
        page = read_after(session, START, 10)
        assert [told.payload["n"] for told in page.told] == [1, 2] and not page.is_waiting
        again = read_after(session, page.told[0].position, 10)
        assert [told.payload["n"] for told in again.told] == [2]
    early.close()
    late.close()


def test_ids_taken_in_one_order_and_transactions_begun_in_another(postgres: Database) -> None:
    """The later transaction takes the lower id: who resumed by id alone would never see the other."""
    first, second = postgres.session(), postgres.session()
    tell(first, 1)
    tell(second, 2)
    tell(first, 3)
    first.commit()
    second.commit()
    settle(postgres)
    with postgres.reading() as session:
        told = read_after(session, START, 10).told
        assert [one.payload["n"] for one in told] == [1, 3, 2]
        assert [one.position.id for one in told] == [1, 3, 2]
        for place, rest in ((told[0], [3, 2]), (told[1], [2]), (told[2], [])):
            after = read_between(session, place.position, newest(session), 1, is_staff=False, limit=9)
            assert [one.payload["n"] for one in after] == rest
    first.close()
    second.close()


def test_what_was_rolled_back_holds_nobody_up(postgres: Database) -> None:
    doomed = postgres.session()
    tell(doomed, 1)
    with postgres.writing() as session:
        tell(session, 2)
    doomed.rollback()
    settle(postgres)
    with postgres.reading() as session:
        page = read_after(session, START, 10)
        assert [told.payload["n"] for told in page.told] == [2] and not page.is_waiting
    doomed.close()


def test_pages_join_without_a_gap(database: Database) -> None:
    for n in range(7):
        with database.writing() as session:
            tell(session, n, 1, 2)
    settle(database)
    seen, position = [], START
    with database.reading() as session:
        while True:
            page = read_after(session, position, 4)
            seen += [(told.payload["n"], told.account_id) for told in page.told]
            if not page.is_full:
                break
            position = page.told[-1].position
    assert seen == [(n, account) for n in range(7) for account in (1, 2)]


def test_each_account_reads_its_own_and_staff_what_is_for_staff(database: Database) -> None:
    with database.writing() as session:
        tell(session, 1, 1)
        tell(session, 2, 2)
        tell(session, 3, 1, staff=True)
    settle(database)
    with database.reading() as session:
        until = newest(session)

        def seen(account: int, is_staff: bool) -> list[int]:
            told = read_between(session, START, until, account, is_staff=is_staff, limit=10)
            return [one.payload["n"] for one in told]

        assert seen(1, False) == [1, 3] and seen(2, False) == [2] and seen(3, False) == []
        assert seen(1, True) == [1, 3, 3] and seen(3, True) == [3]


@pytest.mark.parametrize(
    "wire", ["", "-", "1", "1-", "-1", "1-2-3", "a-1", " 1-2", "1-2\n", "+1-2", "1--2", "٣-٤", f"0-{LARGEST + 1}"]
)
def test_what_is_no_place_is_not_taken_for_one(wire: str) -> None:
    assert position_of(wire) is None


def test_places_survive_the_wire() -> None:
    for position in (START, Position(759, 12), Position(LARGEST, LARGEST)):
        assert position_of(wire_of(position)) == position


def test_a_place_is_here_or_gone_or_never_was(database: Database) -> None:
    with database.reading() as session:
        assert kept(session, START) is Kept.HERE
    for n in range(3):
        with database.writing() as session:
            tell(session, n)
    settle(database)
    with database.reading() as session:
        places = [told.position for told in read_after(session, START, 10).told]
        assert {kept(session, place) for place in places} == {Kept.HERE}
        last = places[-1]
        ahead = Position(last.xid, last.id + 1) if database.is_sqlite else Position(last.xid + 1000, last.id)
        assert kept(session, ahead) is Kept.NEVER
        assert kept(session, Position(LARGEST, LARGEST)) is Kept.NEVER
    with database.writing() as session:
        prune_events(session, NOW.replace(year=2027))
    with database.reading() as session:
        assert [kept(session, place) for place in places] == [Kept.GONE, Kept.GONE, Kept.HERE]
        assert kept(session, START) is Kept.GONE
