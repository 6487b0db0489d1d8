"""The whole service behind a real HTTP server in the test's process, with the test's own clock and limits."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from granian.constants import Interfaces
from granian.log import LogLevels
from granian.server.embed import Server
from sqlalchemy import func, select
from starlette.types import ASGIApp

from ficha.core.db import Database
from ficha.events.events import Event
from ficha.events.publish import publish
from ficha.events.statements import newest
from ficha.http.streams import OpenStreams, StreamRules
from tests import local_http
from tests.events.listener import Listener
from tests.ports import ReservedPort
from tests.waiting import eventually
from tests.world import Person, World


class StreamServer:
    def __init__(self, world: World, port: int) -> None:
        self.world = world
        self.port = port
        self.url = f"http://127.0.0.1:{port}/v2/events"

    @property
    def streams(self) -> OpenStreams:
        streams: OpenStreams = self.world.app.state.streams
        return streams

    def listen(self, person: Person, last_id: str | None = None) -> Listener:
        return Listener(self.port, person.token, last_id)

    def get(
        self, person: Person | None = None, query: str = "", *, last_id: str | None = None, **headers: str
    ) -> httpx.Response:
        """For requests that are refused. A stream that is accepted is closed at once: it would never end."""
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        headers = (person.headers if person else {}) | headers
        with local_http.stream("GET", f"{self.url}{query}", headers=headers) as answer:
            if answer.status_code != 200:
                answer.read()
            return answer

    def publish(self, *people: Person, n: int = 0, staff: bool = False, kind: str = "message.state") -> None:
        with self.world.parts.database.writing() as tx:
            now = self.world.clock.now()
            publish(tx, kind, {"n": n}, now, accounts=[person.id for person in people], staff=staff)

    def wait_until_readable(self) -> None:
        eventually(lambda: is_readable(self.world.parts.database))

    def wait_until_nobody_listens(self) -> None:
        eventually(lambda: not self.streams.hub.subscribers)


@contextmanager
def open_stream_server(world: World, rules: StreamRules) -> Iterator[StreamServer]:
    with served(world, world.app, rules) as port:
        yield StreamServer(world, port)


@contextmanager
def served(world: World, service: ASGIApp, rules: StreamRules) -> Iterator[int]:
    """Granian, as in production, on an event loop in a thread. Yields its port."""
    world.app.state.streams = streams = OpenStreams(world.parts, rules)
    reserved = ReservedPort()
    port = reserved.number
    loop = asyncio.new_event_loop()
    server = Server(service, port=port, interface=Interfaces.ASGI, websockets=False, log_level=LogLevels.critical)
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve()), daemon=True)
    thread.start()
    try:
        eventually(lambda: _is_open(port))
        yield port
    finally:
        loop.call_soon_threadsafe(streams.hub.end_all)  # What a signal does to a process.
        loop.call_soon_threadsafe(server.stop)
        thread.join(30)
        reserved.release()
        assert not thread.is_alive()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def is_readable(database: Database) -> bool:
    """Whether no older transaction, of any test on this PostgreSQL, can still write an event before the newest."""
    with database.reading() as tx:
        return newest(tx).id == tx.orm.scalar(select(func.max(Event.id)))


def _is_open(port: int) -> bool:
    try:
        return local_http.get(f"http://127.0.0.1:{port}/health/live").status_code == 200
    except httpx.TransportError:
        return False
