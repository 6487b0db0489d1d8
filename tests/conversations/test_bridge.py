"""The bridge: what a person writes by WhatsApp reaches the desk, and what an agent answers reaches the person."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ficha.conversations.desk_conversations import LEASE, SWEEP, DeskConversation
from ficha.core.key_sources import create_key_file
from ficha.sandbox.chatwoot.records import OUTGOING
from ficha.sandbox.chatwoot.webhooks import signature
from tests.conversations.conftest import LUIS, MARIA, SECRET, DeskScenario, listen_to_desk
from tests.world import PRODUCTION, World, build_world, settings_for

STORM = 1000 if os.environ.get("FICHA_STORM") else 20


@pytest.mark.oldest_postgresql
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


@pytest.mark.oldest_postgresql
def test_what_a_killed_process_held_is_taken_over(desk: DeskScenario) -> None:
    """It died with the conversation to itself, after the desk had its message and before it could note that."""
    desk.write("uno")
    with desk.world.parts.database.writing() as tx:
        row = tx.orm.scalars(select(DeskConversation)).one()
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


def test_where_there_is_no_desk_the_sandbox_s_secret_signs_nothing(tmp_path: Path) -> None:
    create_key_file(tmp_path / "keys.json", made_for="production")
    world = build_world(settings_for("", tmp_path, **PRODUCTION), has_database=False)
    now, event = str(int(world.clock.now().timestamp())), {"event": "message_created", "conversation": {"id": 1}}
    for secret in (SECRET, ""):
        made = signature(secret, now, json.dumps(event).encode())
        headers = {"X-Chatwoot-Timestamp": now, "X-Chatwoot-Signature": made}
        assert DeskScenario(world).tell(event, **headers).status_code == 403
    world.close()


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("number", [int("9" * 30), 2**63, -1, 0, True, "1", None, [1]])
@pytest.mark.oldest_postgresql
def test_a_signed_event_that_cannot_be_read_is_answered_and_counted(desk: DeskScenario, number: Any) -> None:
    event = {"event": "message_created", "conversation": {"id": number}}
    now = str(int(desk.world.clock.now().timestamp()))
    made = signature(SECRET, now, json.dumps(event).encode())
    answer = desk.tell(event, **{"X-Chatwoot-Timestamp": now, "X-Chatwoot-Signature": made})
    assert answer.status_code == 200, answer.text
    counted = desk.world.app.state.metrics.text()
    assert b'ficha_unreadable_events_total{platform="chatwoot"} 1.0' in counted


@pytest.mark.oldest_postgresql
def test_a_desk_made_anew_gets_nothing_into_another_persons_conversation(desk: DeskScenario) -> None:
    """The same numbers are other people's then. Who wrote before gets a new conversation."""
    desk.write("Soy María")
    desk.world.platform.call(lambda platforms: platforms.chatwoot.forget())
    listen_to_desk(desk.world)
    desk.write("Soy Luis", sender=LUIS)
    assert desk.at_the_desk(1) == [(0, "Soy Luis")]
    desk.write("¿Siguen ahí?")
    assert desk.at_the_desk(1) == [(0, "Soy Luis")]
    assert desk.at_the_desk(2) == [(0, "¿Siguen ahí?")]
    for number, words in ((1, "Hola, Luis"), (2, "Hola, María")):
        desk.answer(words, number=number)
    sent = desk.world.platform.whatsapp.journal.accepted
    assert [(each.to, each.text) for each in sent] == [(LUIS, "Hola, Luis"), (MARIA, "Hola, María")]
    states = [each.status for number in (1, 2) for each in desk.conversation(number).messages if each.type == OUTGOING]
    assert states == ["delivered", "delivered"]


def test_the_bridge_is_off_where_it_is_not_wanted(world: World) -> None:
    world.listen()
    world.platform.receive(from_=MARIA, text="Hola")
    world.platform.wait_until_idle()
    world.run_jobs()
    assert world.platform.chatwoot.conversations == {}


def eventually_settled(desk: DeskScenario, claim: Callable[[], bool]) -> None:
    """What failed waits longer each time, by the world's clock."""
    for _ in range(60):
        if claim():
            return
        desk.world.clock.move(seconds=61)
        desk.world.do(SWEEP)
        desk.settle()
    assert claim()
