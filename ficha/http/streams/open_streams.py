"""The open streams of this process: the hub that feeds them, and the sessions they belong to."""

import asyncio
from dataclasses import dataclass

from ficha.core.log import log
from ficha.events.events import EventPosition
from ficha.events.hub import Ending, Hub, Subscriber
from ficha.events.wakeup import end_task
from ficha.http.streams.credentials import StreamCredential, still_valid
from ficha.parts import Parts


@dataclass(frozen=True)
class StreamRules:
    """`beat_seconds`: how often a quiet stream sends a heartbeat, and all sessions are checked."""

    beat_seconds: float = 15.0
    per_account: int = 10
    per_process: int = 1000


class OpenStreams:
    def __init__(self, parts: Parts, rules: StreamRules | None = None) -> None:
        self.rules = rules or StreamRules()
        self.hub = Hub(parts.database, per_audience=self.rules.per_account, most=self.rules.per_process)
        self._clock, self._settings = parts.clock, parts.settings
        self._open: dict[Subscriber, StreamCredential] = {}
        self._session_check: asyncio.Task[None] | None = None

    async def stop(self) -> None:
        if self._session_check is not None:
            await end_task(self._session_check)
        await self.hub.stop()

    async def add(self, subscriber: Subscriber, credential: StreamCredential, since: EventPosition | None) -> None:
        await self.hub.join(subscriber, since)
        self._open[subscriber] = credential
        if self._session_check is None:
            self._session_check = asyncio.get_running_loop().create_task(self._end_revoked())

    def remove(self, subscriber: Subscriber) -> None:
        self._open.pop(subscriber, None)
        self.hub.leave(subscriber)

    async def _end_revoked(self) -> None:
        """Ends the streams of sessions that were revoked, here or in another process."""
        while True:
            await asyncio.sleep(self.rules.beat_seconds)
            checked = dict(self._open)
            if not checked:
                continue
            try:
                now, demanded = self._clock.now(), self._settings.staff_second_factor
                valid = await self.hub.read(still_valid, set(checked.values()), now, demanded)
            except Exception as error:  # Without a database there are no events either; the next round tries again.
                log().warning("events.sessions_not_read", error=type(error).__name__)
                continue
            for subscriber, credential in checked.items():
                if credential not in valid:
                    subscriber.end(Ending.SESSION)
