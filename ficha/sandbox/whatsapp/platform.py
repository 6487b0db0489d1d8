"""The whole state of the WhatsApp platform, in memory, and what happens in it with time."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ficha.sandbox.behaviour import changed
from ficha.sandbox.changes import Changes
from ficha.sandbox.fault_rules import Faults
from ficha.sandbox.whatsapp import notifications
from ficha.sandbox.whatsapp.behaviour import StatusPlan
from ficha.sandbox.whatsapp.chats import ChatMessage, Chats, DeliveryFailure, StatusUpdate
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.errors import webhook_error
from ficha.sandbox.whatsapp.faults import read_rule
from ficha.sandbox.whatsapp.flows import Flows
from ficha.sandbox.whatsapp.groups import Groups
from ficha.sandbox.whatsapp.journal import Journal
from ficha.sandbox.whatsapp.limits import Limits
from ficha.sandbox.whatsapp.media import Media
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import People, Person
from ficha.sandbox.whatsapp.templates import Templates
from ficha.sandbox.whatsapp.tokens import AccessTokens
from ficha.sandbox.whatsapp.uploads import Uploads
from ficha.sandbox.whatsapp.webhooks import Webhooks


@dataclass
class Subscription:
    """Whether the account sends notifications, and where if not to the app's own webhook."""

    active: bool = True
    override: str | None = None


class WhatsAppPlatform(Changes):
    """Changed only on the event loop that serves it; other threads may read."""

    def __init__(self, config: WhatsAppConfig, clock: Callable[[], datetime]) -> None:
        super().__init__()
        self.config = config
        self.url = ""
        self._clock = clock
        self._timers: set[asyncio.TimerHandle] = set()
        self._set_initial_state()

    def _set_initial_state(self) -> None:
        config = self.config
        self.behaviour = config.behaviour
        self.clock_offset = timedelta()
        self.people = People()
        self.chats = Chats()
        self.limits = Limits()
        self.media = Media()
        self.uploads = Uploads()
        self.groups = Groups()
        self.flows = Flows()
        self.journal = Journal()
        self.faults = Faults(config.seed, read_rule)
        self.subscription = Subscription()
        self.tokens = AccessTokens(config, self.now())
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
        return self._clock() + self.clock_offset

    @property
    def pending(self) -> int:
        """Statuses that are still to come and notifications that nobody has accepted yet."""
        return len(self._timers) + self.webhooks.pending

    async def reset(self) -> None:
        """To the state of the start, behaviour and clock included; only the version goes on growing, so that whoever
        waits for a change notices."""
        await self.stop()
        self._set_initial_state()
        self.mark_changed()

    async def stop(self) -> None:
        for timer in tuple(self._timers):
            timer.cancel()
        self._timers.clear()
        await self.webhooks.stop()

    def schedule(self, seconds: float, what: Callable[[], None]) -> None:
        """Calls `what` after that many seconds, unless the platform is stopped or reset first."""

        def run() -> None:
            self._timers.discard(timer)
            what()

        timer = asyncio.get_running_loop().call_later(seconds, run)
        self._timers.add(timer)

    def change_behaviour(self, values: Mapping[str, Any]) -> None:
        """Raises BadBehaviour for an unknown name or a value of the wrong type."""
        self.behaviour = changed(self.behaviour, values)
        self.mark_changed()

    def is_window_open(self, person: Person) -> bool:
        until = person.window_until(self.behaviour.window_hours)
        return until is not None and self.now() < until

    def notify(self, change: dict[str, Any], number: Number | None = None, order_key: str | None = None) -> None:
        """Sends a notification to the webhook of the number, of the account or of the app, whichever is set first."""
        if not self.subscription.active:
            return
        override = number.webhook if number is not None else None
        self.webhooks.notify(change, override or self.subscription.override or self.config.webhook_url, order_key)

    def schedule_statuses(self, message: ChatMessage, failure: DeliveryFailure | None) -> None:
        """Schedules the statuses that an accepted message will get."""
        behaviour = self.behaviour
        if behaviour.statuses == "none":
            return
        if failure is not None:
            code, details = failure.code, failure.details
            self.schedule(behaviour.sent_seconds, lambda: self.add_status(message, "failed", code, details))
            return
        times = (behaviour.sent_seconds, behaviour.delivered_seconds, behaviour.read_seconds)
        # A reaction is never delivered or read.
        names = ("sent",) if message.type == "reaction" else _sequence(behaviour.statuses, reads=behaviour.auto_read)
        for name, seconds in zip(names, times, strict=False):
            for _ in range(2 if behaviour.statuses == "duplicates" else 1):
                self.schedule(seconds, lambda name=name: self.add_status(message, name))  # type: ignore[misc]

    def add_status(
        self, message: ChatMessage, status: str, code: int | None = None, details: str | None = None
    ) -> None:
        """Adds a status to a message and notifies the business of it. `code` is the error of a failed one."""
        error = webhook_error(code or 131000, details) if status == "failed" else None
        update = StatusUpdate(status, self.now(), error)
        message.statuses.append(update)
        number = self.numbers[message.phone_number_id]
        self.notify(notifications.status(number, message, update, self.behaviour), number, message.id)
        self.mark_changed()

    def mark_chat_read(self, person: Person) -> int:
        """The person opens the chat: every message to them that can be read is read. Returns how many were."""
        unread = [m for m in self.chats.sent_to(person) if not m.reached & {"read", "failed"} and m.type != "reaction"]
        for message in unread:
            self.add_status(message, "read")
        return len(unread)


def _sequence(plan: StatusPlan, *, reads: bool) -> tuple[str, ...]:
    match plan:
        case "read_only":
            return ("sent", "read")
        case "reordered":
            return ("read", "delivered", "sent") if reads else ("delivered", "sent")
        case _:
            return ("sent", "delivered", "read") if reads else ("sent", "delivered")
