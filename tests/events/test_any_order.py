"""In any order of publishing, committing, disconnecting and coming back: each event exactly once, in order."""

import asyncio
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.events.events import Audience, Event, EventPosition, StreamedEvent
from ficha.events.hub import Hub, Subscriber
from ficha.events.publish import publish

_accounts = count(1)
WRITERS = 3

writer = st.integers(0, WRITERS - 1)
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["publish", "publish", "commit", "rollback"]), writer),
        st.tuples(st.sampled_from(["receive", "disconnect", "restart"]), st.integers(0, 4)),
    ),
    max_size=40,
)


class Interleaving:
    """Some transactions that write, at once where the database allows it, and a client that remembers the last id."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.account = next(_accounts)
        self.numbers = count()
        self.open: dict[int, tuple[Transaction, list[int]]] = {}
        self.committed: list[int] = []
        self.hub = Hub(database)
        self.subscriber: Subscriber | None = None
        self.position: EventPosition | None = None
        self.received: list[StreamedEvent] = []

    def publish(self, which: int) -> None:
        if self.database.is_sqlite:
            which = 0  # One writes at a time.
        tx, written = self.open.setdefault(which, (self.database.transaction(), []))
        number = next(self.numbers)
        # Others' events lie between ours.
        publish(tx, "record.read", {"n": number}, SystemClock().now(), accounts=[self.account, 10**9])
        tx.connection()  # Sends it: it takes its place now, and not with the commit.
        written.append(number)

    def finish(self, which: int, *, keep: bool) -> None:
        tx, written = self.open.pop(which, (None, []))
        if tx is None:
            return
        if keep:
            tx.commit()
            self.committed += written
        else:
            tx.rollback()
        tx.rollback()

    async def connect(self) -> Subscriber:
        if self.subscriber is None:
            self.subscriber = Subscriber(Audience(account_id=self.account), is_staff=False)
            await self.hub.join(self.subscriber, self.position)
            async for page in self.hub.missed(self.subscriber, page=2):
                self.take(page)
            self.position = self.subscriber.position
        return self.subscriber

    def take(self, events: list[StreamedEvent]) -> None:
        self.received += events
        if events:
            self.position = events[-1].position

    async def disconnect(self, arrives: int) -> None:
        """Of the events that were on their way, only the first `arrives` are received."""
        if self.subscriber is not None:
            self.take((await self.subscriber.next(0.002))[:arrives])
            self.hub.leave(self.subscriber)
            self.subscriber = None

    async def restart(self) -> None:
        await self.disconnect(0)
        await self.hub.stop()
        self.hub = Hub(self.database)

    async def wait_until_all_is_delivered(self) -> None:
        subscriber = await self.connect()
        async with asyncio.timeout(20):
            while len(self.received) < len(self.committed):
                self.take(await subscriber.next(0.1))
        self.take(await subscriber.next(0.002))
        await self.hub.stop()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_each_event_is_delivered_exactly_once_in_order(database: Database, steps: list[tuple[str, int]]) -> None:
    interleaving = Interleaving(database)

    async def run() -> None:
        await interleaving.connect()
        for step, number in steps:
            match step:
                case "publish":
                    interleaving.publish(number)
                case "commit":
                    interleaving.finish(number, keep=True)
                case "rollback":
                    interleaving.finish(number, keep=False)
                case "receive":
                    interleaving.take(await (await interleaving.connect()).next(0.002 * number))
                case "disconnect":
                    await interleaving.disconnect(number)
                case "restart":
                    await interleaving.restart()
        for which in tuple(interleaving.open):
            interleaving.finish(which, keep=True)
        await interleaving.wait_until_all_is_delivered()

    try:
        asyncio.run(run())
    finally:
        for which in tuple(interleaving.open):
            interleaving.finish(which, keep=False)
    numbers = [event.payload["n"] for event in interleaving.received]
    assert sorted(numbers) == sorted(interleaving.committed)
    positions = [event.position for event in interleaving.received]
    assert positions == sorted(set(positions))
    with database.reading() as tx:
        rows = tx.orm.query(Event).filter_by(account_id=interleaving.account).order_by(Event.xid, Event.id)
        assert numbers == [row.payload["n"] for row in rows]
