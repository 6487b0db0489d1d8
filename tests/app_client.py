"""Clients of an application. The requests of all of them run in one event loop."""

from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import Any

import anyio
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient


def client_of(app: Any) -> TestClient:
    """By itself, a client starts a loop, its thread and the threads of its workers for each request, and ends them:
    two milliseconds of work or more. The lifespan does not run."""
    client = TestClient(app, raise_server_exceptions=False)
    client.portal = _loop()
    return client


@cache
def _loop() -> BlockingPortal:
    """It runs as long as this process, whose end waits for none of its threads."""
    started: Future[BlockingPortal] = Future()

    async def run() -> None:
        async with BlockingPortal() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()

    Thread(target=anyio.run, args=(run,), name="requests", daemon=True).start()
    return started.result()
