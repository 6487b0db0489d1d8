"""Clients of an application. The requests of all of them run in one event loop."""

from functools import cache
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.testclient import TestClient


def client_of(app: Any) -> TestClient:
    """By itself, a client starts a loop, its thread and the threads of its workers for each request, and ends them:
    that took longer than most requests. The lifespan does not run."""
    client = TestClient(app, raise_server_exceptions=False)
    client.portal = _loop()
    return client


@cache
def _loop() -> BlockingPortal:
    """It runs as long as this process: its thread is a daemon."""
    return _started.__enter__()


_started = start_blocking_portal()
