"""Server-Sent Events: responses that stay open, the sessions they belong to and whether these are still valid, and what
ends them."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeVar

from sqlalchemy import select
from starlette.responses import Response
from starlette.types import Receive, Send

from ficha.accounts.accounts import Account, BrowserSession, Token
from ficha.accounts.caller_selects import CALLER_COLUMNS, CallerRow, session_is_live, token_is_live
from ficha.accounts.tokens import Caller, PresentedCredential, Unauthenticated, caller_in
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.events.events import EventPosition
from ficha.events.hub import Ending, Hub, Subscriber
from ficha.events.wakeup import end_task
from ficha.http.callers import first_caller
from ficha.parts import Parts

T = TypeVar("T")

BATCH_SIZE = 500
HEARTBEAT = b": latido\n\n"
# A reader who takes nothing for this many heartbeats is gone, whatever the network says.
SEND_TIMEOUT_BEATS = 2
# How long the last words may take after the session ended or the server stops.
LAST_WRITE_SECONDS = 1.0


class StreamCredential(NamedTuple):
    """What a stream was opened with. `browser_hash` is set when a session cookie stood for the token."""

    token_id: int
    is_staff: bool
    browser_hash: bytes | None = None


def caller_and_credential(
    tx: Transaction, presented: Iterable[PresentedCredential], now: datetime, *, staff_second_factor: bool
) -> tuple[Caller, StreamCredential]:
    """Who opens a stream, and with what; raises Unauthenticated if nothing that was shown is good."""
    found = first_caller(tx, presented, now, staff_second_factor=staff_second_factor)
    if found is None:
        raise Unauthenticated
    caller, credential = found
    return caller, StreamCredential(caller.token_id, caller.acts_as_staff, credential.browser_hash)


def still_valid(
    tx: Transaction, credentials: Collection[StreamCredential], now: datetime, staff_second_factor: bool
) -> set[StreamCredential]:
    """Those that would still be let in. A caller who became staff, or is no longer staff, has to connect again."""
    is_staff: dict[int, bool] = {}
    live_tokens: set[int] = set()
    for ids in _batches([one.token_id for one in credentials]):
        rows = tx.orm.execute(
            select(Token.hash, *CALLER_COLUMNS, token_is_live(now).label("is_live"))
            .join(Account, Account.id == Token.account_id)
            .where(Token.id.in_(ids))
        )
        for row in rows.all():
            caller = caller_in(tx, CallerRow(*row[:-1]), staff_second_factor=staff_second_factor)
            is_staff[row.id] = caller.acts_as_staff
            if row.is_live:
                live_tokens.add(row.id)
    live_sessions: set[bytes] = set()
    for hashes in _batches([one.browser_hash for one in credentials if one.browser_hash is not None]):
        live_sessions.update(
            tx.orm.scalars(
                select(BrowserSession.hash)
                .join(Token, Token.id == BrowserSession.token_id)
                .join(Account, Account.id == Token.account_id)
                .where(BrowserSession.hash.in_(hashes), session_is_live(now))
            )
        )
    return {
        one
        for one in credentials
        if is_staff.get(one.token_id) == one.is_staff
        and (one.token_id in live_tokens if one.browser_hash is None else one.browser_hash in live_sessions)
    }


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


class StreamResponse(Response):
    media_type = "text/event-stream"

    def __init__(self, streams: OpenStreams, subscriber: Subscriber) -> None:
        # Not Response's own: it would announce a Content-Length.
        self.status_code = 200
        self.background = None
        # Some proxies keep an answer until it ends, unless a header says that this one does not.
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self.streams = streams
        self.subscriber = subscriber

    async def write(self, send: Send) -> None:
        """Each kind of stream has its own: it writes the whole answer, and returns once `subscriber.ending` is set."""
        raise NotImplementedError

    async def serve(self, receive: Receive, send: Send) -> None:
        """Writing blocks while a slow reader takes nothing, so other tasks watch for the end."""
        writer = asyncio.create_task(self.write(send))
        others = [asyncio.create_task(_until_disconnected(receive)), asyncio.create_task(self._until_ended())]
        try:
            await asyncio.wait([writer, *others], return_when=asyncio.FIRST_COMPLETED)
            if self.subscriber.ending in (Ending.SESSION, Ending.STOPPING, Ending.REPLACED):
                await asyncio.wait([writer], timeout=LAST_WRITE_SECONDS)
        finally:
            for task in (writer, *others):
                task.cancel()
            outcome, *_ = await asyncio.gather(writer, *others, return_exceptions=True)
        if isinstance(outcome, Exception) and not isinstance(outcome, OSError):  # OSError: nobody is there any more.
            raise outcome

    async def start(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})

    async def send_piece(self, send: Send, piece: bytes) -> None:
        """Ends the subscriber if the piece is not taken in time."""
        try:
            async with asyncio.timeout(self.streams.rules.beat_seconds * SEND_TIMEOUT_BEATS):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except TimeoutError:
            self.subscriber.end(Ending.TOO_SLOW)

    async def finish(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": b""})

    async def _until_ended(self) -> None:
        await self.subscriber.ended.wait()


async def _until_disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _batches(items: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(items), BATCH_SIZE):
        yield items[start : start + BATCH_SIZE]
