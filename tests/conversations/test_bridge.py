"""The bridge: what a person writes by WhatsApp reaches the desk, and what an agent answers reaches the person."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.conversations.bridge import RESERVED
from ficha.conversations.bridge_jobs import SWEEP
from ficha.conversations.desk_conversations import LEASE, DeskConversation
from ficha.emergencies.steps import Step
from ficha.fmd.grants import GrantKind
from ficha.sandbox.chatwoot.records import EVENTS, OUTGOING, Conversation, Message, Sender, Webhook
from ficha.sandbox.chatwoot.webhooks import signature
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact, granted
from tests.world import World, build_world, settings_for

MARIA = "+584125551111"
SECRET = "sandbox-webhook-secret"
STORM = 1000 if os.environ.get("FICHA_STORM") else 20


@dataclass
class DeskScenario:
    """María with her phone, an agent at the desk, and the service between them."""

    world: World

    def write(self, text: str) -> None:
        self.world.platform.receive(from_=MARIA, text=text)
        self.settle()

    def answer(self, text: str, *, private: bool = False, number: int = 1) -> None:
        """The agent writes."""

        def write(platforms: Any) -> None:
            chatwoot = platforms.chatwoot
            message = Message(next(chatwoot.ids["message"]), text, OUTGOING, chatwoot.now(), Sender("user", 2))
            message.private = private
            chatwoot.add_message(chatwoot.conversations[number], message)

        self.world.platform.call(write)
        self.settle()

    def settle(self) -> None:
        """Until nothing is on its way between the three."""
        for _ in range(3):
            self.world.platform.wait_until_idle()
            self.world.run_jobs()
        self.world.platform.wait_until_idle()

    def conversation(self, number: int = 1) -> Conversation:
        return self.world.platform.chatwoot.conversations[number]

    def at_the_desk(self, number: int = 1) -> list[tuple[int, str | None]]:
        """Kind and text of every message of one conversation there."""
        return [(each.type, each.content) for each in self.conversation(number).messages]

    def on_the_phone(self) -> list[str]:
        """What María was sent."""
        return [each.text for each in self.world.platform.whatsapp.journal.accepted]

    def tell(self, event: dict[str, Any], **headers: str) -> Response:
        body = json.dumps(event).encode()
        return self.world.client.post(
            "/v2/webhook/chatwoot", content=body, headers={"Content-Type": "application/json"} | headers
        )


@pytest.fixture
def desk(database_url: str, tmp_path: Path) -> Iterator[DeskScenario]:
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_bridge=True, chatwoot_seconds=1))
    world.listen()
    listen_to_desk(world)
    yield DeskScenario(world)
    world.close()


def listen_to_desk(world: World) -> None:
    assert world.bridge is not None
    webhook = Webhook(1, f"{world.bridge.url}/v2/webhook/chatwoot", list(EVENTS), SECRET)
    world.platform.call(lambda platforms: platforms.chatwoot.webhooks.update({1: webhook}))


def test_a_thread_goes_to_the_desk_and_back(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.write("¿Hay alguien?")
    assert desk.at_the_desk() == [(0, "Hola"), (0, "¿Hay alguien?")]
    assert desk.conversation().contact.phone_number == MARIA
    desk.answer("Sí, dígame")
    assert desk.on_the_phone() == ["Sí, dígame"]
    desk.settle()
    assert desk.conversation().messages[-1].status == "delivered"
    desk.write("Gracias")
    assert [text for _, text in desk.at_the_desk()] == ["Hola", "¿Hay alguien?", "Sí, dígame", "Gracias"]
    assert len(desk.world.platform.chatwoot.conversations) == 1


def test_notes_never_leave_and_nothing_goes_round(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.answer("Parece grave, ¿la llamamos?", private=True)
    desk.answer("La llamamos")
    for _ in range(3):
        desk.world.do(SWEEP)
        desk.settle()
    assert desk.on_the_phone() == ["La llamamos"]
    assert len(desk.at_the_desk()) == 3


def test_an_event_that_nobody_heard_is_found_by_the_sweep(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.world.platform.call(lambda platforms: platforms.chatwoot.webhooks.clear())
    desk.answer("Dígame")
    assert desk.on_the_phone() == []
    desk.world.do(SWEEP)
    desk.settle()
    assert desk.on_the_phone() == ["Dígame"]


def test_a_desk_that_is_down_gets_everything_later(desk: DeskScenario) -> None:
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set([{"action": "drop_before"}]))
    for text in ("uno", "dos", "tres"):
        desk.write(text)
    assert desk.world.platform.chatwoot.conversations == {}
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set([]))
    eventually_settled(desk, lambda: len(desk.world.platform.chatwoot.conversations) == 1)
    eventually_settled(desk, lambda: len(desk.at_the_desk()) == 3)
    assert desk.at_the_desk() == [(0, "uno"), (0, "dos"), (0, "tres")]


def test_while_the_desk_is_left_alone_nothing_is_begun_for_it(desk: DeskScenario) -> None:
    breaker = desk.world.parts.chatwoot.breaker
    while not breaker.is_open:
        breaker.failed()
    before = desk.world.rows()["desk_conversations"]
    desk.write("Hola")
    assert desk.world.rows()["desk_conversations"] == before
    breaker.succeeded()
    eventually_settled(desk, lambda: len(desk.world.platform.chatwoot.conversations) == 1)
    assert desk.at_the_desk() == [(0, "Hola")]


@pytest.mark.slow
def test_an_answer_that_was_lost_doubles_nothing(desk: DeskScenario) -> None:
    """The desk takes each message, and every third answer of it gets lost."""
    sent, answered = [f"m{number}" for number in range(STORM)], [f"r{number}" for number in range(STORM)]
    desk.write(sent[0])
    rules = [
        {"action": "drop_after", "probability": 0.2},
        {"action": "half_answer", "probability": 0.1},
        {"action": "http", "status": 503, "probability": 0.1},
    ]
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set(rules))
    desk.world.platform.call(
        lambda platforms: platforms.chatwoot.change_behaviour(
            {"messages_per_minute": None, "requests_per_minute": None}
        )
    )
    for text, reply in zip(sent[1:], answered[1:], strict=True):
        desk.world.platform.receive(from_=MARIA, text=text)
        desk.answer(reply)
        desk.world.clock.move(seconds=15)
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set([]))
    eventually_settled(desk, lambda: len([kind for kind, _ in desk.at_the_desk() if kind == 0]) == len(sent))
    eventually_settled(desk, lambda: len(desk.on_the_phone()) == len(answered) - 1)
    assert [text for kind, text in desk.at_the_desk() if kind == 0] == sent
    assert desk.on_the_phone() == answered[1:]


def test_what_a_killed_process_held_is_taken_over(desk: DeskScenario) -> None:
    """It died with the conversation to itself, after the desk had its message and before it could note that."""
    desk.write("uno")
    with desk.world.parts.database.writing() as session:
        row = session.scalars(select(DeskConversation)).one()
        row.sent_id, row.busy_until = 0, desk.world.clock.now() + LEASE
    desk.write("dos")
    assert desk.at_the_desk() == [(0, "uno")]
    desk.world.clock.move(seconds=LEASE.total_seconds() + 1)
    desk.settle()
    assert desk.at_the_desk() == [(0, "uno"), (0, "dos")]


def test_only_what_the_platform_signed_is_heard(desk: DeskScenario) -> None:
    event = {"event": "message_created", "conversation": {"id": 1}}
    now = int(desk.world.clock.now().timestamp())
    body = json.dumps(event).encode()

    def signed(timestamp: int, secret: str = SECRET) -> dict[str, str]:
        made = signature(secret, str(timestamp), body)
        return {"X-Chatwoot-Timestamp": str(timestamp), "X-Chatwoot-Signature": made}

    assert desk.tell(event).status_code == 401
    assert desk.tell(event, **signed(now, "otro")).status_code == 403
    assert desk.tell(event, **signed(now - 301)).status_code == 403
    assert desk.tell(event, **signed(now) | {"X-Chatwoot-Timestamp": str(now + 1)}).status_code == 403
    assert desk.tell(event, **signed(now)).json()["data"] == {"received": True}


def test_an_unanswered_emergency_is_put_before_the_team_on_call(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker())
    [emergency] = [each.id for each in scenario.emergencies()]
    desk.settle()
    found = desk.conversation()
    assert found.labels == ["emergencia", "es"] and found.team_id == 1
    assert [note.private for note in found.messages] == [True, True]
    assert all(f"/admin/emergencias/{emergency}" in (note.content or "") for note in found.messages)
    desk.answer("Ya la llamo")
    assert staff_step(desk, emergency).read_at is not None
    assert staff_step(desk, emergency).ended_at is None
    desk.world.platform.call(lambda platforms: platforms.chatwoot.change_status(found, "resolved"))
    desk.settle()
    assert staff_step(desk, emergency).reason == "atendida"
    assert desk.on_the_phone() == []


def test_the_desk_knows_of_an_emergency_from_its_beginning(desk: DeskScenario) -> None:
    """Whoever is asked about it finds it there. It is the team's only when nobody of the family answers."""
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker(contact()))
    desk.settle()
    found = desk.conversation()
    assert found.labels == ["emergencia", "es"] and found.team_id is None
    [note] = found.messages
    assert note.private and "avisando a la familia" in (note.content or "")
    for _ in range(3):
        desk.world.clock.move(minutes=2)
        desk.settle()
    assert len(found.messages) == 2 and found.team_id == 1


