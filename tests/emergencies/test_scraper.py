"""A scraper types codes: it learns nothing clinical, it is noticed before its third person, and it is stopped.

A fiftieth of its codes with the other tests; FICHA_STORM=1 lets it type all 100,000.
"""

import os
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from sqlalchemy import select

from ficha.core.ids import random_code
from ficha.events.events import Event
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.terms import lookup
from ficha.products.codes import issue_code
from ficha.products.decoys import GuessingAlarm, make_decoys
from ficha.products.product import LIVE, Product
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.web.sticker.records import full_record
from tests.world import CLAVE, World, build_world, settings_for

pytestmark = pytest.mark.slow

TYPED = int(100_000 * float(os.environ.get("FICHA_STORM", "0.02")))
# What differs between the databases is asked of each; asking more of the slower one shows nothing more.
TYPED_ON_POSTGRES = 500
# Of 100,000 guesses about ten meet somebody once there are 100,000 stickers. Nine decoys for each, as we advise.
PEOPLE, DECOYS_EACH = 10, 9
LANGUAGES = ("es", "en", "pt")
ONE_ADDRESS, MANY_ADDRESSES = "one address", "many addresses"
# Of every answer its own.
OWN_HEADERS = ("x-request-id",)


class ScrapedPage(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def without(self, code: str) -> "ScrapedPage":
        """What is left by which codes could be distinguished."""
        kept = {name: value for name, value in self.headers.items() if name not in OWN_HEADERS}
        return ScrapedPage(self.status, kept, self.body.replace(code.encode(), b"CODE"))


class Typed(NamedTuple):
    code: str
    address: str = "203.0.113.9"
    language: str = "es"


@dataclass(frozen=True)
class Scraper:
    """Asks the service itself, fast lane and all, without a client's own work in between."""

    world: World

    def ask(self, asked: Iterable[Typed]) -> list[ScrapedPage]:
        service: Any = self.world.reader.app
        portal = self.world.reader.portal
        assert portal is not None

        async def one(typed: Typed) -> ScrapedPage:
            sent: list[dict[str, Any]] = []

            async def receive() -> dict[str, Any]:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)

            await service(_scope(typed), receive, send)
            headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
            return ScrapedPage(sent[0]["status"], headers, b"".join(message["body"] for message in sent[1:]))

        async def one_after_another() -> list[ScrapedPage]:
            return [await one(typed) for typed in asked]

        return portal.call(one_after_another)


def _scope(typed: Typed) -> dict[str, Any]:
    path = f"/e/{typed.code}"
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"testserver"), (b"accept-language", typed.language.encode())],
        "client": (typed.address, 5000),
        "server": ("testserver", 80),
    }


def addresses(kind: str) -> Iterator[str]:
    """For many, never the same twice."""
    if kind == ONE_ADDRESS:
        return cycle(["203.0.113.9"])
    return (f"198.{18 + number // 65536}.{number // 256 % 256}.{number % 256}" for number in range(131_072))


def texts(value: Any) -> Iterator[str]:
    """Every text in a document, and the words of every coded term in three languages."""
    if isinstance(value, Mapping):
        yield from lookup(str(value.get("sistema")), str(value.get("codigo"))) or ()
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def facts() -> set[str]:
    """Every text of a full record and of all stop signs, except what a typed code shows."""
    record = full_record()
    for name in ("nombres", "idiomas"):
        record["personal"].pop(name)
    signs = {word for rule in sign_table()["rules"] for line in rule["lines"] for word in line["words"].values()}
    return signs | {text for text in texts(record) if len(text) > 2}


def writable(document: Any) -> Any:
    """Without what the server adds."""
    if isinstance(document, Mapping):
        return {name: writable(value) for name, value in document.items() if name not in ("id", "telefono_e164")}
    return [writable(value) for value in document] if isinstance(document, list) else document


def alarms(scenario: EmergencyScenario) -> list[str]:
    """The kinds of alarms that staff got, each of which the metrics count too."""
    with scenario.database.reading() as tx:
        kinds = list(tx.orm.scalars(select(Event.kind).where(Event.account_id.is_(None)).order_by(Event.id)))
    counted = scenario.world.app.state.metrics.text().decode()
    for kind in GuessingAlarm:
        line = f'ficha_guessing_alarms_total{{kind="{kind.value}"}} {kinds.count(kind.value)}.0'
        assert line in counted
    return kinds


def codes_to_type(
    scenario: EmergencyScenario, count: int, chance: random.Random
) -> tuple[list[str], dict[str, AlertSticker], set[str]]:
    """As many as that in some order: those of people, decoys, ended and empty ones, and many that never were."""
    record = {wire: writable(document) for wire, document in full_record().items()}
    people = [scenario.sticker() for _ in range(PEOPLE)]
    for sticker in people:
        answer = scenario.world.client.patch(f"/v2/fmd/{sticker.code}", json=record, headers=sticker.owner.headers)
        assert answer.status_code == 200, answer.text
    for sticker in people[:2]:
        with scenario.database.writing() as tx:
            ended = issue_code(tx, scenario.now, record_id=sticker.record_id)
        assert sticker.owner.post(f"/v2/products/{ended.code}/lost").status_code == 200
    with scenario.database.writing() as tx:
        decoys = set(make_decoys(tx, scenario.now, PEOPLE * DECOYS_EACH))
        for _ in range(PEOPLE):
            issue_code(tx, scenario.now)
        codes = set(tx.orm.scalars(select(Product.code)))
    # Registered people have a code of their own beside the sticker: one of each is enough.
    live = {sticker.code: sticker for sticker in people}
    with scenario.database.reading() as tx:
        codes -= set(tx.orm.scalars(select(Product.code).where(Product.state.in_(LIVE)))) - live.keys()
    while len(codes) < count:
        codes.add(random_code())
    # Where people and decoys stand among the others is by chance, but the same each time.
    others = sorted(codes - live.keys() - decoys)
    hits = [*live, *sorted(decoys)]
    chance.shuffle(hits)
    places = set(chance.sample(range(count), len(hits)))
    return [hits.pop() if place in places else others.pop() for place in range(count)], live, decoys


