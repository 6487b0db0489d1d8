"""A number that grows with every change of a platform, for whoever waits for one."""

import asyncio


class Changes:
    def __init__(self) -> None:
        self.version = 0
        self._change = asyncio.Event()

    def mark_changed(self) -> None:
        """Raises the version and wakes whoever waits for a change."""
        self.version += 1
        self._change.set()
        self._change = asyncio.Event()

    async def wait_for_change(self, since: int, seconds: float) -> None:
        """Returns when the version is another than `since`, or after that many seconds."""
        if self.version != since:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._change.wait()
        except TimeoutError:
            return
