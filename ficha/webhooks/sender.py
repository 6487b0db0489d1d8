"""Tells events to webhooks, in turns of one thread that does nothing else: a receiver that is slow or gone holds no
thread of the jobs, and of the few calls at a time only its own share."""

import asyncio
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import or_, select

from ficha.channels.webhook_calls import CallEnd, post_event
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.events.statements import read_after
from ficha.webhooks.deliveries import PATIENCE, claim_due, has_due, take_events, write_end
from ficha.webhooks.webhooks import Webhook, allowed_by, signature, signing_secrets

EVERY_SECONDS = 1.0
# Calls at a time in a process, and of one receiver.
MOST_CALLS, MOST_OF_ONE = 16, 2
# No call begins after so long: then events are looked for again.
TURN_SECONDS = 3.0
EVENTS_AT_ONCE = 500
HEADER = "Ficha-Signature"


class PreparedCall(NamedTuple):
    hook_id: int
    delivery_id: int
    url: str
    body: bytes
    signature: str


class WebhookSender:
    """`trusted`: the authorities whose certificates count, if not the usual ones."""

    def __init__(
        self, database: Database, secrets: Secrets, settings: Settings, trusted: ssl.SSLContext | None = None
    ) -> None:
        self._database, self._secrets, self._settings, self._trusted = database, secrets, settings, trusted
        # The webhook that had its turn last: the next begins after it.
        self._last = 0

    def run_turn(self) -> None:
        """Tells what is due, and returns when all calls have ended. While nothing is, it only reads."""
        self._take_events()
        if self._ready_hooks():
            asyncio.run(self._call_all())

    def _take_events(self) -> None:
        with self._database.reading() as tx:
            active = tx.orm.scalars(select(Webhook).where(Webhook.is_active)).all()
            pages = [(hook.id, hook.position, read_after(tx, hook.position, EVENTS_AT_ONCE)) for hook in active]
        for hook_id, position, page in pages:
            if page.events:
                with self._database.writing() as tx:
                    take_events(tx, hook_id, page.events, position)

    def _ready_hooks(self) -> list[int]:
        """Who is to be told something now, whose turn it is first."""
        with self._database.reading() as tx:
            is_awake = or_(Webhook.rests_until.is_(None), Webhook.rests_until <= tx.now())
            awake = tx.orm.scalars(select(Webhook.id).where(Webhook.is_active, is_awake)).all()
            ready = [hook_id for hook_id in awake if has_due(tx, hook_id)]
        return sorted(ready, key=lambda hook_id: (hook_id <= self._last, hook_id))

    async def _call_all(self) -> None:
        deadline = time.monotonic() + TURN_SECONDS
        under_way: dict[asyncio.Task[CallEnd], PreparedCall] = {}
        while True:
            if time.monotonic() < deadline:
                for call in self._claimed(Counter(call.hook_id for call in under_way.values())):
                    under_way[asyncio.create_task(self._post(call))] = call
            if not under_way:
                return
            ended, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                call = under_way.pop(task)
                with self._database.writing() as tx:
                    write_end(tx, call.hook_id, call.delivery_id, task.result())

    def _claimed(self, busy: Counter[int]) -> Iterator[PreparedCall]:
        free = MOST_CALLS - busy.total()
        for hook_id in self._ready_hooks():
            if free <= 0 or busy[hook_id] >= MOST_OF_ONE:
                continue
            with self._database.writing() as tx:
                calls = self._claim(tx, hook_id, busy[hook_id], free)
            if calls:
                self._last = hook_id
            free -= len(calls)
            yield from calls

    def _claim(self, tx: Transaction, hook_id: int, busy: int, free: int) -> list[PreparedCall]:
        hook = tx.orm.get(Webhook, hook_id)
        if hook is None or not hook.is_active:
            return []
        # One that fails again and again is tried by one call at a time.
        most = min(free, (1 if hook.failures >= PATIENCE else MOST_OF_ONE) - busy)
        if most <= 0:
            return []
        seconds = int(tx.now().timestamp())
        secrets = signing_secrets(hook, self._secrets, tx.now())
        return [
            PreparedCall(hook.id, each.id, hook.url, body := each.body(), signature(secrets, seconds, body))
            for each in claim_due(tx, hook, most)
        ]

    async def _post(self, call: PreparedCall) -> CallEnd:
        return await post_event(
            call.url,
            call.body,
            {HEADER: call.signature, "User-Agent": "Ficha"},
            seconds=self._settings.webhook_seconds,
            trusted=self._trusted,
            **allowed_by(self._settings),
        )
