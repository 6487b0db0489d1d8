"""Delivering notifications: signed, in batches, repeated until somebody answers 200."""

import asyncio
import hashlib
import hmac
import itertools
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from ficha.sandbox.http_messages import dump
from ficha.sandbox.webhook_client import call
from ficha.sandbox.whatsapp.config import Behaviour, SandboxConfig
from ficha.sandbox.whatsapp.journal import Journal, Went
from ficha.sandbox.whatsapp.notifications import envelope

LARGEST_BATCH = 1000
_SIDE_BY_SIDE = 16


def signature(secret: str, body: bytes) -> str:
    """X-Hub-Signature-256 over the exact bytes."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


class Webhooks:
    def __init__(
        self,
        config: SandboxConfig,
        journal: Journal,
        behaviour: Callable[[], Behaviour],
        now: Callable[[], datetime],
    ) -> None:
        self._config = config
        self._journal = journal
        self._behaviour = behaviour
        self._now = now
        self._numbers = itertools.count(1)
        self._waiting: dict[str | None, list[dict[str, Any]]] = {}
        self._flush: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._threads: dict[str, asyncio.Event] = {}
        self._side_by_side = asyncio.Semaphore(_SIDE_BY_SIDE)

    @property
    def pending(self) -> int:
        return len(self._tasks) + sum(map(len, self._waiting.values()))

    def emit(self, change: dict[str, Any], url: str | None, thread: str | None = None) -> None:
        """What belongs to one `thread` leaves in order, as long as the receiver takes it at the first try."""
        behaviour = self._behaviour()
        if behaviour.batch_seconds <= 0:
            self.deliver(dump(envelope(self._config.business_id, [change], self._now())), url, thread)
            return
        self._waiting.setdefault(url, []).append(change)
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(behaviour.batch_seconds, self.flush)

    def flush(self) -> None:
        """What was gathered leaves together, up to a thousand updates in one body."""
        self._flush = None
        waiting, self._waiting = self._waiting, {}
        for url, changes in waiting.items():
            for start in range(0, len(changes), LARGEST_BATCH):
                merged = _merge(changes[start : start + LARGEST_BATCH])
                self.deliver(dump(envelope(self._config.business_id, merged, self._now())), url)

    def deliver(self, body: bytes, url: str | None, thread: str | None = None) -> None:
        for _ in range(self._behaviour().webhook_copies):
            before = self._threads.get(thread) if thread is not None else None
            tried = asyncio.Event()
            task = asyncio.get_running_loop().create_task(self._insist(body, url, before, tried))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            if thread is not None:
                self._threads[thread] = tried

    async def _insist(self, body: bytes, url: str | None, before: asyncio.Event | None, tried: asyncio.Event) -> None:
        delivery = next(self._numbers)
        if before is not None:
            await before.wait()
        try:
            for attempt, wait in enumerate((0.0, *self._behaviour().webhook_retries), start=1):
                await asyncio.sleep(wait)
                async with self._side_by_side:
                    is_taken = await self._once(body, url, delivery, attempt)
                tried.set()
                if is_taken:
                    return
        finally:
            tried.set()

    async def _once(self, body: bytes, url: str | None, delivery: int, attempt: int) -> bool:
        behaviour = self._behaviour()
        seal = signature("somebody else's secret" if behaviour.wrong_signature else self._config.app_secret, body)
        status, why = None, None
        if url is None:
            why = "No webhook is configured."
        else:
            headers = {
                "Content-Type": "application/json",
                "X-Hub-Signature-256": seal,
                "User-Agent": "facebookexternalua",
            }
            try:
                status, _ = await call("POST", url, headers, body, seconds=behaviour.webhook_seconds)
            except (OSError, TimeoutError) as fault:
                why = str(fault) or type(fault).__name__
        self._journal.entries.append(
            Went(self._journal.next(), self._now().isoformat(), delivery, attempt, url, status, why, body, seal)
        )
        return status == 200 or url is None

    async def handshake(self, url: str, verify_token: str) -> bool:
        """The GET that asks whether the receiver knows the token: the challenge must come back, and nothing else."""
        challenge = str(secrets.randbelow(10**10))
        query = urlencode({"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token})
        seconds = self._behaviour().webhook_seconds
        try:
            status, body = await call("GET", f"{url}?{query}", {"Accept": "*/*"}, seconds=seconds)
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


def _merge(changes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Statuses of one number share a value, as in the platform's own batches; the rest stand side by side."""
    merged: list[dict[str, Any]] = []
    together: dict[str, dict[str, Any]] = {}
    for each in changes:
        value = each["value"]
        number = value.get("metadata", {}).get("phone_number_id")
        if "statuses" not in value or number is None:
            merged.append(each)
        elif number not in together:
            together[number] = {**value, "statuses": list(value["statuses"]), "contacts": value.get("contacts", [])[:]}
            merged.append({**each, "value": together[number]})
        else:
            together[number]["statuses"] += value["statuses"]
            together[number]["contacts"] += value.get("contacts", [])
    return merged
