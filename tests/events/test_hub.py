"""The hub: woken by commits, and losing no event whatever the database does meanwhile."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from ficha.core.db import Database
from ficha.events.events import START, Audience, EventPosition, StreamedEvent
from ficha.events.hub import Ending, Hub, Subscriber, choose_wakeup
from ficha.events.publish import publish
from ficha.events.statements import newest
from ficha.events.wakeup import SqliteWakeup, Wakeup, end_task
from tests.databases import empty
from tests.events.stream_server import is_readable
from tests.waiting import eventually

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ANA = Audience(account_id=1)
LUIS = Audience(account_id=2)


def publish_one(database: Database, n: int, account_id: int = 1) -> None:
    with database.writing() as tx:
        publish(tx, "message.state", {"n": n}, NOW, accounts=[account_id])


@asynccontextmanager
async def open_hub(
    database: Database, make_wakeup: Callable[[Database, Callable[[], None]], Wakeup] = choose_wakeup
) -> AsyncIterator[Hub]:
    hub = Hub(database, make_wakeup=make_wakeup)
    try:
        yield hub
    finally:
        await hub.stop()


async def received(subscriber: Subscriber, count: int, seconds: float = 20) -> list[int]:
    """As many as asked for, and a moment more to see that nothing follows."""
    numbers: list[int] = []
    async with asyncio.timeout(seconds):
        while len(numbers) < count:
            numbers += [event.payload["n"] for event in await subscriber.next(0.2)]
    return numbers + [event.payload["n"] for event in await subscriber.next(0.05)]


def rarely_polling(database: Database, wake: Callable[[], None]) -> Wakeup:
    return SqliteWakeup(wake, poll_seconds=3600) if database.is_sqlite else choose_wakeup(database, wake)


def test_a_commit_wakes_who_waits(database: Database) -> None:
    """Not by polling: that would be too late for this test."""

    async def run() -> None:
        async with open_hub(database, rarely_polling) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            await asyncio.sleep(0.3)  # Everything is read by now, and the hub waits.
            for n in range(3):
                await asyncio.to_thread(publish_one, database, n)
                assert await received(subscriber, 1, seconds=8) == [n]

    asyncio.run(run())


def test_what_another_process_writes_to_sqlite_is_found_by_polling(database: Database) -> None:
    async def run() -> None:
        async with open_hub(database) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            with database.writing() as tx:
                publish(tx, "message.state", {"n": 1}, NOW, accounts=[1])
                tx._after.clear()  # As if another process had committed: nothing wakes this one.
            assert await received(subscriber, 1) == [1]

    asyncio.run(run())


def test_nothing_is_read_without_subscribers(database: Database) -> None:
    async def run() -> None:
        async with open_hub(database) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            hub.leave(subscriber)
            publish_one(database, 1)
            publish_one(database, 2, account_id=2)
            eventually(lambda: is_readable(database))
            late = Subscriber(ANA, is_staff=False)
            await hub.join(late, None)
            publish_one(database, 3)
            assert await received(late, 1) == [3]
            assert hub.subscribers == {late}

    asyncio.run(run())


def test_missed_events_come_page_by_page_and_not_through_the_queue(database: Database) -> None:
    with database.writing() as tx:
        for n in range(30):
            publish(tx, "message.state", {"n": n}, NOW, accounts=[1])

    async def run() -> None:
        async with open_hub(database) as hub:
            while await hub.read(newest) == START:  # Somebody else's transaction may hold ours back for a moment.
                await asyncio.sleep(0.02)
            subscriber = Subscriber(ANA, is_staff=False, size=5)
            await hub.join(subscriber, START)
            await asyncio.sleep(0.3)
            pages = [[event.payload["n"] for event in page] async for page in hub.missed(subscriber, page=7)]
            assert [len(page) for page in pages] == [7, 7, 7, 7, 2] and [n for page in pages for n in page] == list(
                range(30)
            )
            assert subscriber.ending is None
            publish_one(database, 30)
            assert await received(subscriber, 1) == [30]

    asyncio.run(run())


def test_who_comes_back_to_a_hub_at_work_gets_what_was_missed_and_what_follows(database: Database) -> None:
    async def run() -> None:
        async with open_hub(database) as hub:
            first = Subscriber(ANA, is_staff=False)
            await hub.join(first, None)
            since = first.position
            publish_one(database, 1)
            assert await received(first, 1) == [1]
            back = Subscriber(ANA, is_staff=False)
            await hub.join(back, since)
            publish_one(database, 2)
            missed = [event.payload["n"] async for page in hub.missed(back) for event in page]
            assert missed + await received(back, 1) == [1, 2]

    asyncio.run(run())


def test_who_is_ahead_of_this_process_gets_nothing_twice(database: Database) -> None:
    """Another process delivered more than this one has read yet."""

    async def run() -> None:
        async with open_hub(database) as ahead, open_hub(database) as behind:
            first, idle = Subscriber(ANA, is_staff=False), Subscriber(LUIS, is_staff=False)
            await behind.join(idle, None)
            await ahead.join(first, None)
            publish_one(database, 1)
            assert await received(first, 1) == [1]
            behind._position = START  # As if it had read nothing yet.
            again = Subscriber(ANA, is_staff=False)
            await behind.join(again, first.position)
            assert again.missed is None
            publish_one(database, 2)
            assert await received(again, 1) == [2]

    asyncio.run(run())


def test_a_full_queue_ends_the_subscriber() -> None:
    async def run() -> None:
        subscriber = Subscriber(ANA, is_staff=False, size=2)
        for n in range(3):
            subscriber.put(StreamedEvent(EventPosition(0, n + 1), ANA, NOW, "message.state", {"n": n}))
        assert subscriber.ending is Ending.TOO_SLOW and subscriber.ended.is_set()
        assert await subscriber.next(5) == []

    asyncio.run(run())


def test_a_transaction_that_publishes_nothing_blocks_nobody_for_long(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(postgres_url)

    async def run() -> None:
        async with open_hub(database) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            await asyncio.sleep(0.3)
            running = database.transaction()
            running.orm.execute(text("SELECT pg_current_xact_id()"))
            publish_one(database, 1)
            assert await subscriber.next(0.5) == []
            running.rollback()  # It published nothing, so nothing is notified.
            running.rollback()
            assert await received(subscriber, 1, seconds=5) == [1]

    asyncio.run(run())
    database.close()


@pytest.mark.slow
def test_a_lost_connection_loses_no_event(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(postgres_url)
    cut = text(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE query LIKE 'LISTEN%' AND datname = current_database()"
    )

    def cut_off() -> bool:
        with database.writing() as tx:
            return bool(tx.orm.scalar(cut))

    async def run() -> None:
        async with open_hub(database) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            await asyncio.sleep(0.3)
            for n in range(3):
                while not cut_off():
                    await asyncio.sleep(0.1)
                publish_one(database, n)
                assert await received(subscriber, 1) == [n]
                await asyncio.sleep(0.7)  # It listens again.

    asyncio.run(run())
    database.close()


def test_a_database_that_goes_away_for_a_moment_loses_no_event(postgres_url: str) -> None:
    database = Database(postgres_url)
    empty(postgres_url)
    cut_all = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def run() -> None:
        async with open_hub(database) as hub:
            subscriber = Subscriber(ANA, is_staff=False)
            await hub.join(subscriber, None)
            other = Database(postgres_url)
            for n in range(3):
                publish_one(other, n)
                with other.writing() as tx:
                    tx.orm.execute(cut_all)
            assert await received(subscriber, 3) == [0, 1, 2]
            other.close()

    asyncio.run(run())
    database.close()


def test_a_task_that_misses_a_cancellation_is_canceled_again() -> None:
    """Else a process that is told to stop would wait until it is killed."""

    async def ignores_the_first() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)
        await asyncio.sleep(3600)

    async def run() -> None:
        task = asyncio.create_task(ignores_the_first())
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            await end_task(task)
        assert task.cancelled()

    asyncio.run(run())