def test_what_concerns_a_record_stays_here(desk: DeskScenario) -> None:
    """A contact answers an alert: the desk learns that she wrote, not what."""
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker(contact()))
    desk.settle()
    desk.write("Voy, tiene asma")
    [_begun] = desk.at_the_desk()
    assert desk.at_the_desk(2) == [(0, RESERVED)]


def test_whoever_is_called_to_an_emergency_is_labelled(desk: DeskScenario) -> None:
    """María wrote before. When she is alerted, her thread has the labels of the emergency too: its language, and the
    school that the child belongs to."""
    desk.write("Hola")
    assert desk.conversation().labels == []
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker(contact())
    school = belongs_to_school(scenario, sticker)
    scenario.press_alert(sticker)
    desk.settle()
    assert desk.conversation(2).labels == ["emergencia", "es", school]
    desk.write("¿Dónde está?")
    assert desk.conversation().labels == ["emergencia", "es", school]


def test_a_person_with_an_account_is_labelled(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker()
    school = belongs_to_school(scenario, sticker)
    with desk.world.parts.database.writing() as session:
        account = session.get_one(Account, sticker.owner.id)
        account.telefono_e164, account.telefono_verificado_por = MARIA, "whatsapp"
    desk.write("Hola")
    assert desk.conversation().labels == ["es", school]


def test_the_bridge_is_off_where_it_is_not_wanted(world: World) -> None:
    world.listen()
    world.platform.receive(from_=MARIA, text="Hola")
    world.platform.wait_until_idle()
    world.run_jobs()
    assert world.platform.chatwoot.conversations == {}


def belongs_to_school(scenario: EmergencyScenario, sticker: AlertSticker) -> str:
    """The label of the institution that sees this record from now on."""
    return f"institucion-{granted(scenario, sticker, GrantKind.INSTITUTION).id}"


def staff_step(desk: DeskScenario, emergency_id: int) -> Step:
    with desk.world.parts.database.reading() as session:
        return session.scalars(select(Step).where(Step.emergency_id == emergency_id, Step.channel == "staff")).one()


def eventually_settled(desk: DeskScenario, claim: Callable[[], bool]) -> None:
    """What failed waits longer each time, by the world's clock."""
    for _ in range(60):
        if claim():
            return
        desk.world.clock.move(seconds=61)
        desk.world.do(SWEEP)
        desk.settle()
    assert claim()
