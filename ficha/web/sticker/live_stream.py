"""The live progress of an alert: a stream to each open page of the sticker, while the page is open."""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.core.addresses import address_group
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import current_emergency, progress_lines, shown_contacts
from ficha.emergencies.contacts import zone_for_strangers
from ficha.emergencies.emergency import Emergency, Timeouts
from ficha.emergencies.emergency_events import sticker_topic
from ficha.emergencies.relay_lines import relay_lines
from ficha.events.events import Audience
from ficha.events.hub import Ending, StreamsFull, Subscriber
from ficha.fmd.access import FmdNotFound
from ficha.fmd.scanning import scan
from ficha.fmd.stored_documents import documents_of
from ficha.http.dependencies import Address, Parts
from ficha.http.streams import HEARTBEAT, OpenStreams, StreamResponse
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.alert_sentences import progress_sentences, said_at_sticker
from ficha.web.kit.language import language_of
from ficha.web.sticker.page_facts import Code, Tag

routes = Routes(include_in_schema=False)

# A browser whose stream broke waits three seconds before it asks again.
RETRY = b"retry: 3000\n\n"
# One that made way waits longer, or the pages of one address would replace each other all the time.
LATE_RETRY = b"retry: 60000\n\n"

Lines = tuple[str, ...]


@dataclass(frozen=True)
class LiveNews:
    """`said` is what was written between here and the family; None once the emergency is over."""

    lines: Lines
    said: Lines | None


ReadNews = Callable[[Transaction], LiveNews | None]


@routes.get("/e/{code}/{tag}/vivo")
@routes.get("/E/{code}/{tag}/vivo")
async def live(request: Request, parts: Parts, address: Address, code: Code, tag: Tag) -> Response:
    streams: OpenStreams = request.app.state.streams
    if streams.hub.is_stopping:
        raise StreamsFull
    progress = AlertProgress(parts, code, tag, language_of(request))
    record_id = await streams.hub.read(progress.record_id)
    return LiveStream(streams, PageSubscriber(record_id, address), progress.news)


class PageSubscriber(Subscriber):
    """An open page of a sticker. It has no account: all that is known of it is its address, which is what is counted.
    Many may look at one sticker, and none of them can keep the others out."""

    is_counted = False

    def __init__(self, record_id: int, address: str) -> None:
        super().__init__(Audience(topic=sticker_topic(record_id)), is_staff=False)
        self.address_group = address_group(address)


class AlertProgress:
    """The progress of the alert of a sticker's record. The sticker is checked each time: it may be reported lost.

    Both functions raise FmdNotFound if the sticker opens nothing.
    """

    def __init__(self, parts: Parts, code: str, tag: str, language: Idioma) -> None:
        self._parts, self._code, self._tag, self._language = parts, code, tag, language
        self._last_id: int | None = None

    def record_id(self, tx: Transaction) -> int:
        return scan(tx, self._parts.keyring, self._code, self._tag).record.id

    def news(self, tx: Transaction) -> LiveNews | None:
        """How far the alert under way has come, then what happened; else of the last one that was shown, so that the
        page learns how it ended."""
        fmd = scan(tx, self._parts.keyring, self._code, self._tag)
        emergency = current_emergency(tx, fmd.record.id)
        if emergency is None and self._last_id is not None:
            emergency = tx.orm.get(Emergency, self._last_id)
        if emergency is None:
            return None
        self._last_id = emergency.id
        now, models = self._parts.clock.now(), ["emergencia", "consentimiento"]
        documents = documents_of(tx, fmd.record.id, fmd.key, models)
        lines = progress_lines(tx, fmd.key, emergency, now, Timeouts.of(self._parts.settings), documents)
        zone = zone_for_strangers(documents) or self._parts.settings.time_zone
        title = headline(Reader.STRANGER, lines, self._language, zone)
        told = (title, *progress_sentences(lines, self._language))
        if not emergency.is_live:
            return LiveNews(told, None)
        said = relay_lines(tx, fmd.key, emergency.id)
        return LiveNews(told, said_at_sticker(said, shown_contacts(documents), self._language, now))


class LiveStream(StreamResponse):
    """Open to anybody with the sticker, so few are allowed for each address: its oldest makes way for a newer one. A
    page that is refused reloads instead."""

    def __init__(self, streams: OpenStreams, page: PageSubscriber, read_news: ReadNews) -> None:
        super().__init__(streams, page)
        self._page = page
        self._read_news = read_news

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hub = self.streams.hub
        await hub.join(self.subscriber, None)
        try:
            self._make_room()
            await self.serve(receive, send)
        finally:
            hub.leave(self.subscriber)

    def _make_room(self) -> None:
        """Half of all streams are left to those who have an account. When the others are taken, the address with the
        most gives one up. Raises StreamsFull if every address has one only."""
        rules = self.streams.rules
        pages: defaultdict[str, list[PageSubscriber]] = defaultdict(list)
        for each in self.streams.hub.subscribers:
            if isinstance(each, PageSubscriber) and each.ending is None:
                pages[each.address_group].append(each)
        own = pages[self._page.address_group]
        if len(own) > rules.per_account:
            own[0].end(Ending.REPLACED)
        elif sum(map(len, pages.values())) > max(1, rules.per_process // 2):
            most = max(pages.values(), key=len)
            if len(most) == 1:
                raise StreamsFull
            most[0].end(Ending.REPLACED)

    async def write(self, send: Send) -> None:
        subscriber, streams = self.subscriber, self.streams
        await self.start(send)
        await self.send_piece(send, RETRY)
        while subscriber.ending is None:
            try:
                news = await streams.hub.read(self._read_news)
            except FmdNotFound:
                break  # Reported lost meanwhile: the page says so when it is loaded again.
            except Exception as error:  # Whatever the database raises; the next round asks again.
                log().warning("live.not_read", error=type(error).__name__)
                news = None
            await self.send_piece(send, HEARTBEAT if news is None else _frame(news))
            # The sentences count seconds, so they are sent again now and then.
            await subscriber.next(streams.rules.beat_seconds)
        if subscriber.ending is Ending.REPLACED:
            await self.send_piece(send, LATE_RETRY)
        await self.finish(send)


def _frame(news: LiveNews) -> bytes:
    """Nothing said yet is no event; an empty list says that nothing more can be."""
    frame = f"data: {json.dumps(news.lines, ensure_ascii=False)}\n\n"
    if news.said != ():
        frame += f"event: said\ndata: {json.dumps(news.said or (), ensure_ascii=False)}\n\n"
    return frame.encode()
