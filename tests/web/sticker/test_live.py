"""The page beside the person hears how far the alert has come, as it comes."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import structlog

from ficha.http.streams import OpenStreams, StreamRules
from tests.emergencies.scenario import HERE, MARIA, EmergencyScenario, Sticker, contact
from tests.events.listener import disconnect
from tests.events.stream_server import served
from tests.waiting import eventually
from tests.world import World

RULES = StreamRules(beat_seconds=0.3, per_account=2, per_process=8)
QUIET = StreamRules(beat_seconds=30, per_account=2, per_process=8)


class Bystander:
    """A page that listens, as a browser does."""

    def __init__(self, url: str) -> None:
        self.heard: list[list[str]] = []
        self.other: list[str] = []
        self.is_over = False
        self._changed = threading.Condition()
        self._client = httpx.Client(timeout=httpx.Timeout(30, read=60), verify=False)
        self.response = self._client.send(self._client.build_request("GET", url), stream=True)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self.response.status_code == 200:
            self._thread.start()
        else:
            self.response.read()

    def __enter__(self) -> "Bystander":
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def until(self, is_so: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(is_so, 20), f"heard {self.heard}, {self.other}, {self.is_over}"

    def until_told(self, words: str) -> list[str]:
        """The lines in which it says so."""
        self.until(lambda: any(words in line for lines in self.heard for line in lines))
        return next(lines for lines in self.heard if any(words in line for line in lines))

    def until_beats(self, count: int) -> None:
        self.until(lambda: self.other.count(": latido") >= count)

    def leave(self) -> None:
        disconnect(self.response, self._thread)
        self._client.close()

    def _listen(self) -> None:
        try:
            for line in self.response.iter_lines():
                with self._changed:
                    if line.startswith("data: "):
                        self.heard.append(json.loads(line.removeprefix("data: ")))
                    elif line:
                        self.other.append(line)
                    self._changed.notify_all()
        except httpx.TransportError:
            pass  # We hung up.
        with self._changed:
            self.is_over = True
            self._changed.notify_all()


@dataclass
class Street(EmergencyScenario):
    """The service behind a real server, the platform telling it what becomes of its messages."""

    port: int

    @property
    def streams(self) -> OpenStreams:
        streams: OpenStreams = self.world.app.state.streams
        return streams

    def url(self, sticker: Sticker, query: str = "") -> str:
        return f"http://127.0.0.1:{self.port}/e/{sticker.code}/{sticker.tag}/vivo{query}"

    def listen(self, sticker: Sticker, query: str = "") -> Bystander:
        return Bystander(self.url(sticker, query))

    def alarm(self, sticker: Sticker, **more: Any) -> int:
        answer = self.press_alert(sticker, HERE, **more)
        assert answer.status_code == 201, answer.text
        self.run_until_idle()
        return int(answer.json()["data"]["id"])

    def until_nobody_listens(self) -> None:
        eventually(lambda: not self.streams.hub.subscribers)


@contextlib.contextmanager
def opened(world: World, rules: StreamRules) -> Iterator[Street]:
    with served(world, world.service(), rules) as port:
        webhook = f"http://127.0.0.1:{port}{world.parts.settings.v2}/webhook/whatsapp"
        world.platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
        yield Street(world, port)


@pytest.fixture
def street(world: World) -> Iterator[Street]:
    with opened(world, RULES) as street:
        yield street


@pytest.fixture
def quiet_street(world: World) -> Iterator[Street]:
    """Nothing is said again by itself: what is heard was news."""
    with opened(world, QUIET) as street:
        yield street


def test_what_the_mother_does_is_told_as_she_does_it(quiet_street: Street) -> None:
    street = quiet_street
    sticker = street.sticker(contact())
    emergency = street.alarm(sticker)
    with street.listen(sticker) as page, street.listen(sticker, "?l=en") as english:
        assert page.response.headers["content-type"].startswith("text/event-stream")
        assert page.response.headers["cache-control"] == "no-store"
        page.until(lambda: len(page.heard) == 1)
        assert page.heard[0] == [
            "Entregado a madre por WhatsApp · hace 0 s",
            "Aviso enviado a nuestro servicio · hace 0 s",
        ]
        assert page.other == ["retry: 3000"]
        street.world.clock.move(seconds=40)
        street.read_chat(MARIA)
        assert page.until_told("Madre leyó el aviso")[0] == "Madre leyó el aviso · hace 0 s"
        assert english.until_told("read the alert")[0] == "Mother read the alert · 0 s ago"
        [alert] = street.alerts()
        street.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
        street.run_until_idle()
        assert page.until_told("Madre viene en camino")
        done = sticker.owner.client.patch(
            f"/v2/emergencies/{emergency}", json={"state": "resolved"}, headers=sticker.owner.headers
        )
        assert done.status_code == 200, done.text
        assert page.until_told("La emergencia terminó"), "and how it ended"
        assert not page.is_over


def test_seconds_go_on_and_a_quiet_page_hears_that_we_are_here(street: Street) -> None:
    sticker, quiet = street.sticker(contact()), street.sticker(contact())
    street.alarm(sticker)
    with street.listen(sticker) as page, street.listen(quiet) as nothing:
        page.until(lambda: len(page.heard) >= 1)
        street.world.clock.move(seconds=20)
        page.until_told("hace 20 s")
        nothing.until_beats(2)
        assert nothing.heard == []


def test_an_alert_that_begins_while_the_page_listens(street: Street) -> None:
    sticker = street.sticker(contact())
    with street.listen(sticker) as page:
        page.until_beats(1)
        street.alarm(sticker)
        page.until_told("Entregado a madre")


def test_a_rehearsal_is_nothing_to_who_stands_beside_the_person(street: Street) -> None:
    sticker = street.sticker(contact())
    with street.listen(sticker) as page:
        page.until_beats(1)
        body = {"code": sticker.code, "simulacro": True}
        assert sticker.owner.post("/v2/emergencies", body).status_code == 201
        street.run_until_idle()
        before = page.other.count(": latido")
        page.until_beats(before + 2)
        assert page.heard == [] and not page.is_over


def test_a_contact_that_the_owner_hides_is_not_named(street: Street) -> None:
    sticker = street.sticker(contact(), consentimiento={"visibilidad": {"emergencia": "B"}})
    street.alarm(sticker)
    with street.listen(sticker) as page:
        assert page.until_told("Entregado a")[0] == "Entregado a un contacto por WhatsApp · hace 0 s"


def test_a_sticker_that_gets_lost_ends_its_streams_and_opens_none(street: Street) -> None:
    lost, kept = street.sticker(contact()), street.sticker(contact())
    street.alarm(lost)
    with street.listen(lost) as page, street.listen(kept) as other:
        page.until_told("Entregado a madre")
        with structlog.testing.capture_logs() as lines:
            assert lost.owner.post(f"/v2/products/{lost.code}/lost").status_code == 200
            page.until(lambda: page.is_over)
            eventually(lambda: len(street.streams.hub.subscribers) == 1)
        assert [line for line in lines if line["log_level"] != "info"] == [], "an end, not a fault"
        said = len(page.heard)
        with street.listen(lost) as again:
            assert again.response.status_code == 404
        wrong = Sticker(kept.owner, kept.code, "A" * 26)
        with street.listen(wrong) as stranger:
            assert stranger.response.status_code == 404
        other.until_beats(2)
        assert len(page.heard) == said and not other.is_over
    street.until_nobody_listens()


def test_who_goes_away_leaves_nothing_behind(quiet_street: Street) -> None:
    """Long before the next thing is said to her."""
    sticker = quiet_street.sticker(contact())
    with quiet_street.listen(sticker) as page:
        page.until_beats(1)
        assert len(quiet_street.streams.hub.subscribers) == 1
    quiet_street.until_nobody_listens()


def test_one_sticker_has_few_streams_and_so_has_one_address(quiet_street: Street) -> None:
    street = quiet_street
    first, second = street.sticker(contact()), street.sticker(contact())
    with street.listen(first), street.listen(first):
        for sticker in (first, second):  # All of them come from one address here.
            with street.listen(sticker) as refused:
                assert refused.response.status_code == 429
                assert int(refused.response.headers["retry-after"]) > 0
        assert len(street.streams.hub.subscribers) == 2
        scanned = httpx.get(street.url(first).removesuffix("/vivo"))
        assert scanned.status_code == 200, "the page itself is there for everybody"
    street.until_nobody_listens()
    with street.listen(second) as page:
        assert page.response.status_code == 200, "room again"


def test_strangers_leave_room_for_those_who_have_an_account(world: World) -> None:
    with (
        opened(world, StreamRules(beat_seconds=30, per_account=5, per_process=4)) as street,
        contextlib.ExitStack() as pages,
    ):
        stickers = [street.sticker(contact()) for _ in range(3)]
        for sticker in stickers[:2]:
            assert pages.enter_context(street.listen(sticker)).response.status_code == 200
        with street.listen(stickers[2]) as refused:
            assert refused.response.status_code == 503
            assert int(refused.response.headers["retry-after"]) > 0
        owner = httpx.stream(
            "GET", f"http://127.0.0.1:{street.port}/v2/events", headers=stickers[0].owner.headers, timeout=20
        )
        with owner as answer:
            assert answer.status_code == 200


def test_who_stops_lets_everybody_go_and_nobody_in(quiet_street: Street) -> None:
    street = quiet_street
    sticker = street.sticker(contact())
    with street.listen(sticker) as page:
        page.until_beats(1)
        street.streams.hub.end_all()
        with street.listen(sticker) as late:
            assert late.response.status_code == 503
