"""A message of ours, from queued to read, or failed with a reason."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from ficha.channels.messages import Content, Location, Template, Text
from ficha.messaging.message_content import content_of
from ficha.messaging.message_sender import RECIPIENT_BURST
from ficha.messaging.messages import SEND, queue_message
from ficha.messaging.platform_account import SYNC, faults_of
from ficha.messaging.tables import Message, MessageState, Thread
from tests.messaging.webhook_notifications import MARIA, NUMBER
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

HELLO = Text("Hola, María")
PENDING = Template("mensaje_pendiente", "es", body=["Hola"])


@pytest.fixture
def listening(world: World) -> World:
    world.listen()
    return world


def write(world: World, content: Content = HELLO, to: str = f"+{MARIA}", **more: Any) -> int:
    with world.parts.database.writing() as tx:
        return queue_message(tx, world.parts.keyring, NUMBER, to, content, world.clock.now(), **more).id


def found(world: World, message_id: int) -> Message:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Message, message_id)


def ours(world: World) -> list[Message]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Message).where(Message.is_ours.is_(True)).order_by(Message.id)))


def all_of(world: World) -> list[Message]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Message).order_by(Message.id)))


def open_window(world: World, words: str = "Hola") -> None:
    world.platform.receive(from_=MARIA, name="María", type="text", text=words)
    world.platform.wait_until_idle()
    world.run_jobs()


def settle(world: World) -> None:
    """Sends what is queued and processes the statuses that the platform sends."""
    world.run_jobs()
    world.platform.wait_until_idle()
    world.run_jobs()


def set_faults(world: World, *rules: dict[str, Any]) -> None:
    world.platform.call(lambda platforms: platforms.whatsapp.faults.set(rules))


def open_chat(world: World) -> None:
    world.platform.call(lambda platforms: platforms.whatsapp.mark_chat_read(platforms.whatsapp.people.with_id(MARIA)))


def accepted(world: World) -> list[Any]:
    return list(world.platform.whatsapp.journal.accepted)


def test_from_queued_to_delivered_and_read(listening: World) -> None:
    open_window(listening)
    sent = write(listening)
    assert found(listening, sent).state == MessageState.QUEUED
    assert accepted(listening) == []
    settle(listening)
    message = found(listening, sent)
    assert message.state == MessageState.DELIVERED
    assert message.provider_id and message.accepted_at and message.sent_at and message.delivered_at
    open_chat(listening)
    settle(listening)
    assert found(listening, sent).state == MessageState.READ


def test_a_template_needs_no_window_and_is_checked_first(listening: World) -> None:
    listening.do(SYNC)
    with listening.parts.database.reading() as tx:
        assert faults_of(tx, PENDING) == []
        assert faults_of(tx, Template("mensaje_pendiente", "es"))
        assert faults_of(tx, Template("no_existe", "es"))
        assert faults_of(tx, Template("mensaje_pendiente", "fr"))
    good, bad = write(listening, PENDING), write(listening, Template("mensaje_pendiente", "es", body=["a", "b"]))
    settle(listening)
    assert found(listening, good).state == MessageState.DELIVERED
    assert (found(listening, bad).state, found(listening, bad).error) == (MessageState.FAILED, "plantilla_invalida")
    assert len(accepted(listening)) == 1


def test_outside_the_window_a_template_is_sent_instead(listening: World) -> None:
    place = Location(10.65, -71.63, name="Plaza Baralt")
    texts = [
        write(listening),
        write(listening, place),
        write(listening, fallback=Template("mensaje_pendiente", "en", body=["Hi"])),
    ]
    settle(listening)
    for message_id in texts:
        message = found(listening, message_id)
        assert (message.state, message.error) == (MessageState.FAILED, "ventana_cerrada")
        assert message.replaced_by is not None
        assert found(listening, message.replaced_by).state == MessageState.DELIVERED
    with listening.parts.database.reading() as tx:
        thread = tx.orm.scalars(select(Thread)).one()
    templates = [
        content_of(thread.open_key(listening.parts.keyring), message.sealed or b"", message.sealing_context)
        for message in ours(listening)
        if message.type == "template"
    ]
    words = {(template.language, template.body[0]) for template in templates if isinstance(template, Template)}
    assert words >= {("es", "Hola, María"), ("en", "Hi")}
    assert any("Plaza Baralt" in body for _, body in words)


def test_a_window_that_is_closed_only_for_the_platform_sends_a_template_too(listening: World) -> None:
    """It was open by our clock. The platform's refusal comes later, as a failed status."""
    open_window(listening)
    listening.platform.call(lambda platforms: setattr(platforms.whatsapp, "clock_offset", timedelta(hours=25)))
    sent = write(listening)
    settle(listening)
    settle(listening)
    message = found(listening, sent)
    assert (message.state, message.error_code) == (MessageState.FAILED, 131047)
    assert message.replaced_by is not None
    assert found(listening, message.replaced_by).state == MessageState.DELIVERED


