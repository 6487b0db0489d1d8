"""Every cell of docs/alert-states.md: the rows of each state are made as they come about, and each reader's page says
the sentence of the table, in three languages, and says no other."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Idioma, Role
from ficha.emergencies.alert_progress import AlertState
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.on_call import on_agent
from ficha.emergencies.statements import called_in
from ficha.emergencies.steps import Step, StepState, link_for
from ficha.fmd.translations import Translated
from ficha.web.kit.alert_headlines import HEADLINES, Reader
from ficha.web.kit.alert_sentences import capital
from ficha.web.sticker.live_stream import AlertProgress
from tests.emergencies.scenario import MARIA, AlertSticker, EmergencyScenario, contact, father
from tests.web.portal.page_session import logged_in
from tests.world import build_world, settings_for

AUNT = "584165553333"
MOTHER_WORDS = Translated("la madre", "the mother", "a mãe")
# In the zone of the contact's number; the family and staff have none here.
IN_CARACAS = Translated("08:10 (hora de Caracas)", "08:10 (Caracas time)", "08:10 (hora de Caracas)")
# Staff is called to these where there is a team.
WITH_TEAM = (AlertState.ALERTING_STAFF, AlertState.STAFF_SENT, AlertState.STAFF_HAS)
TITLE = {
    Reader.STRANGER: r'<div class="alert" role="status"><b>(.*?)</b>',
    Reader.CONTACT: r'<b id="answer">[^<]*</b>\s*<p>(.*?)\.? [^.]*\.</p>',
    Reader.FAMILY: r'<p class="lead"><b>(.*?)</b></p>',
    Reader.STAFF: r'<p class="lead" id="told" role="status" data-live data-shown="[^"]*"><b>(.*?)</b></p>',
}


@dataclass
class Story:
    """An emergency of a record whose contacts are a mother and, where a contact reads, an aunt before her who was
    alerted and said that she cannot come."""

    scenario: EmergencyScenario
    has_aunt: bool
    # How the mother can be reached.
    mother: dict[str, object] = field(default_factory=dict)
    has_father: bool = True
    emergency_id: int = 0

    @cached_property
    def sticker(self) -> AlertSticker:
        aunt = contact(nombre="Eva", relacion="tía", telefono=AUNT[2:], correo=None, prioridad=1)
        people = [contact(**{"prioridad": 2, "canales": ["whatsapp"]} | self.mother), father(prioridad=3)]
        people = [*([aunt] if self.has_aunt else []), *people[: 2 if self.has_father else 1]]
        return self.scenario.sticker(*({k: v for k, v in one.items() if v is not None} for one in people))

    @cached_property
    def progress(self) -> AlertProgress:
        """An open page."""
        parts = self.scenario.world.parts
        return AlertProgress(parts, self.sticker.code, self.sticker.tag, Idioma.ES)

    def press(self) -> None:
        self.emergency_id = self.scenario.press_alert(self.sticker).json()["data"]["id"]

    def take_step(self, place: int) -> None:
        """The job alone: what it queues waits."""
        self.scenario.world.do("emergencia.paso", emergency_id=self.emergency_id, place=place)

    def begin(self) -> None:
        """Up to the moment when the mother is next."""
        self.press()
        if self.has_aunt:
            self.scenario.world.do("emergencia.paso", emergency_id=self.emergency_id, place=1)
            self.answer(AUNT, "no_puedo")

    def alert_mother(self) -> None:
        self.begin()
        self.take_step(2 if self.has_aunt else 1)

    def link(self, phone: str) -> str:
        with self.scenario.database.reading() as tx:
            called = sorted(called_in(tx, self.emergency_id).values(), key=lambda each: each.called_at)
            contact_id = (called[0] if phone == AUNT else called[-1]).contact_id
        return f"/a/{link_for(self.scenario.world.parts.secrets, self.emergency_id, contact_id, 'whatsapp')}"

    def answer(self, phone: str, answer: str) -> None:
        sent = self.scenario.world.reader.post(self.link(phone), data={"respuesta": answer}, follow_redirects=False)
        assert sent.status_code == 303
        self.scenario.world.clock.move(seconds=1)

    def change(self, state: str) -> None:
        client, headers = self.scenario.world.client, self.sticker.owner.headers
        sent = client.patch(f"/v2/emergencies/{self.emergency_id}", json={"state": state}, headers=headers)
        assert sent.status_code == 200, sent.text

    def run(self) -> None:
        self.scenario.run_until_idle()

    def cannot(self) -> None:
        self.alert_mother()
        self.answer(MARIA, "no_puedo")

    def call_staff(self) -> None:
        """The mother cannot come either, and nobody is left."""
        self.has_father = False
        self.cannot()
        self.take_step(3 if self.has_aunt else 2)


def canceled(story: Story, state: str = "canceled") -> None:
    story.alert_mother()
    with story.scenario.database.reading() as tx:
        story.progress.news(tx)
    story.change(state)


def coming(story: Story) -> None:
    story.alert_mother()
    story.answer(MARIA, "voy")


def withdrew(story: Story) -> None:
    coming(story)
    story.answer(MARIA, "no_puedo")


def acknowledged(story: Story) -> None:
    story.alert_mother()
    story.change("acknowledged")


def unclear(story: Story) -> None:
    delivered(story)
    story.scenario.world.clock.move(seconds=5)
    story.scenario.world.platform.receive(from_=MARIA, type="text", text="¿Qué pasó?")
    story.run()


def delivered(story: Story) -> None:
    story.alert_mother()
    story.run()


def read(story: Story) -> None:
    delivered(story)
    story.scenario.read_chat(MARIA)


def staff_sent(story: Story) -> None:
    story.call_staff()
    story.run()


def staff_has(story: Story) -> None:
    staff_sent(story)
    with story.scenario.database.writing() as tx:
        on_agent(tx, story.emergency_id, "answered", story.scenario.now)


def held_back(story: Story) -> None:
    story.press()
    story.run()
    story.change("canceled")
    story.press()
    story.run()


def stalled(story: Story) -> None:
    """The step was taken, and then no worker runs any more: its alert is queued."""
    story.alert_mother()
    story.scenario.world.clock.move(seconds=61)


def not_reached_yet(story: Story) -> None:
    story.alert_mother()
    with story.scenario.database.writing() as tx:
        failed = {"state": StepState.FAILED, "ended_at": story.scenario.now}
        place = 2 if story.has_aunt else 1
        tx.orm.execute(
            update(Step).where(Step.emergency_id == story.emergency_id, Step.place == place).values(**failed)
        )


def nobody_answered(story: Story) -> None:
    story.has_father, story.mother = False, {"canales": ["correo"]}
    story.alert_mother()
    story.run()
    story.scenario.pass_seconds(60)


def nobody_reached(story: Story) -> None:
    story.has_father = False
    platform = story.scenario.world.platform
    platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"fails": {MARIA: 131026}}))
    story.alert_mother()
    story.run()


STORIES: dict[AlertState, Callable[[Story], None]] = {
    AlertState.CANCELED: canceled,
    AlertState.RESOLVED: lambda story: canceled(story, "resolved"),
    AlertState.COMING: coming,
    AlertState.ACKNOWLEDGED: acknowledged,
    AlertState.WITHDREW: withdrew,
    AlertState.UNCLEAR: unclear,
    AlertState.READ: read,
    AlertState.DELIVERED: delivered,
    AlertState.STAFF_HAS: staff_has,
    AlertState.STAFF_SENT: staff_sent,
    AlertState.HELD_BACK: held_back,
    AlertState.STALLED: stalled,
    AlertState.ALERTING: Story.alert_mother,
    AlertState.ALERTING_STAFF: Story.call_staff,
    AlertState.CANNOT_COME: Story.cannot,
    AlertState.NOT_REACHED_YET: not_reached_yet,
    AlertState.NEXT_STEP: Story.begin,
    AlertState.NOBODY_COMES: Story.call_staff,
    AlertState.NOBODY_ANSWERED: nobody_answered,
    AlertState.NOBODY_REACHED: nobody_reached,
}


@pytest.fixture
def table_scenario(database_url: str, tmp_path: Path, state: AlertState) -> Iterator[EmergencyScenario]:
    team = {"on_call_mails": "guardia@ejemplo.com"} if state in WITH_TEAM else {}
    world = build_world(settings_for(database_url, tmp_path / "data", **team))
    world.listen()
    yield EmergencyScenario(world)
    world.close()


def expected(state: AlertState, reader: Reader, language: Idioma) -> str:
    who = MOTHER_WORDS.in_language(language)
    if state is AlertState.ACKNOWLEDGED and reader is Reader.FAMILY:
        who = "Persona"
    at = "12:10 UTC" if reader is Reader.STAFF else IN_CARACAS.in_language(language)
    return capital(HEADLINES[state][reader].in_language(language).format(who=who, at=at, minutes=10))


def shown(html: str, pattern: str) -> str:
    found = re.search(pattern, html, re.S)
    assert found is not None, html[-3000:]
    return unescape(found.group(1))


@pytest.mark.parametrize("state", AlertState, ids=lambda state: state.name.lower())
def test_each_reader_is_told_the_sentence_of_the_table(table_scenario: EmergencyScenario, state: AlertState) -> None:
    scenario = table_scenario
    world = scenario.world
    story = Story(scenario, has_aunt=False)
    STORIES[state](story)
    with scenario.database.writing() as tx:  # Staff sees those that it was called to.
        tx.orm.execute(update(Emergency).values(staff_at=scenario.now))
    family, staff = logged_in(world, story.sticker.owner), logged_in(world, world.somebody_with(Role.STAFF))
    number = story.emergency_id
    for language in Idioma:
        query = f"?l={language.value}"
        told = {
            Reader.FAMILY: family.get(f"/app/emergencias/{number}{query}").text,
            Reader.STAFF: staff.get(f"/admin/emergencias/{number}{query}").text,
        }
        if state not in (AlertState.CANCELED, AlertState.RESOLVED):  # Else the page offers the alert again.
            sticker = story.sticker
            told[Reader.STRANGER] = world.reader.get(f"/e/{sticker.code}/{sticker.tag}{query}").text
        for reader, html in told.items():
            assert shown(html, TITLE[reader]) == expected(state, reader, language), (reader, language)
    with scenario.database.reading() as tx:
        news = story.progress.news(tx)
    assert news is not None and news.lines[0] == expected(state, Reader.STRANGER, Idioma.ES)


HAVE_PAGE = [state for state in AlertState if HEADLINES[state][Reader.CONTACT].es]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("state", HAVE_PAGE, ids=lambda state: state.name.lower())
def test_a_contact_who_cannot_come_is_told_of_the_others(table_scenario: EmergencyScenario, state: AlertState) -> None:
    story = Story(table_scenario, has_aunt=True)
    STORIES[state](story)
    is_over = state in (AlertState.CANCELED, AlertState.RESOLVED)
    for language in Idioma:
        html = table_scenario.world.reader.get(f"{story.link(AUNT)}?l={language.value}").text
        told = shown(html, "<h1>(.*?)</h1>" if is_over else TITLE[Reader.CONTACT])
        assert told.rstrip(".") == expected(state, Reader.CONTACT, language).rstrip("."), language


def test_every_state_has_a_sentence_for_everybody_and_a_story() -> None:
    assert set(STORIES) == set(HEADLINES) == set(AlertState)
    for state, sentences in HEADLINES.items():
        assert set(sentences) == set(Reader)
        for reader, sentence in sentences.items():
            has_page = reader is not Reader.CONTACT or state is not AlertState.HELD_BACK
            assert all(bool(words) is has_page for words in sentence), (state, reader)
