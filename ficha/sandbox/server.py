"""A running sandbox: in this process's own event loop, or in a thread beside a test."""

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from ficha.sandbox.listener import Listener
from ficha.sandbox.whatsapp.config import SandboxConfig
from ficha.sandbox.whatsapp.inbound import receive
from ficha.sandbox.whatsapp.platform import Platform
from ficha.sandbox.whatsapp.requests import Door

T = TypeVar("T")


async def serve(config: SandboxConfig, stop: asyncio.Event, ready: Callable[[Platform], None]) -> None:
    """Until `stop` is set."""
    platform = Platform(config)
    listener = Listener(Door(platform), config.port)
    port = await listener.start()
    platform.url = f"http://127.0.0.1:{port}"
    ready(platform)
    try:
        await stop.wait()
    finally:
        await listener.stop()
        await platform.stop()


class Sandbox:
    """`with Sandbox(config) as sandbox:` serves on a free port until the block ends."""

    def __init__(self, config: SandboxConfig | None = None) -> None:
        self.config = config or SandboxConfig()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._platform: Platform | None = None
        self._fault: BaseException | None = None

    @property
    def platform(self) -> Platform:
        """To look at. To change something from a test, go through `call`."""
        if self._platform is None:
            raise RuntimeError("The sandbox is not running.")
        return self._platform

    @property
    def url(self) -> str:
        return self.platform.url

    def start(self) -> Self:
        up = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(up,), name="sandbox", daemon=True)
        self._thread.start()
        up.wait()
        if self._fault is not None:
            self._thread.join()
            raise self._fault
        return self

    def stop(self) -> None:
        if self._thread is None:
            return
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = None

    def call(self, what: Callable[[Platform], T]) -> T:
        """Do something to the platform on its own thread."""

        async def run() -> T:
            return what(self.platform)

        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    def receive(self, **message: Any) -> str:
        """A person writes: the same fields as POST /_sandbox/messages, with `from_` for `from`. The message's id."""
        given = {name.rstrip("_"): value for name, value in message.items()}
        return self.call(lambda platform: receive(platform, given).id)

    def settle(self, seconds: float = 10) -> None:
        """Wait until every status has been told and every notification has been taken."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._settle(seconds), self._loop).result(seconds + 5)

    async def _settle(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while self.platform.pending:
                await asyncio.sleep(0.005)

    def _run(self, up: threading.Event) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            self._stop = asyncio.Event()

            def ready(platform: Platform) -> None:
                self._platform = platform
                up.set()

            await serve(self.config, self._stop, ready)

        try:
            asyncio.run(main())
        except Exception as fault:  # It belongs to whoever waits in `start`.
            self._fault = fault
        finally:
            up.set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
