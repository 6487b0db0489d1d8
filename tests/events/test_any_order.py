"""Any interleaving of publishing, committing, hanging up and coming back: each event exactly once, in order."""

import asyncio
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.events.events import Event, Position, publish
from ficha.events.hub import Hub
from ficha.events.ordered_reads import Told
from ficha.events.subscriber import Subscriber

_accounts = count(1)
WRITERS = 3

writer = st.integers(0, WRITERS - 1)
steps = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["publish", "publish", "commit", "rollback"]), writer),
        st.tuples(st.sampled_from(["listen", "cut", "restart"]), st.integers(0, 4)),
    ),
    max_size=40,
)


class Story:
    """Some who write, side by side where the database allows it, and a client who remembers the last id."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.account = next(_accounts)
        self.numbers = count()
        self.open: dict[int, tuple[Session, list[int]]] = {}
        self.committed: list[int] = []
        self.hub = Hub(database)
        self.reader: Subscriber | None = None
        self.place: Position | None = None
        self.got: list[Told] = []

    def publish(self, which: int) -> None:
        if self.database.is_sqlite:
            which = 0  # One writes at a time.
        session, written = self.open.setdefault(which, (self.database.session(), []))
        number = next(self.numbers)
        # Others' events lie between ours.
        publish(session, "record.read", {"n": number}, SystemClock().now(), accounts=[self.account, 10**9])
        written.append(number)

    def finish(self, which: int, *, keep: bool) -> None:
        session, written = self.open.pop(which, (None, []))
        if session is None:
            return
        if keep:
            session.commit()
            self.committed += written
        else:
            session.rollback()
        session.close()

    async def connect(self) -> Subscriber:
        if self.reader is None:
            self.reader = Subscriber(self.account, is_staff=False)
            await self.hub.join(self.reader, self.place)
            async for page in self.hub.missed(self.reader, page=2):
                self.take(page)
            self.place = self.reader.position
        return self.reader

    def take(self, events: list[Told]) -> None:
        self.got += events
        if events:
            self.place = events[-1].position

    async def cut(self, arrives: int) -> None:
        """The line breaks: of what was on its way, only so much arrives."""
        if self.reader is not None:
            self.take((await self.reader.next(0.002))[:arrives])
            self.hub.leave(self.reader)
            self.reader = None

    async def restart(self) -> None:
        await self.cut(0)
        await self.hub.stop()
        self.hub = Hub(self.database)

    async def until_all_is_told(self) -> None:
        reader = await self.connect()
        async with asyncio.timeout(20):
            while len(self.got) < len(self.committed):
                self.take(await reader.next(0.1))
        self.take(await reader.next(0.002))
        await self.hub.stop()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_each_event_is_told_exactly_once_in_order(database: Database, steps: list[tuple[str, int]]) -> None:
    story = Story(database)

    async def tell() -> None:
        await story.connect()
        for step, number in steps:
            match step:
                case "publish":
                    story.publish(number)
                case "commit":
                    story.finish(number, keep=True)
                case "rollback":
                    story.finish(number, keep=False)
                case "listen":
                    story.take(await (await story.connect()).next(0.002 * number))
                case "cut":
                    await story.cut(number)
                case "restart":
                    await story.restart()
        for which in tuple(story.open):
            story.finish(which, keep=True)
        await story.until_all_is_told()

    try:
        asyncio.run(tell())
    finally:
        for which in tuple(story.open):
            story.finish(which, keep=False)
    told = [one.payload["n"] for one in story.got]
    assert sorted(told) == sorted(story.committed)
    places = [one.position for one in story.got]
    assert places == sorted(set(places))
    with database.reading() as session:
        rows = session.query(Event).filter_by(account_id=story.account).order_by(Event.xid, Event.id)
        assert told == [row.payload["n"] for row in rows]
