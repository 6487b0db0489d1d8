"""The hub: woken rather than looking, never losing its place, whatever the database does meanwhile."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from ficha.core.db import Database
from ficha.events.events import START, Position, publish
from ficha.events.hub import Hub
from ficha.events.ordered_reads import Told, newest
from ficha.events.subscriber import Ending, Subscriber
from ficha.events.tasks import end_task
from ficha.events.wakeup import BellWakeup
from tests.databases import empty
from tests.events.stream_server import eventually, is_settled

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ANA = 1


def tell(database: Database, n: int, account: int = ANA) -> None:
    with database.writing() as session:
        publish(session, "message.state", {"n": n}, NOW, accounts=[account])


@asynccontextmanager
async def open_hub(database: Database) -> AsyncIterator[Hub]:
    hub = Hub(database)
    try:
        yield hub
    finally:
        await hub.stop()


async def heard(reader: Subscriber, count: int, seconds: float = 20) -> list[int]:
    """As many as asked for, and a moment more to see that nothing follows."""
    numbers: list[int] = []
    async with asyncio.timeout(seconds):
        while len(numbers) < count:
            numbers += [told.payload["n"] for told in await reader.next(0.2)]
    return numbers + [told.payload["n"] for told in await reader.next(0.05)]


def test_who_waits_is_woken_by_the_commit(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by looking: that would be too late for this test."""
    monkeypatch.setattr(BellWakeup, "look_seconds", 3600.0)

    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            await asyncio.sleep(0.3)  # Everything is read by now, and the hub rests.
            for n in range(3):
                await asyncio.to_thread(tell, database, n)
                assert await heard(reader, 1, seconds=8) == [n]

    asyncio.run(story())


def test_what_another_process_writes_to_sqlite_is_found_by_looking(database: Database) -> None:
    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            with database.writing() as session:
                publish(session, "message.state", {"n": 1}, NOW, accounts=[ANA])
                session.info.clear()  # As if it were not in this process: nobody here rings.
            assert await heard(reader, 1) == [1]

    asyncio.run(story())


def test_nothing_is_read_while_nobody_waits(database: Database) -> None:
    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            hub.leave(reader)
            tell(database, 1)
            tell(database, 2, account=2)
            eventually(lambda: is_settled(database))
            late = Subscriber(ANA, is_staff=False)
            await hub.join(late, None)
            tell(database, 3)
            assert await heard(late, 1) == [3]
            assert hub.readers == {late}

    asyncio.run(story())


def test_what_lies_behind_comes_page_by_page_and_not_through_the_queue(database: Database) -> None:
    with database.writing() as session:
        for n in range(30):
            publish(session, "message.state", {"n": n}, NOW, accounts=[ANA])

    async def story() -> None:
        async with open_hub(database) as hub:
            while await hub.read(newest) == START:  # Somebody else's transaction may hold ours back for a moment.
                await asyncio.sleep(0.02)
            reader = Subscriber(ANA, is_staff=False, size=5)
            await hub.join(reader, START)
            await asyncio.sleep(0.3)
            pages = [[told.payload["n"] for told in page] async for page in hub.missed(reader, page=7)]
            assert [len(page) for page in pages] == [7, 7, 7, 7, 2] and [n for page in pages for n in page] == list(
                range(30)
            )
            assert reader.ending is None
            tell(database, 30)
            assert await heard(reader, 1) == [30]

    asyncio.run(story())


def test_who_is_ahead_of_this_process_hears_nothing_twice(database: Database) -> None:
    """Another process told more than this one has read yet."""

    async def story() -> None:
        async with open_hub(database) as ahead, open_hub(database) as behind:
            first, idle = Subscriber(ANA, is_staff=False), Subscriber(2, is_staff=False)
            await behind.join(idle, None)
            await ahead.join(first, None)
            tell(database, 1)
            assert await heard(first, 1) == [1]
            behind._position = START  # It fell asleep before it read anything.
            again = Subscriber(ANA, is_staff=False)
            await behind.join(again, first.position)
            assert again.missed is None
            tell(database, 2)
            assert await heard(again, 1) == [2]

    asyncio.run(story())


def test_a_full_queue_ends_the_reader_and_nobody_else() -> None:
    async def story() -> None:
        reader = Subscriber(ANA, is_staff=False, size=2)
        for n in range(3):
            reader.put(Told(Position(0, n + 1), ANA, NOW, "message.state", {"n": n}))
        assert reader.ending is Ending.TOO_SLOW and reader.ended.is_set()
        assert await reader.next(5) == []

    asyncio.run(story())


def test_a_transaction_that_ends_without_a_word_holds_nobody_up_for_long(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(database)

    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            await asyncio.sleep(0.3)
            silent = database.session()
            silent.execute(text("SELECT pg_current_xact_id()"))
            tell(database, 1)
            assert await reader.next(0.5) == []
            silent.rollback()  # It published nothing, so nobody is notified.
            silent.close()
            assert await heard(reader, 1, seconds=5) == [1]

    asyncio.run(story())
    database.close()


def test_a_lost_connection_loses_no_event(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(database)
    cut = text(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    )

    def cut_off() -> bool:
        with database.writing() as session:
            return bool(session.scalar(cut))

    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            await asyncio.sleep(0.3)
            for n in range(3):
                while not cut_off():
                    await asyncio.sleep(0.1)
                tell(database, n)
                assert await heard(reader, 1) == [n]
                await asyncio.sleep(0.7)  # It listens again.

    asyncio.run(story())
    database.close()


def test_a_database_that_goes_away_for_a_moment_loses_no_event(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(database)
    cut_all = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def story() -> None:
        async with open_hub(database) as hub:
            reader = Subscriber(ANA, is_staff=False)
            await hub.join(reader, None)
            other = Database(postgres_url)
            for n in range(3):
                tell(other, n)
                with other.writing() as session:
                    session.execute(cut_all)
            assert await heard(reader, 3) == [0, 1, 2]
            other.close()

    asyncio.run(story())
    database.close()


def test_a_task_that_misses_a_cancellation_is_asked_again() -> None:
    """Else a process that is told to stop would wait until it is killed."""

    async def deaf_once() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        await asyncio.sleep(3600)

    async def story() -> None:
        task = asyncio.create_task(deaf_once())
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await end_task(task)
        assert task.cancelled()

    asyncio.run(story())
