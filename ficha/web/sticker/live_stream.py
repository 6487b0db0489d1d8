"""How far the alert has come, as it comes: a stream for as long as the page of a sticker is open."""

import json
from collections.abc import Callable

from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

from ficha.accounts.accounts import Idioma
from ficha.core.log import log
from ficha.emergencies.alert_progress import current_emergency, live_lines
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_events import sticker_topic
from ficha.events.hub import StreamsFull, TooManyStreams
from ficha.events.subscriber import Subscriber
from ficha.fmd.access import FmdNotFound, scan
from ficha.http.streams.event_stream import BEAT, EventStream
from ficha.http.streams.open_streams import Streams
from ficha.parts import Parts
from ficha.products.decoys import address_group
from ficha.web.sticker.progress_sentences import sentences

HELLO = b"retry: 3000\n\n"

Lines = tuple[str, ...]
Look = Callable[[Session], Lines | None]


class Bystander(Subscriber):
    """Somebody with a sticker before them, whom nobody knows by more than an address."""

    def __init__(self, record_id: int, address: str) -> None:
        super().__init__(sticker_topic(record_id), is_staff=False)
        self.household = address_group(address)


class Sticker:
    """What those who stand beside the person may hear. It is asked for again each time: stickers get lost."""

    def __init__(self, parts: Parts, code: str, tag: str, language: Idioma) -> None:
        self._parts, self._code, self._tag, self._language = parts, code, tag, language
        self._told_of: int | None = None

    def record_id(self, session: Session) -> int:
        return scan(session, self._parts.keyring, self._code, self._tag).record.id

    def lines(self, session: Session) -> Lines | None:
        """Of the alert under way. One that has ended since it was told of is told to its end."""
        fmd = scan(session, self._parts.keyring, self._code, self._tag)
        emergency = current_emergency(session, fmd.record.id)
        if emergency is None and self._told_of is not None:
            emergency = session.get(Emergency, self._told_of)
        if emergency is None:
            return None
        self._told_of = emergency.id
        return sentences(live_lines(session, fmd.key, emergency, self._parts.clock.now()), self._language)


class LiveStream(EventStream):
    """Needs no session, so there are few for each sticker and each address. Who is refused has a page that reloads."""

    def __init__(self, streams: Streams, reader: Bystander, look: Look) -> None:
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._streams = streams
        self._reader = self._bystander = reader
        self._look = look

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hub = self._streams.hub
        await hub.join(self._reader, None)
        try:
            self._must_fit()
            await self._serve(receive, send)
        finally:
            hub.leave(self._reader)

    def _must_fit(self) -> None:
        """Strangers never take the room of those who have an account: half of it stays free of them."""
        rules = self._streams.rules
        strangers = [reader for reader in self._streams.hub.subscribers if isinstance(reader, Bystander)]
        if len(strangers) > max(1, rules.per_process // 2):
            raise StreamsFull
        if sum(one.household == self._bystander.household for one in strangers) > rules.per_account:
            raise TooManyStreams

    async def _write(self, send: Send) -> None:
        reader, streams = self._reader, self._streams
        await self._begin(send)
        await self._say(send, HELLO)
        while reader.ending is None:
            try:
                lines = await streams.hub.read(self._look)
            except FmdNotFound:
                break  # Lost meanwhile: the page hears of it when it is next asked for.
            except Exception as error:  # Whatever the database raises; the next round asks again.
                log().warning("live.not_read", error=type(error).__name__)
                lines = None
            await self._say(send, BEAT if lines is None else _frame(lines))
            # Seconds are part of what is shown, so it is said again now and then.
            await reader.next(streams.rules.beat_seconds)
        await send({"type": "http.response.body", "body": b""})


def _frame(lines: Lines) -> bytes:
    return f"data: {json.dumps(lines, ensure_ascii=False)}\n\n".encode()
