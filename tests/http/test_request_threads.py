"""More requests at once than connections and threads: all wait a little, and none for ever."""

import asyncio
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread, current_thread

import pytest
from httpx import ASGITransport, AsyncClient

from ficha.accounts.accounts import Role
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