@pytest.mark.parametrize(
    ("code", "error"), [(131026, "rechazado"), (131051, "rechazado"), (131031, "rechazado"), (131050, "rechazado")]
)
def test_final_errors_fail_at_once(listening: World, code: int, error: str) -> None:
    open_window(listening)
    set_faults(listening, {"match": {"path": "messages"}, "times": 1, "action": "error", "code": code})
    sent = write(listening)
    settle(listening)
    message = found(listening, sent)
    assert (message.state, message.error_code, message.error, message.attempts) == (MessageState.FAILED, code, error, 1)


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("code", [131016, 130429, 2, 4, 131000, 131056, 190])
def test_temporary_errors_are_tried_again(listening: World, code: int) -> None:
    open_window(listening)
    set_faults(listening, {"match": {"path": "messages"}, "times": 2, "action": "error", "code": code})
    sent = write(listening)
    for _ in range(3):
        listening.do(SEND, message_id=sent)
        listening.clock.move(minutes=5)
    message = found(listening, sent)
    assert (message.state, message.attempts) == (MessageState.ACCEPTED, 3)
    assert len(accepted(listening)) == 1


def test_an_unknown_error_of_the_platform_is_tried_a_few_times_only(listening: World) -> None:
    open_window(listening)
    set_faults(listening, {"match": {"path": "messages"}, "times": 100, "action": "error", "code": 131000})
    sent = write(listening)
    for _ in range(8):
        listening.do(SEND, message_id=sent)
        listening.clock.move(minutes=5)
    assert (found(listening, sent).state, found(listening, sent).attempts) == (MessageState.FAILED, 5)


@pytest.mark.parametrize("action", ["timeout_after_acceptance", "drop_after"])
def test_a_call_that_was_accepted_but_not_answered_is_not_repeated(listening: World, action: str) -> None:
    open_window(listening)
    set_faults(listening, {"match": {"path": "messages"}, "times": 1, "action": action})
    sent = write(listening)
    listening.do(SEND, message_id=sent)
    listening.do(SEND, message_id=sent)  # As after a crash: the message is still in doubt, so nothing is sent.
    assert (found(listening, sent).state, len(accepted(listening))) == (MessageState.QUEUED, 1)
    listening.platform.wait_until_idle()
    listening.do("whatsapp.notificaciones")
    assert found(listening, sent).state == MessageState.DELIVERED
    listening.clock.move(minutes=5)
    listening.do(SEND, message_id=sent)
    assert len(accepted(listening)) == 1


def test_a_call_that_was_not_accepted_is_repeated_when_the_doubt_is_over(listening: World) -> None:
    open_window(listening)
    set_faults(listening, {"match": {"path": "messages"}, "times": 1, "action": "drop_before"})
    sent = write(listening)
    listening.do(SEND, message_id=sent)
    assert found(listening, sent).in_doubt_at is not None
    listening.clock.move(seconds=59)
    listening.do(SEND, message_id=sent)
    assert accepted(listening) == []
    listening.clock.move(seconds=2)
    listening.do(SEND, message_id=sent)
    assert (found(listening, sent).state, len(accepted(listening))) == (MessageState.ACCEPTED, 1)


def test_an_unreachable_platform_loses_no_message(listening: World) -> None:
    open_window(listening)
    listening.platform.stop()
    sent = write(listening)
    for _ in range(4):
        listening.do(SEND, message_id=sent)
        listening.clock.move(minutes=5)
    message = found(listening, sent)
    assert (message.state, message.in_doubt_at, message.attempts) == (MessageState.QUEUED, None, 4)


def test_an_expired_message_is_not_sent(listening: World) -> None:
    sent = write(listening, PENDING, expires_at=listening.clock.now() + timedelta(minutes=1))
    listening.clock.move(minutes=2)
    listening.do(SEND, message_id=sent)
    assert (found(listening, sent).state, found(listening, sent).error) == (MessageState.FAILED, "vencido")
    assert accepted(listening) == []


def test_many_messages_to_one_person_wait_for_the_limit(listening: World) -> None:
    open_window(listening)
    many = [write(listening) for _ in range(RECIPIENT_BURST + 3)]
    for message_id in many:
        listening.do(SEND, message_id=message_id)
    late = [found(listening, message_id) for message_id in many[RECIPIENT_BURST:]]
    assert [message.state for message in late] == [MessageState.QUEUED] * 3
    waits = [(message.next_try_at - listening.clock.now()).total_seconds() for message in late if message.next_try_at]
    assert waits == [6, 12, 18], "each has a time of its own"
    listening.clock.move(seconds=18)
    for message_id in many[RECIPIENT_BURST:]:
        listening.do(SEND, message_id=message_id)
    assert len(accepted(listening)) == len(many)
    refused = [entry for entry in listening.platform.whatsapp.journal.entries if getattr(entry, "status", 200) >= 400]
    assert refused == []


def test_queueing_twice_for_one_reason_is_one_message(listening: World) -> None:
    first, second = write(listening, PENDING, once="aviso:1"), write(listening, PENDING, once="aviso:1")
    assert first == second
    settle(listening)
    assert len(accepted(listening)) == 1


def test_handled_messages_are_marked_as_read(listening: World) -> None:
    open_window(listening, "¿Quién es?")
    open_window(listening, "BAJA")
    theirs = [m for m in listening.platform.whatsapp.chats.messages.values() if m.direction == "in"]
    assert [m.is_read_by_business for m in theirs] == [True, True], "the newest marks the earlier ones too"
    assert [m.dealt_at is None for m in all_of(listening) if not m.is_ours] == [True, False]
