"""The webhook's intake: checks the signature over the bytes as they came, stores them, and only then answers.
A job reads what is in them."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError

from ficha.asgi.bodies import BODY, BodyBudget, BoundedBody, whole_body
from ficha.channels.errors import BadSignature, MissingSignature
from ficha.core.db import Unavailable, use_reserved_connections
from ficha.core.settings import Settings
from ficha.fastlane.envelope_bytes import EnvelopeBytes, Payload
from ficha.fastlane.lane import Answering, LaneRequest, LaneResponse, LaneRoute
from ficha.messaging.notifications import (
    INTAKE_PRIORITY,
    Unsigned,
    WronglySigned,
    seal_notification,
    store_notifications,
)
from ficha.parts import Parts

RECEIVED = Payload(b'{"received":true}', ())
# What one transaction takes at most: a longer wait for its end would help nobody.
MOST_BODIES = 64
MOST_BYTES = 8_000_000
# Of all bodies that are being received or wait to be written.
ALL_BYTES = 32_000_000


def webhook_path(settings: Settings) -> str:
    return f"{settings.v2}/webhook/{settings.messaging_channel}"


class WaitingBody(NamedTuple):
    body: bytes
    at: datetime
    stored: "asyncio.Future[None]"


class WebhookIntake:
    """Bodies that come while others are being written wait, and are then written together in one transaction."""

    def __init__(self, parts: Parts, envelope: EnvelopeBytes) -> None:
        self.path = webhook_path(parts.settings)
        self._route = LaneRoute(self.path)
        self._parts = parts
        self._envelope = envelope
        self._signature_headers = [(name.encode(), name) for name in parts.messenger.signature_headers]
        self._budget = BodyBudget(ALL_BYTES)
        self._waiting: list[WaitingBody] = []
        self._writer: asyncio.Task[None] | None = None
        # A thread of its own: the database may keep it waiting, and the event loop must not.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="intake", initializer=use_reserved_connections)

    def find(self, method: str, path: str) -> tuple[LaneRoute, Answering] | None:
        return (self._route, self._answer) if path == self.path and method == "POST" else None

    async def open(self) -> None: ...

    async def _answer(self, request: LaneRequest) -> LaneResponse:
        if not any(name in request.headers for name, _ in self._signature_headers):
            raise Unsigned  # Before anything of it is read.
        bounded: BoundedBody = request.scope[BODY]
        bounded.count_in(self._budget)
        body = await whole_body(bounded)
        self._check(request.headers, body)
        now = self._parts.clock.now()
        with INTAKE_PRIORITY.unanswered():
            await self._store(body, now)
        return LaneResponse(200, self._envelope.wrap(RECEIVED, now), [])

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer
        self._thread.shutdown(wait=False)

    def _check(self, headers: Mapping[bytes, bytes], body: bytes) -> None:
        # Only these are decoded: to decode all headers costs half as much as the check itself.
        read = {text: headers[name].decode("latin-1") for name, text in self._signature_headers if name in headers}
        try:
            self._parts.messenger.verify(read, body)
        except MissingSignature:
            raise Unsigned from None
        except BadSignature:
            raise WronglySigned from None

    async def _store(self, body: bytes, now: datetime) -> None:
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(WaitingBody(body, now, stored))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        try:
            await stored
        except (SQLAlchemyError, OSError, TimeoutError) as error:
            raise Unavailable from error  # The platform sends it again.

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._next_batch()
            try:
                await loop.run_in_executor(self._thread, self._store_batch, batch)
            except Exception as error:
                for one in batch:
                    if not one.stored.done():
                        one.stored.set_exception(error)
            else:
                for one in batch:
                    if not one.stored.done():
                        one.stored.set_result(None)
        self._writer = None

    def _next_batch(self) -> list[WaitingBody]:
        size = count = 0
        for one in self._waiting[:MOST_BODIES]:
            size += len(one.body)
            if count and size > MOST_BYTES:
                break
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    def _store_batch(self, batch: Sequence[WaitingBody]) -> None:
        received = [seal_notification(self._parts.secrets, one.body, one.at) for one in batch]
        with self._parts.database.writing() as tx:
            store_notifications(tx, received)