@pytest.mark.parametrize("kind", [ONE_ADDRESS, MANY_ADDRESSES])
def test_a_scraper_learns_nothing_clinical_and_is_noticed_before_its_third_person(
    scenario: EmergencyScenario, kind: str
) -> None:
    scraper = Scraper(scenario.world)
    count = (TYPED if scenario.database.is_sqlite else TYPED_ON_POSTGRES) // 2
    codes, live, decoys = codes_to_type(scenario, count, random.Random(kind))
    unknown = {
        language: scraper.ask([Typed("222222", language=language)])[0].without("222222") for language in LANGUAGES
    }
    secret = {
        language: {fact for fact in facts() if fact.encode() not in unknown[language].body} for language in unknown
    }
    assert all(len(found) > 300 for found in secret.values()), (
        "what every page says anyway is no secret, and it is little"
    )
    sticker = next(iter(live.values()))
    scanned = scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}").text
    assert sum(fact in scanned for fact in secret["es"]) > 100, "who holds the sticker reads them all"
    typed = [
        Typed(code, address, language)
        for code, address, language in zip(codes, addresses(kind), cycle(LANGUAGES), strict=False)
    ]
    people = [place for place, asked in enumerate(typed) if asked.code in live]
    third = people[2]
    with structlog.testing.capture_logs() as lines:
        before = scraper.ask(typed[:third])
        raised = alarms(scenario)
        after = scraper.ask(typed[third:])
    assert raised, "alarmed before the third"
    logged = [line["event"] for line in lines if line["event"].startswith("codes.")]
    assert logged == alarms(scenario) and logged[: len(raised)] == raised
    assert logged.count(GuessingAlarm.DECOY.value) == len(decoys)
    assert logged.count(GuessingAlarm.PEOPLE.value) == (1 if kind == ONE_ADDRESS else 0)
    for asked, answer in zip(typed, before + after, strict=True):
        assert answer.status == 200
        if asked.code in live:
            page = answer.body.decode()
            assert "Ana" in page, "a first name, and how to call"
            assert [fact for fact in secret[asked.language] if fact in page] == []
        else:
            assert answer.without(asked.code) == unknown[asked.language], asked.code
    assert len(people) == PEOPLE


def test_codes_that_open_nothing_cannot_be_told_apart(scenario: EmergencyScenario) -> None:
    """Never issued, printed and not claimed, lost, retired, erased, or a decoy: body, status and headers."""
    lost, retired, erased = (scenario.sticker(medicacion={"ausencia": "ninguna_conocida"}) for _ in range(3))
    assert lost.owner.post(f"/v2/products/{lost.code}/lost").status_code == 200
    assert retired.owner.post(f"/v2/products/{retired.code}/retire").status_code == 200
    assert erased.owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    with scenario.database.writing() as tx:
        printed = issue_code(tx, scenario.now).code
        [decoy] = make_decoys(tx, scenario.now, 1)
    codes = ["222222", "ZZZZZZ", printed, decoy, lost.code, retired.code, erased.code]
    scraper = Scraper(scenario.world)
    for language in LANGUAGES:
        # Decoys are asked twice: the first touch does more than the others.
        answers = scraper.ask(Typed(code, language=language) for code in [*codes, decoy])
        left = [answer.without(code) for answer, code in zip(answers, [*codes, decoy], strict=True)]
        assert all(one == left[0] for one in left), language
        assert left[0].status == 200


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", rate_limits="on", limit_typed_all="30/minute"))
    yield world
    world.close()


def test_a_scraper_is_stopped_at_its_address_and_all_of_them_together(limited: World) -> None:
    scraper = Scraper(limited)
    with limited.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, limited.clock.now(), 1)
    one_address = scraper.ask([Typed(random_code(), "203.0.113.9") for _ in range(10)] + [Typed(decoy)] * 5)
    assert [answer.status for answer in one_address] == [200] * 10 + [429] * 5
    assert 1 <= int(one_address[-1].headers["retry-after"]) <= 60
    assert limited.rows()["events"] == 0, "what is refused is not looked up"
    household = scraper.ask([Typed(random_code(), f"2001:db8:1:2::{number:x}") for number in range(12)])
    assert [answer.status for answer in household] == [200] * 10 + [429] * 2, "a household is one address"
    others = scraper.ask(
        [Typed(random_code(), address) for address, _ in zip(addresses(MANY_ADDRESSES), range(15), strict=False)]
    )
    # Beyond what all of them may type together, whoever comes gets the page with the number to call, and no name.
    assert [answer.status for answer in others] == [200] * 15
    assert limited.rows()["events"] == 0
    late = scraper.ask([Typed(decoy, "198.51.100.77"), Typed(random_code(), "198.51.100.78")])
    assert [answer.status for answer in late] == [200] * 2 and all(b"tel:" in answer.body for answer in late)
    assert limited.rows()["events"] == 0, "what is beyond the limit is not looked up"
