"""Delivery of notifications: signed, in batches, repeated until the receiver answers 200."""

import asyncio
import hashlib
import hmac
import itertools
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from ficha.sandbox.http_messages import json_bytes
from ficha.sandbox.webhook_client import WebhookClient
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.journal import Journal, WebhookEntry
from ficha.sandbox.whatsapp.notifications import envelope

LARGEST_BATCH = 1000
_DELIVERIES_AT_ONCE = 16


def signature(secret: str, body: bytes) -> str:
    """The value of X-Hub-Signature-256 for exactly these bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhooks:
    def __init__(
        self,
        config: WhatsAppConfig,
        journal: Journal,
        behaviour: Callable[[], Behaviour],
        now: Callable[[], datetime],
    ) -> None:
        self._config = config
        self._journal = journal
        self._behaviour = behaviour
        self._now = now
        self._client = WebhookClient()
        self._numbers = itertools.count(1)
        self._waiting: dict[str | None, list[dict[str, Any]]] = {}
        self._flush: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_tried: dict[str, asyncio.Event] = {}
        self._slots = asyncio.Semaphore(_DELIVERIES_AT_ONCE)

    @property
    def pending(self) -> int:
        return len(self._tasks) + sum(map(len, self._waiting.values()))

    def notify(self, change: dict[str, Any], url: str | None, order_key: str | None = None) -> None:
        """Delivers at once or gathers for a batch. Changes with the same `order_key` arrive in order, as long as the
        receiver accepts each at the first attempt."""
        behaviour = self._behaviour()
        if behaviour.batch_seconds <= 0:
            self.deliver(json_bytes(envelope(self._config.business_id, [change], self._now())), url, order_key)
            return
        self._waiting.setdefault(url, []).append(change)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(behaviour.batch_seconds, self.flush)

    def flush(self) -> None:
        """Delivers what was gathered, up to a thousand changes in one body."""
        self._flush = None
        waiting, self._waiting = self._waiting, {}
        for url, changes in waiting.items():
            for start in range(0, len(changes), LARGEST_BATCH):
                merged = _merge(changes[start : start + LARGEST_BATCH])
                self.deliver(json_bytes(envelope(self._config.business_id, merged, self._now())), url)

    def deliver(self, body: bytes, url: str | None, order_key: str | None = None) -> None:
        """Starts a task that delivers the body and repeats it until the receiver accepts."""
        for _ in range(self._behaviour().webhook_copies):
            before = self._last_tried.get(order_key) if order_key is not None else None
            tried = asyncio.Event()
            task = asyncio.get_running_loop().create_task(self._deliver_with_retries(body, url, before, tried))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if order_key is not None:
                self._last_tried[order_key] = tried

    async def _deliver_with_retries(
        self, body: bytes, url: str | None, before: asyncio.Event | None, tried: asyncio.Event
    ) -> None:
        """Waits for `before`, the first attempt of the delivery before this one, and sets `tried` after its own."""
        delivery = next(self._numbers)
        if before is not None:
            await before.wait()
        try:
            for attempt, wait in enumerate((0.0, *self._behaviour().webhook_retries), start=1):
                await asyncio.sleep(wait)
                async with self._slots:
                    is_accepted = await self._try_once(body, url, delivery, attempt)
                tried.set()
                if is_accepted:
                    return
        finally:
            tried.set()

    async def _try_once(self, body: bytes, url: str | None, delivery: int, attempt: int) -> bool:
        behaviour = self._behaviour()
        secret = "somebody else's secret" if behaviour.wrong_signature else self._config.app_secret
        signed = signature(secret, body)
        status, why = None, None
        if url is None:
            why = "No webhook is configured."
        else:
            headers = {
                "Content-Type": "application/json",
                "X-Hub-Signature-256": signed,
                "User-Agent": "facebookexternalua",
            }
            try:
                status, _ = await self._client.call("POST", url, headers, body, seconds=behaviour.webhook_seconds)
            except (OSError, TimeoutError) as fault:
                why = str(fault) or type(fault).__name__
        number, at = self._journal.next_number(), self._now().isoformat()
        self._journal.entries.append(WebhookEntry(number, at, delivery, attempt, url, status, why, body, signed))
        return status == 200 or url is None

    async def verify_receiver(self, url: str, verify_token: str) -> bool:
        """Whether the receiver answers the GET with this token by returning the challenge, and nothing else."""
        challenge = str(secrets.randbelow(10**10))
        query = urlencode({"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token})
        seconds = self._behaviour().webhook_seconds
        try:
            status, body = await self._client.call("GET", f"{url}?{query}", {"Accept": "*/*"}, seconds=seconds)
        except (OSError, TimeoutError):
            return False
        return status == 200 and body == challenge.encode()

    async def stop(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        self._waiting.clear()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.close()


def _merge(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Puts the statuses of one number into one value, as the platform's own batches do; the rest stays as it is."""
    merged: list[dict[str, Any]] = []
    by_number: dict[str, dict[str, Any]] = {}
    for each in changes:
        value = each["value"]
        number = value.get("metadata", {}).get("phone_number_id")
        if "statuses" not in value or number is None:
            merged.append(each)
        elif number not in by_number:
            by_number[number] = {**value, "statuses": list(value["statuses"]), "contacts": value.get("contacts", [])[:]}
            merged.append({**each, "value": by_number[number]})
        else:
            by_number[number]["statuses"] += value["statuses"]
            by_number[number]["contacts"] += value.get("contacts", [])
    return merged
