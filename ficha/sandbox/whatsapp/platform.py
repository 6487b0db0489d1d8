"""The platform's whole state, in memory, and the things that happen in it by themselves."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ficha.sandbox.whatsapp import notifications
from ficha.sandbox.whatsapp.chats import ChatMessage, Chats, StatusNote
from ficha.sandbox.whatsapp.config import SandboxConfig, StatusPlan
from ficha.sandbox.whatsapp.errors import in_webhook
from ficha.sandbox.whatsapp.faults import Faults
from ficha.sandbox.whatsapp.journal import Journal
from ficha.sandbox.whatsapp.limits import Limits
from ficha.sandbox.whatsapp.media import Media
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import People, Person
from ficha.sandbox.whatsapp.templates import Templates
from ficha.sandbox.whatsapp.tokens import Tokens
from ficha.sandbox.whatsapp.uploads import Uploads
from ficha.sandbox.whatsapp.webhooks import Webhooks


@dataclass
class Subscription:
    """Whether the account tells us anything, and where if not at the app's own address."""

    active: bool = True
    override: str | None = None


class Platform:
    """Lives on the event loop that serves it; from other threads, only look."""

    def __init__(self, config: SandboxConfig) -> None:
        self.config = config
        self.url = ""
        self.version = 0
        self._news = asyncio.Event()
        self._timers: set[asyncio.TimerHandle] = set()
        self._begin()

    def _begin(self) -> None:
        config = self.config
        self.behaviour = config.behaviour
        self.ahead = timedelta()
        self.people = People()
        self.chats = Chats()
        self.limits = Limits()
        self.media = Media()
        self.uploads = Uploads()
        self.journal = Journal()
        self.faults = Faults(config)
        self.subscription = Subscription()
        self.tokens = Tokens(config, self.now())
        self.templates = Templates.shipped(config.base_url)
        self.numbers = {
            config.phone_number_id: Number(config.phone_number_id, config.display_phone_number, config.verified_name),
            config.new_phone_number_id: Number(
                config.new_phone_number_id,
                config.new_display_phone_number,
                config.verified_name,
                verified=False,
                registered=False,
            ),
        }
        self.webhooks = Webhooks(config, self.journal, lambda: self.behaviour, self.now)

    @property
    def number(self) -> Number:
        return self.numbers[self.config.phone_number_id]

    def now(self) -> datetime:
        return self.config.clock() + self.ahead

    @property
    def pending(self) -> int:
        """What is still on its way: statuses to come, notifications not yet taken."""
        return len(self._timers) + self.webhooks.pending

    def changed(self) -> None:
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()

    async def wait_for_news(self, since: int, seconds: float) -> None:
        if self.version != since:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return

    async def reset(self) -> None:
        """As new, behaviour and clock included; the version goes on growing so that whoever watches notices."""
        await self.stop()
        self._begin()
        self.changed()

    async def stop(self) -> None:
        for timer in tuple(self._timers):
            timer.cancel()
        self._timers.clear()
        await self.webhooks.stop()

    def later(self, seconds: float, what: Callable[[], None]) -> None:
        def run() -> None:
            self._timers.discard(timer)
            what()

        timer = asyncio.get_running_loop().call_later(seconds, run)
        self._timers.add(timer)

    def is_window_open(self, person: Person) -> bool:
        until = person.window_until(self.behaviour.window_hours)
        return until is not None and self.now() < until

    def emit(self, change: dict[str, Any], number: Number | None = None, thread: str | None = None) -> None:
        if not self.subscription.active:
            return
        override = number.webhook if number is not None else None
        self.webhooks.emit(change, override or self.subscription.override or self.config.webhook_url, thread)

    def promise_statuses(self, message: ChatMessage, fails: int | None, details: str | None = None) -> None:
        """The news that an accepted message will make."""
        behaviour = self.behaviour
        if behaviour.statuses == "none":
            return
        if fails is not None:
            self.later(behaviour.sent_seconds, lambda: self.note(message, "failed", fails, details))
            return
        times = (behaviour.sent_seconds, behaviour.delivered_seconds, behaviour.read_seconds)
        # A reaction is only ever sent.
        names = ("sent",) if message.type == "reaction" else _sequence(behaviour.statuses, reads=behaviour.auto_read)
        for name, seconds in zip(names, times, strict=False):
            for _ in range(2 if behaviour.statuses == "duplicates" else 1):
                self.later(seconds, lambda name=name: self.note(message, name))  # type: ignore[misc]

    def note(self, message: ChatMessage, status: str, code: int | None = None, details: str | None = None) -> None:
        error = in_webhook(code or 131000, details) if status == "failed" else None
        note = StatusNote(status, self.now(), error)
        message.statuses.append(note)
        number = self.numbers[message.phone_number_id]
        self.emit(notifications.status(number, message, note, self.behaviour), number, message.id)
        self.changed()

    def read_chat(self, person: Person) -> int:
        """The person opens the chat: everything of ours that can be read is read."""
        unread = [m for m in self.chats.sent_to(person) if not m.reached & {"read", "failed"} and m.type != "reaction"]
        for message in unread:
            self.note(message, "read")
        return len(unread)


def version_of(path_part: str) -> float | None:
    found = re.fullmatch(r"v(\d+\.\d+)", path_part)
    return float(found[1]) if found else None


def _sequence(plan: StatusPlan, *, reads: bool) -> tuple[str, ...]:
    match plan:
        case "read_only":
            return ("sent", "read")
        case "reordered":
            return ("read", "delivered", "sent") if reads else ("delivered", "sent")
        case _:
            return ("sent", "delivered", "read") if reads else ("sent", "delivered")
