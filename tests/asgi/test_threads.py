"""More requests at once than connections and threads: all wait a little, and none for ever."""

import asyncio
import sys
import time
from contextvars import ContextVar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread, current_thread

import pytest
from httpx import ASGITransport, AsyncClient

from ficha.accounts.accounts import Role
from ficha.asgi import event_loop_delay
from ficha.asgi.threads import Threads
from tests.world import World, build_world, settings_for

MANY = 200


def test_many_at_once_share_a_few_connections(world: World) -> None:
    maria = world.register()

    async def ask_all() -> list[int]:
        # One event loop for all of them, as in the server.
        async with AsyncClient(transport=ASGITransport(world.app), base_url="http://testserver", timeout=60) as client:
            asking = [client.get("/v2/auth/me", headers=maria.headers) for _ in range(MANY)]
            return [answer.status_code for answer in await asyncio.gather(*asking)]

    assert asyncio.run(ask_all()) == [200] * MANY


def test_no_more_threads_than_allowed_and_the_last_one_busy_is_taken_first() -> None:
    pool = Threads("few", 2)
    gate = Event()

    async def fill() -> tuple[set[str], list[str]]:
        blocked = [asyncio.create_task(pool.run(lambda: (gate.wait(30), current_thread().name)[1])) for _ in range(5)]
        await asyncio.sleep(0)
        gate.set()
        names = {await task for task in blocked}
        return names, [await pool.run(lambda: current_thread().name) for _ in range(5)]

    names, later = asyncio.run(fill())
    assert names == {"few-1", "few-2"}
    assert len(set(later)) == 1, "one warm thread is enough for one request after another"


def test_changes_on_sqlite_have_threads_of_their_own(world: World) -> None:
    """A reader does not wait behind those who wait to write."""
    maria = world.register()
    began: list[str] = []

    def note(sql: str) -> None:
        if sql.startswith("BEGIN"):
            began.append(current_thread().name.rpartition("-")[0])

    world.parts.database.on_statement = note
    assert maria.client.post("/v2/auth/tokens", headers=maria.headers).status_code == 201
    assert began == ["writes" if world.parts.database.is_sqlite else "requests"]


def test_long_work_waits_while_the_event_loop_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop_delay, "LONGEST_WAIT_SECONDS", 30)
    pool = Threads("long", 1, gives_way=True)
    gate, is_blocked = Event(), Event()

    async def block() -> tuple[bool, float]:
        first = asyncio.create_task(pool.run(gate.wait, 30))
        second = asyncio.create_task(pool.run(lambda: (is_blocked.is_set(), sys.getswitchinterval())))
        await asyncio.sleep(0)
        is_blocked.set()
        time.sleep(2 * event_loop_delay.LATE_SECONDS)  # As somebody does who holds the loop.
        gate.set()
        time.sleep(2 * event_loop_delay.LATE_SECONDS)
        is_blocked.clear()
        assert await first
        told = await second
        while sys.getswitchinterval() != pytest.approx(event_loop_delay.USUAL_SWITCH_SECONDS):
            await asyncio.sleep(event_loop_delay.BEAT_SECONDS)
        return told

    was_blocked, switching = asyncio.run(block())
    assert not was_blocked and switching == pytest.approx(event_loop_delay.BRISK_SWITCH_SECONDS)


def test_errors_and_context_go_with_the_call() -> None:
    pool = Threads("one", 1)
    who: ContextVar[str] = ContextVar("who")

    def fail() -> None:
        raise KeyError("nothing")

    async def ask() -> str:
        who.set("ana")
        with pytest.raises(KeyError, match="nothing"):
            await pool.run(fail)
        return await pool.run(who.get)

    assert asyncio.run(ask()) == "ana"


def test_a_call_whose_caller_left_runs_to_its_end() -> None:
    pool = Threads("left", 1)
    started, gate, done = Event(), Event(), Event()

    def slow() -> None:
        started.set()
        gate.wait(30)
        done.set()

    async def leave() -> None:
        task = asyncio.create_task(pool.run(slow))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        await pool.run(lambda: None)  # The same thread, after the first call.

    asyncio.run(leave())
    assert done.is_set()


@pytest.mark.slow
def test_slow_calls_to_a_platform_do_not_delay_a_read(database_url: str, tmp_path: Path) -> None:
    """Ten times as many as there are threads for them, and none ends before the read is answered."""
    released = Event()

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            released.wait(60)
            self.send_error(503)

        def log_message(self, *_: object) -> None: ...

    platform = ThreadingHTTPServer(("127.0.0.1", 0), Silent)
    Thread(target=platform.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    address = f"http://127.0.0.1:{platform.server_port}"
    world = build_world(settings_for(database_url, tmp_path / "data", whatsapp_base_url=address, whatsapp_seconds=60))
    staff, maria = world.somebody_with(Role.STAFF), world.register()

    async def ask() -> tuple[int, int, set[int]]:
        async with AsyncClient(transport=ASGITransport(world.app), base_url="http://testserver", timeout=90) as client:
            path = "/v2/whatsapp/oauth"
            slow = [asyncio.create_task(client.get(path, headers=staff.headers)) for _ in range(MANY)]
            await asyncio.sleep(0)
            read = await client.get("/v2/auth/me", headers=maria.headers)
            ended = sum(task.done() for task in slow)
            released.set()
            return read.status_code, ended, {answer.status_code for answer in await asyncio.gather(*slow)}

    try:
        read, ended, slow = asyncio.run(ask())
        assert (read, ended) == (200, 0)
        assert slow <= {502, 504}  # As the platform answers in the end.
    finally:
        released.set()
        platform.shutdown()
        platform.server_close()
        world.close()
