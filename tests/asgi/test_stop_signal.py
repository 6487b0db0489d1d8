"""A signal to stop that comes while the event loop has much to do."""

import asyncio
import os
import signal

from ficha.asgi.stop_signal import StopSignal
from tests.processes import start

MANY = 5_000


def stop_in_a_burst() -> None:
    """As a server process does it: its own handler sits on the loop, and requests come from other threads."""
    asyncio.run(_stop_in_a_burst())


async def _stop_in_a_burst() -> None:
    loop = asyncio.get_running_loop()
    told: list[str] = []
    loop.add_signal_handler(signal.SIGTERM, told.append, "server")
    loop.add_signal_handler(signal.SIGINT, told.append, "server")
    stop_signal = StopSignal(lambda: told.append("service"))
    stop_signal.start()
    for _ in range(MANY):
        loop.call_soon_threadsafe(int)
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(60):
        while "server" not in told:
            await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(100):
        await asyncio.sleep(0)
    stop_signal.stop()
    assert sorted(told) == ["server", "service"]


def test_a_stop_is_told_once_also_in_a_burst_of_requests() -> None:
    process = start(stop_in_a_burst)
    process.join(120)
    assert process.exitcode == 0
