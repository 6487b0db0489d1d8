"""The open streams of this process: the hub behind them, the sessions they belong to, and their end."""

import asyncio
from dataclasses import dataclass

from ficha.core.log import log
from ficha.events.events import EventPosition
from ficha.events.hub import Hub
from ficha.events.subscriber import Ending, Subscriber
from ficha.events.tasks import end_task
from ficha.http.streams.credentials import Credential, still_valid
from ficha.http.streams.stop_signal import StopSignal
from ficha.parts import Parts


@dataclass(frozen=True)
class StreamRules:
    """`beat_seconds`: a quiet stream says that it lives, and every stream's session is asked for, this often."""

    beat_seconds: float = 15.0
    per_account: int = 10
    per_process: int = 1000


class OpenStreams:
    def __init__(self, parts: Parts, rules: StreamRules | None = None) -> None:
        self.rules = rules or StreamRules()
        self.hub = Hub(parts.database, per_audience=self.rules.per_account, most=self.rules.per_process)
        self._clock = parts.clock
        self._open: dict[Subscriber, Credential] = {}
        self._watch: asyncio.Task[None] | None = None
        self._signal = StopSignal(self.hub.end_all)

    def start(self) -> None:
        """On the server's loop."""
        self._signal.start()

    async def stop(self) -> None:
        self._signal.stop()
        if self._watch is not None:
            await end_task(self._watch)
        await self.hub.stop()

    async def enter(self, reader: Subscriber, credential: Credential, since: EventPosition | None) -> None:
        await self.hub.join(reader, since)
        self._open[reader] = credential
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._look_after())

    def leave(self, reader: Subscriber) -> None:
        self._open.pop(reader, None)
        self.hub.leave(reader)

    async def _look_after(self) -> None:
        """What was revoked, here or in another process, ends its streams."""
        while True:
            await asyncio.sleep(self.rules.beat_seconds)
            looked_at = dict(self._open)
            if not looked_at:
                continue
            try:
                alive = await self.hub.read(still_valid, set(looked_at.values()), self._clock.now())
            except Exception as error:  # No database, no events either; the next round asks again.
                log().warning("events.sessions_not_read", error=type(error).__name__)
                continue
            for reader, credential in looked_at.items():
                if credential not in alive:
                    reader.end(Ending.SESSION)
