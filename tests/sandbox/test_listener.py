"""The sandbox's HTTP server ends with all of its connections."""

import asyncio
import gc
import socket

from ficha.sandbox.http_messages import HttpRequest, HttpResponse
from ficha.sandbox.listener import Listener


async def nothing(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(200)


async def stopped_while_somebody_comes(turns: int) -> None:
    listener = Listener(nothing, 0)
    port = await listener.start()
    with socket.create_connection(("127.0.0.1", port)):
        for _ in range(turns):
            await asyncio.sleep(0)
        await listener.stop()


def test_a_connection_that_had_only_just_come_is_closed_too() -> None:
    """However far its beginning had got: one that is left open is a warning, which fails a test."""
    for turns in range(8):
        asyncio.run(stopped_while_somebody_comes(turns))
    gc.collect()
