"""Chatwoot calls webhooks: signed, and once. Who is not there to listen never hears of it."""

import asyncio
import hashlib
import hmac
import uuid
from collections.abc import Callable
from typing import Any

from ficha.sandbox.chatwoot.journal import ChatwootDelivery
from ficha.sandbox.chatwoot.records import Message, Webhook
from ficha.sandbox.chatwoot.responses import json_text
from ficha.sandbox.chatwoot.state import ChatwootState
from ficha.sandbox.webhook_client import WebhookClient

_AT_ONCE = 16


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The value of X-Chatwoot-Signature."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


class ChatwootWebhooks:
    def __init__(self, platform: ChatwootState) -> None:
        self._platform = platform
        self._client = WebhookClient()
        self._tasks: set[asyncio.Task[None]] = set()
        self._last: dict[int, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)

    @property
    def pending(self) -> int:
        return len(self._tasks)

    def emit(
        self, event: str, payload: Callable[[], dict[str, Any]], order_key: int | None, message: Message | None
    ) -> None:
        """Events with one `order_key` are told one after the other."""
        wanted = [each for each in self._platform.webhooks.values() if event in each.subscriptions]
        wanted += self._of_inbox(order_key)
        if not wanted:
            return
        body = json_text({"event": event} | payload()).encode()
        for webhook in wanted:
            for _ in range(self._platform.behaviour.webhook_copies):
                before = self._last.get(order_key) if order_key is not None else None
                task = asyncio.get_running_loop().create_task(self._call(event, webhook, body, before, message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                if order_key is not None:
                    self._last[order_key] = task

    def _of_inbox(self, conversation_id: int | None) -> list[Webhook]:
        """The one of the conversation's inbox, if it has one. It is no webhook of the account: its id is negative."""
        found = self._platform.conversations.get(conversation_id or 0)
        if found is None or found.inbox.webhook_url is None:
            return []
        return [Webhook(-found.inbox.id, found.inbox.webhook_url, [], self._platform.config.webhook_secret)]

    async def _call(
        self, event: str, webhook: Webhook, body: bytes, before: asyncio.Task[None] | None, message: Message | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        behaviour, status, why = self._platform.behaviour, None, None
        headers = self._headers(webhook, body)
        async with self._slots:
            try:
                status, _ = await self._client.call(
                    "POST", webhook.url, headers, body, seconds=behaviour.webhook_seconds
                )
            except (OSError, TimeoutError, ValueError) as fault:  # ValueError: an address of another machine.
                why = str(fault) or type(fault).__name__
        journal = self._platform.journal
        entry = ChatwootDelivery(journal.next_number(), event, webhook.url, status, why, headers, body.decode())
        journal.entries.append(entry)
        if message is not None and webhook.id < 0 and (status is None or status >= 300):
            # Only the webhook of an API inbox leaves a trace of its failure.
            message.status = "failed"

    def _headers(self, webhook: Webhook, body: bytes) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "X-Chatwoot-Delivery": str(uuid.uuid4()),
        }
        behaviour = self._platform.behaviour
        if behaviour.signs_webhooks and webhook.secret:
            timestamp = str(int(self._platform.now().timestamp()))
            secret = "somebody else's secret" if behaviour.wrong_signature else webhook.secret
            headers |= {
                "X-Chatwoot-Timestamp": timestamp,
                "X-Chatwoot-Signature": signature(secret, timestamp, body),
            }
        return headers

    async def stop(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.close()
