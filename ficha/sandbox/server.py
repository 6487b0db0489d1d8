"""A running sandbox: on the event loop of its own process, or in a thread of a test."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.demo import add_demo
from ficha.sandbox.kept_state import KeptState
from ficha.sandbox.listener import Listener
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.whatsapp.inbound import receive
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform

T = TypeVar("T")
_TURNS_TO_ANSWER = 8


async def serve(config: SandboxConfig, stop: asyncio.Event, ready: Callable[[Platforms], None]) -> None:
    """Serves until `stop` is set; calls `ready` once it listens. Raises OSError if the port is taken."""
    platforms = Platforms(config)
    listener = Listener(platforms.answer, config.port)
    port = await listener.start()
    platforms.listen_at(f"http://127.0.0.1:{port}")
    kept = KeptState(Path(config.folder), platforms) if config.folder is not None else None
    saving = None
    if kept is not None:
        kept.load()
        saving = asyncio.create_task(kept.save_now_and_then())
    if config.is_demo:
        add_demo(platforms)
    ready(platforms)
    try:
        await stop.wait()
    finally:
        await listener.stop()
        await platforms.stop()
        if kept is not None and saving is not None:
            saving.cancel()
            kept.save()


class Sandbox:
    """`with Sandbox(config) as sandbox:` serves on a free port until the block ends."""

    def __init__(self, config: SandboxConfig | None = None) -> None:
        self.config = config or SandboxConfig()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._platforms: Platforms | None = None
        self._fault: BaseException | None = None

    @property
    def whatsapp(self) -> WhatsAppPlatform:
        """For reading. What changes something goes through `call`."""
        return self._running.whatsapp

    @property
    def chatwoot(self) -> ChatwootPlatform:
        """For reading. What changes something goes through `call`."""
        return self._running.chatwoot

    @property
    def url(self) -> str:
        return self._running.url

    def start(self) -> Self:
        """Returns once it listens; raises what kept it from starting."""
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), name="sandbox", daemon=True)
        self._thread.start()
        started.wait()
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

    def call(self, what: Callable[[Platforms], T]) -> T:
        """Runs `what` on the sandbox's own thread and returns its result."""

        async def run() -> T:
            return what(self._running)

        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    def receive(self, **message: Any) -> str:
        """A person writes by WhatsApp: the fields of POST /_sandbox/messages, with `from_` for `from`. Returns the
        message's id."""
        given = {name.rstrip("_"): value for name, value in message.items()}
        return self.call(lambda platforms: receive(platforms.whatsapp, given).id)

    def wait_until_idle(self, seconds: float = 10) -> None:
        """Until every request that arrived is answered, every status sent, and every notification accepted or given up;
        raises TimeoutError."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(self._wait_until_idle(seconds), self._loop).result(seconds + 5)

    async def _wait_until_idle(self, seconds: float) -> None:
        async with asyncio.timeout(seconds):
            while True:
                # A request that arrived before is not pending until it is read, on the next turns of the event loop.
                for _ in range(_TURNS_TO_ANSWER):
                    await asyncio.sleep(0)
                if not self._running.pending:
                    return
                await asyncio.sleep(0.005)

    @property
    def _running(self) -> Platforms:
        if self._platforms is None:
            raise RuntimeError("The sandbox is not running.")
        return self._platforms

    def _run(self, started: threading.Event) -> None:
        async def main() -> None:
            self._loop = asyncio.get_running_loop()
            self._stop = asyncio.Event()

            def ready(platforms: Platforms) -> None:
                self._platforms = platforms
                started.set()

            await serve(self.config, self._stop, ready)

        try:
            asyncio.run(main())
        except Exception as fault:  # `start` raises it.
            self._fault = fault
        finally:
            started.set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
