"""One address opens all the live streams it can: its own oldest ones make way, and nobody else is kept out."""

import contextlib
import os

from ficha.http.client_address import TrustedProxies, parse_networks
from ficha.http.streams import StreamRules
from tests.emergencies.scenario import contact
from tests.waiting import eventually
from tests.web.sticker.test_live_stream import PageListener, opened
from tests.world import World

ATTACKER, RESPONDER = "203.0.113.7", "198.51.100.2"
STREAMS = 100 if "FICHA_STORM" in os.environ else 12


def test_streams_of_one_address_replace_each_other_and_nobody_else(world: World) -> None:
    world.app.state.trusted_proxies = TrustedProxies(parse_networks(["127.0.0.1"]), "x-forwarded-for")
    with (
        opened(world, StreamRules(beat_seconds=30, per_account=4, per_process=200)) as scenario,
        contextlib.ExitStack() as pages,
    ):
        url = scenario.url(scenario.sticker(contact()))
        responder = pages.enter_context(PageListener(url, RESPONDER))
        attack = [pages.enter_context(PageListener(url, ATTACKER)) for _ in range(STREAMS)]
        assert {page.response.status_code for page in attack} == {200}
        for page in attack[:-4]:
            page.wait_until_over()
            assert page.other[-1] == "retry: 60000", "the browser does not come back at once to replace another"
        eventually(lambda: len(scenario.streams.hub.subscribers) == 5)
        late = pages.enter_context(PageListener(url, "198.51.100.3"))
        late.wait_for_beats(1)
        assert not any(page.is_over for page in (responder, late, *attack[-4:]))


def test_when_all_streams_are_taken_the_address_with_the_most_gives_one_up(world: World) -> None:
    world.app.state.trusted_proxies = TrustedProxies(parse_networks(["127.0.0.1"]), "x-forwarded-for")
    with (
        opened(world, StreamRules(beat_seconds=30, per_account=5, per_process=8)) as scenario,
        contextlib.ExitStack() as pages,
    ):
        url = scenario.url(scenario.sticker(contact()))
        attack = [pages.enter_context(PageListener(url, ATTACKER)) for _ in range(4)]
        others = [pages.enter_context(PageListener(url, f"198.51.100.{number}")) for number in range(3)]
        for page in attack[:3]:
            page.wait_until_over()
        assert {page.response.status_code for page in others} == {200}
        with PageListener(url, "198.51.100.9") as refused:
            assert refused.response.status_code == 503, "each address has one"
        assert not any(page.is_over for page in (attack[3], *others))
