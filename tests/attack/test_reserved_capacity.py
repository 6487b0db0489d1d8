"""All threads and connections of ordinary operations are taken: the stranger's page, an alert, a contact's answer and
the platform's notifications have their own."""

import asyncio
from contextlib import ExitStack
from threading import Event

import pytest
from httpx import ASGITransport, AsyncClient
from sqlalchemy import text

from ficha.asgi.threads import MOST_THREADS, MOST_WAITING, Pool, ServerBusy, Threads, threads
from tests.attack.slow_request import SlowRequest, a_byte_at_a_time
from tests.messaging.webhook_notifications import enveloped, message, notify, value
from tests.web.sticker.sticker import sticker_of
from tests.world import World


def test_with_every_connection_taken_the_page_and_an_alert_are_answered(world: World) -> None:
    sticker = sticker_of(world)
    with ExitStack() as taken:
        for _ in range(world.parts.database.engine.pool.size()):  # type: ignore[attr-defined]
            taken.enter_context(world.parts.database.reading()).orm.execute(text("SELECT 1"))
        assert world.reader.get(sticker.path).status_code == 200
        assert world.reader.post(f"{sticker.path}/avisar", follow_redirects=False).status_code == 303
        assert world.reader.get(sticker.path).status_code == 200  # Now with an alert: behind the lane.
        assert world.reader.get(f"/e/{sticker.code}").status_code == 200
        body = {"code": sticker.code, "tag": sticker.tag}
        assert world.reader.post("/v2/emergencies", json=body).status_code == 200
        assert notify(world, enveloped(value([message()]))).status_code == 200
    assert world.rows()["emergencies"] == 1


def test_with_every_thread_taken_an_alert_is_answered(world: World) -> None:
    sticker = sticker_of(world)
    gate = Event()

    async def ask() -> tuple[int, int]:
        async with AsyncClient(transport=ASGITransport(world.app), base_url="http://testserver") as client:
            pools = [pool for pool in Pool if pool is not Pool.URGENT]
            taken = [
                asyncio.create_task(threads(pool).run(gate.wait, 60))
                for pool in pools
                for _ in range(MOST_THREADS[pool] + min(5, MOST_WAITING.get(pool, 5)))
            ]
            await asyncio.sleep(0)
            try:
                alert = await client.post(f"{sticker.path}/avisar")
                page = await client.get(sticker.path)
                assert not any(task.done() for task in taken)
            finally:
                gate.set()
                await asyncio.gather(*taken)
            return alert.status_code, page.status_code

    assert asyncio.run(ask()) == (303, 200)


def test_beyond_its_bound_nobody_waits_for_a_thread() -> None:
    pool = Threads("bounded", 1, most_waiting=2)
    gate = Event()

    async def ask() -> None:
        taken = [asyncio.create_task(pool.run(gate.wait, 60)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(ServerBusy):
            await pool.run(gate.wait, 60)
        gate.set()
        assert await asyncio.gather(*taken) == [True] * 3
        assert await pool.run(lambda: "served again") == "served again"

    asyncio.run(ask())


def test_a_large_body_that_would_wait_in_vain_is_refused_unread(world: World) -> None:
    gate = Event()
    headers = {"Content-Type": "application/json", "Content-Length": "900000"}
    request = SlowRequest("/v2/auth/login", a_byte_at_a_time(), headers)

    async def ask() -> int:
        service, large = world.app, threads(Pool.LARGE)
        count = MOST_THREADS[Pool.LARGE] + MOST_WAITING[Pool.LARGE]
        taken = [asyncio.create_task(large.run(gate.wait, 60)) for _ in range(count)]
        await asyncio.sleep(0)
        try:
            return await request.send_to(service)
        finally:
            gate.set()
            await asyncio.gather(*taken)

    assert asyncio.run(ask()) == 503
    assert not request.was_read and request.answer_headers["connection"] == "close"
