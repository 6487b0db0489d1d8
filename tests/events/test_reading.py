"""Reading in an order that never changes afterwards."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.events.events import (
    LARGEST,
    STAFF,
    START,
    Audience,
    Event,
    EventPosition,
    PositionState,
    position_from_wire,
    position_to_wire,
)
from ficha.events.publish import prune_events, publish
from ficha.events.statements import newest, position_state, read_after, read_between
from tests.databases import empty
from tests.waiting import eventually

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ANA = Audience(account_id=1)


def write(tx: Transaction, n: int, *accounts: int, staff: bool = False) -> None:
    publish(tx, "record.read", {"n": n}, NOW, accounts=accounts or (1,), staff=staff)
    tx.connection()  # Sends it: it takes its place now, and not with the commit.


def wait_until_readable(database: Database) -> None:
    """Other tests write on the same server, and any of their transactions may hold ours back for a moment."""

    def is_readable() -> bool:
        with database.reading() as tx:
            return not read_after(tx, START, 1000).is_blocked

    eventually(is_readable)


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Database]:
    """For what can only happen where several write at once."""
    database = Database(postgres_url)
    empty(postgres_url)
    yield database
    database.close()


def test_going_on_loses_nothing_that_was_written_first_and_committed_last(postgres: Database) -> None:
    early, late = postgres.transaction(), postgres.transaction()
    write(early, 1)
    write(late, 2)
    late.commit()
    with postgres.reading() as tx:
        # The second is there, but the first may still come before it.
        page = read_after(tx, START, 10)
        assert (list(page.events), page.is_blocked) == ([], True)
        assert newest(tx) == START
    early.commit()
    wait_until_readable(postgres)
    with postgres.reading() as tx:
        page = read_after(tx, START, 10)
        assert [event.payload["n"] for event in page.events] == [1, 2] and not page.is_blocked
        again = read_after(tx, page.events[0].position, 10)
        assert [event.payload["n"] for event in again.events] == [2]
    early.rollback()
    late.rollback()


def test_ids_taken_in_one_order_and_transactions_begun_in_another(postgres: Database) -> None:
    """The later transaction takes the lower id: who resumed by id alone would never see the other."""
    first, second = postgres.transaction(), postgres.transaction()
    write(first, 1)
    write(second, 2)
    write(first, 3)
    first.commit()
    second.commit()
    wait_until_readable(postgres)
    with postgres.reading() as tx:
        events = read_after(tx, START, 10).events
        assert [event.payload["n"] for event in events] == [1, 3, 2]
        assert [event.position.id for event in events] == [1, 3, 2]
        for event, rest in ((events[0], [3, 2]), (events[1], [2]), (events[2], [])):
            after = read_between(tx, event.position, newest(tx), ANA, is_staff=False, limit=9)
            assert [event.payload["n"] for event in after] == rest
    first.rollback()
    second.rollback()


def test_a_rollback_blocks_nobody(postgres: Database) -> None:
    doomed = postgres.transaction()
    write(doomed, 1)
    with postgres.writing() as tx:
        write(tx, 2)
    doomed.rollback()
    wait_until_readable(postgres)
    with postgres.reading() as tx:
        page = read_after(tx, START, 10)
        assert [event.payload["n"] for event in page.events] == [2] and not page.is_blocked
    doomed.rollback()


def test_pages_join_without_a_gap(database: Database) -> None:
    for n in range(7):
        with database.writing() as tx:
            write(tx, n, 1, 2)
    wait_until_readable(database)
    seen, position = [], START
    with database.reading() as tx:
        while True:
            page = read_after(tx, position, 4)
            seen += [(event.payload["n"], event.audience.account_id) for event in page.events]
            if not page.is_full:
                break
            position = page.events[-1].position
    assert seen == [(n, account) for n in range(7) for account in (1, 2)]


def test_each_account_reads_its_own_and_staff_what_is_for_staff(database: Database) -> None:
    with database.writing() as tx:
        write(tx, 1, 1)
        write(tx, 2, 2)
        write(tx, 3, 1, staff=True)
    wait_until_readable(database)
    with database.reading() as tx:
        until = newest(tx)

        def seen(account_id: int, is_staff: bool) -> list[int]:
            events = read_between(tx, START, until, Audience(account_id=account_id), is_staff=is_staff, limit=10)
            return [event.payload["n"] for event in events]

        assert seen(1, False) == [1, 3] and seen(2, False) == [2] and seen(3, False) == []
        assert seen(1, True) == [1, 3, 3] and seen(3, True) == [3]


def test_a_topic_is_read_by_its_subscribers_and_by_nobody_else(database: Database) -> None:
    with database.writing() as tx:
        publish(tx, "record.read", {"n": 1}, NOW, topics=["sticker:7", "sticker:8"])
        publish(tx, "record.read", {"n": 2}, NOW, accounts=[7], topics=["sticker:7"], staff=True)
    wait_until_readable(database)
    with database.reading() as tx:
        audiences = [event.audience for event in read_after(tx, START, 10).events]
        seven, eight = Audience(topic="sticker:7"), Audience(topic="sticker:8")
        assert audiences == [seven, eight, Audience(account_id=7), seven, STAFF]

        def seen(audience: Audience, is_staff: bool = False) -> list[int]:
            events = read_between(tx, START, newest(tx), audience, is_staff=is_staff, limit=10)
            return [event.payload["n"] for event in events]

        assert seen(seven) == [1, 2] and seen(eight) == [1] and seen(Audience(topic="sticker:9")) == []
        assert seen(Audience(account_id=7)) == [2] and seen(ANA, is_staff=True) == [2]


def test_rows_from_before_topics_are_read_by_topic(database: Database) -> None:
    """The migration leaves them their negative account number."""
    with database.writing() as tx:
        tx.orm.add(Event(xid=0, at=NOW, account_id=-7, topic="sticker:7", kind="record.read", payload={"n": 1}))
    with database.reading() as tx:
        [event] = read_after(tx, START, 10).events
        assert event.audience == Audience(topic="sticker:7")
        [same] = read_between(tx, START, event.position, event.audience, is_staff=False, limit=10)
        assert same == event


@pytest.mark.parametrize(
    "wire", ["", "-", "1", "1-", "-1", "1-2-3", "a-1", " 1-2", "1-2\n", "+1-2", "1--2", "٣-٤", f"0-{LARGEST + 1}"]
)
def test_what_is_no_position_is_not_taken_for_one(wire: str) -> None:
    assert position_from_wire(wire) is None


def test_positions_survive_the_wire() -> None:
    for position in (START, EventPosition(759, 12), EventPosition(LARGEST, LARGEST)):
        assert position_from_wire(position_to_wire(position)) == position


def test_a_position_is_kept_or_pruned_or_unknown(database: Database) -> None:
    with database.reading() as tx:
        assert position_state(tx, START) is PositionState.KEPT
    for n in range(3):
        with database.writing() as tx:
            write(tx, n)
    wait_until_readable(database)
    with database.reading() as tx:
        positions = [event.position for event in read_after(tx, START, 10).events]
        assert {position_state(tx, position) for position in positions} == {PositionState.KEPT}
        last = positions[-1]
        ahead = EventPosition(last.xid, last.id + 1) if database.is_sqlite else EventPosition(last.xid + 1000, last.id)
        assert position_state(tx, ahead) is PositionState.UNKNOWN
        assert position_state(tx, EventPosition(LARGEST, LARGEST)) is PositionState.UNKNOWN
    with database.writing() as tx:
        prune_events(tx, NOW.replace(year=2027))
    with database.reading() as tx:
        assert [position_state(tx, position) for position in positions] == [
            PositionState.PRUNED,
            PositionState.PRUNED,
            PositionState.KEPT,
        ]
        assert position_state(tx, START) is PositionState.PRUNED
