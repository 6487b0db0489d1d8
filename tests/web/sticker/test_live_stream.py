"""An open page of a sticker receives the progress of the alert while it happens."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import structlog

from ficha.http.client_address import TrustedProxies, parse_networks
from ficha.http.streams import OpenStreams, StreamRules
from tests import local_http
from tests.emergencies.scenario import HERE, MARIA, AlertSticker, EmergencyScenario, contact
from tests.events.listener import disconnect
from tests.events.stream_server import served
from tests.waiting import eventually
from tests.world import World

RULES = StreamRules(beat_seconds=0.3, per_account=2, per_process=8)
QUIET_RULES = StreamRules(beat_seconds=30, per_account=2, per_process=8)


class PageListener:
    """An open page that reads the stream, as a browser does."""

    def __init__(self, url: str, address: str = "203.0.113.7") -> None:
        """`address`: where a proxy says that the page is open."""
        self.received: list[list[str]] = []
        self.other: list[str] = []
        self.is_over = False
        self._changed = threading.Condition()
        self._client = local_http.client()
        forwarded = {"X-Forwarded-For": address}
        self.response = self._client.send(self._client.build_request("GET", url, headers=forwarded), stream=True)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self.response.status_code == 200:
            self._thread.start()
        else:
            self.response.read()

    def __enter__(self) -> "PageListener":
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(is_so, 60), f"received {self.received}, {self.other}, {self.is_over}"

    def wait_until_over(self) -> None:
        self.wait_until(lambda: self.is_over)

    def wait_for_words(self, words: str) -> list[str]:
        """The first lines with these words."""
        self.wait_until(lambda: any(words in line for lines in self.received for line in lines))
        return next(lines for lines in self.received if any(words in line for line in lines))

    def wait_for_beats(self, count: int) -> None:
        self.wait_until(lambda: self.other.count(": latido") >= count)

    def leave(self) -> None:
        disconnect(self.response, self._thread)
        self._client.close()

    def _listen(self) -> None:
        try:
            for line in self.response.iter_lines():
                with self._changed:
                    if line.startswith("data: "):
                        self.received.append(json.loads(line.removeprefix("data: ")))
                    elif line:
                        self.other.append(line)
                    self._changed.notify_all()
        except httpx.TransportError:
            pass  # The test closed the connection.
        with self._changed:
            self.is_over = True
            self._changed.notify_all()


@dataclass
class StreamScenario(EmergencyScenario):
    """The service behind a real server, which the sandbox notifies of the state of messages."""

    port: int

    @property
    def streams(self) -> OpenStreams:
        streams: OpenStreams = self.world.app.state.streams
        return streams

    def url(self, sticker: AlertSticker, query: str = "") -> str:
        return f"http://127.0.0.1:{self.port}/e/{sticker.code}/{sticker.tag}/vivo{query}"

    def listen(self, sticker: AlertSticker, query: str = "") -> PageListener:
        return PageListener(self.url(sticker, query))

    def alert(self, sticker: AlertSticker, **more: Any) -> int:
        answer = self.press_alert(sticker, HERE, **more)
        assert answer.status_code == 201, answer.text
        self.run_until_idle()
        return int(answer.json()["data"]["id"])

    def wait_until_no_listeners(self) -> None:
        eventually(lambda: not self.streams.hub.subscribers)


@contextlib.contextmanager
def opened(world: World, rules: StreamRules) -> Iterator[StreamScenario]:
    with served(world, world.app, rules) as port:
        webhook = f"http://127.0.0.1:{port}{world.parts.settings.v2}/webhook/whatsapp"
        world.platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
        yield StreamScenario(world, port)


@pytest.fixture
def scenario(world: World) -> Iterator[StreamScenario]:
    with opened(world, RULES) as scenario:
        yield scenario


@pytest.fixture
def quiet_scenario(world: World) -> Iterator[StreamScenario]:
    """Nothing is repeated: whatever a page receives has just changed."""
    with opened(world, QUIET_RULES) as scenario:
        yield scenario


def test_what_the_mother_does_is_shown_as_she_does_it(quiet_scenario: StreamScenario) -> None:
    scenario = quiet_scenario
    sticker = scenario.sticker(contact())
    emergency = scenario.alert(sticker)
    with scenario.listen(sticker) as page, scenario.listen(sticker, "?l=en") as english:
        assert page.response.headers["content-type"].startswith("text/event-stream")
        assert page.response.headers["cache-control"] == "no-store"
        page.wait_until(lambda: len(page.received) == 1)
        assert page.received[0] == [
            "La madre recibió el aviso",
            "La madre recibió el aviso por WhatsApp · hace 0 s",
            "Recibimos su aviso · hace 0 s",
        ]
        assert page.other == ["retry: 3000"]
        scenario.world.clock.move(seconds=40)
        scenario.read_chat(MARIA)
        heading, newest = page.wait_for_words("La madre leyó el aviso")[:2]
        assert (heading, newest) == ("La madre leyó el aviso", "La madre leyó el aviso · hace 0 s")
        assert english.wait_for_words("read the alert")[1] == "The mother read the alert · 0 s ago"
        [alert] = scenario.alerts()
        scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
        scenario.run_until_idle()
        assert page.wait_for_words("La madre viene en camino")
        done = sticker.owner.client.patch(
            f"/v2/emergencies/{emergency}", json={"state": "resolved"}, headers=sticker.owner.headers
        )
        assert done.status_code == 200, done.text
        assert page.wait_for_words("La emergencia terminó"), "and how it ended"
        assert not page.is_over


def test_seconds_go_on_and_a_quiet_page_gets_heartbeats(scenario: StreamScenario) -> None:
    sticker, quiet = scenario.sticker(contact()), scenario.sticker(contact())
    scenario.alert(sticker)
    with scenario.listen(sticker) as page, scenario.listen(quiet) as nothing:
        page.wait_until(lambda: len(page.received) >= 1)
        scenario.world.clock.move(seconds=20)
        page.wait_for_words("hace 20 s")
        nothing.wait_for_beats(2)
        assert nothing.received == []


def test_an_alert_that_begins_while_the_page_listens(scenario: StreamScenario) -> None:
    sticker = scenario.sticker(contact())
    with scenario.listen(sticker) as page:
        page.wait_for_beats(1)
        scenario.alert(sticker)
        page.wait_for_words("La madre recibió")


def test_a_drill_is_not_shown_on_the_page_of_the_sticker(scenario: StreamScenario) -> None:
    sticker = scenario.sticker(contact())
    with scenario.listen(sticker) as page:
        page.wait_for_beats(1)
        body = {"code": sticker.code, "simulacro": True}
        assert sticker.owner.post("/v2/emergencies", body).status_code == 201
        scenario.run_until_idle()
        before = page.other.count(": latido")
        page.wait_for_beats(before + 2)
        assert page.received == [] and not page.is_over


def test_a_contact_that_the_owner_hides_is_not_named(scenario: StreamScenario) -> None:
    sticker = scenario.sticker(contact(), consentimiento={"visibilidad": {"emergencia": "B"}})
    scenario.alert(sticker)
    with scenario.listen(sticker) as page:
        assert page.wait_for_words("recibió")[1] == "Un contacto recibió el aviso por WhatsApp · hace 0 s"


def test_a_sticker_that_gets_lost_ends_its_scenarioand_opens_none(scenario: StreamScenario) -> None:
    lost, kept = scenario.sticker(contact()), scenario.sticker(contact())
    scenario.alert(lost)
    with scenario.listen(lost) as page, scenario.listen(kept) as other:
        page.wait_for_words("La madre recibió")
        with structlog.testing.capture_logs() as lines:
            assert lost.owner.post(f"/v2/products/{lost.code}/lost").status_code == 200
            page.wait_until(lambda: page.is_over)
            eventually(lambda: len(scenario.streams.hub.subscribers) == 1)
        others = [line for line in lines if line["log_level"] != "info" and line["event"] != "alarm.began"]
        assert others == [], "the end is no error"
        count = len(page.received)
        with scenario.listen(lost) as again:
            assert again.response.status_code == 409
        wrong = AlertSticker(kept.owner, kept.code, "A" * 26)
        with scenario.listen(wrong) as stranger:
            assert stranger.response.status_code == 404
        other.wait_for_beats(2)
        assert len(page.received) == count and not other.is_over
    scenario.wait_until_no_listeners()


def test_who_goes_away_leaves_nothing_behind(quiet_scenario: StreamScenario) -> None:
    """Long before the next line would be sent."""
    sticker = quiet_scenario.sticker(contact())
    with quiet_scenario.listen(sticker) as page:
        page.wait_for_beats(1)
        assert len(quiet_scenario.streams.hub.subscribers) == 1
    quiet_scenario.wait_until_no_listeners()


def test_beside_all_streams_of_an_address_the_page_itself_is_there(quiet_scenario: StreamScenario) -> None:
    """How many streams an address has is tried in tests/attack."""
    sticker = quiet_scenario.sticker(contact())
    with quiet_scenario.listen(sticker), quiet_scenario.listen(sticker):
        scanned = local_http.get(quiet_scenario.url(sticker).removesuffix("/vivo"))
        assert scanned.status_code == 200


def test_strangers_leave_streams_for_those_who_have_an_account(world: World) -> None:
    with (
        opened(world, StreamRules(beat_seconds=30, per_account=5, per_process=4)) as scenario,
        contextlib.ExitStack() as pages,
    ):
        stickers = [scenario.sticker(contact()) for _ in range(3)]
        scenario.world.app.state.trusted_proxies = TrustedProxies(parse_networks(["127.0.0.1"]), "x-forwarded-for")
        for number, sticker in enumerate(stickers[:2]):
            page = PageListener(scenario.url(sticker), f"203.0.113.{number}")
            assert pages.enter_context(page).response.status_code == 200
        with PageListener(scenario.url(stickers[2]), "203.0.113.3") as refused:
            assert refused.response.status_code == 503
            assert int(refused.response.headers["retry-after"]) > 0
        owner = local_http.stream(
            "GET", f"http://127.0.0.1:{scenario.port}/v2/events", headers=stickers[0].owner.headers
        )
        with owner as answer:
            assert answer.status_code == 200


def test_a_stopping_server_ends_all_streams_and_opens_none(quiet_scenario: StreamScenario) -> None:
    scenario = quiet_scenario
    sticker = scenario.sticker(contact())
    with scenario.listen(sticker) as page:
        page.wait_for_beats(1)
        scenario.streams.hub.end_all()
        with scenario.listen(sticker) as late:
            assert late.response.status_code == 503
