"""More requests at once than connections and threads: all wait a little, and none for ever."""

import asyncio

from httpx import ASGITransport, AsyncClient

from tests.world import World

MANY = 200


def test_many_at_once_share_a_few_connections(world: World) -> None:
    maria = world.register()

    async def ask_all() -> list[int]:
        # One event loop for all of them, as in the server.
        async with AsyncClient(transport=ASGITransport(world.app), base_url="http://testserver", timeout=60) as client:
            asking = [client.get("/v2/auth/me", headers=maria.headers) for _ in range(MANY)]
            return [answer.status_code for answer in await asyncio.gather(*asking)]

    assert asyncio.run(ask_all()) == [200] * MANY
