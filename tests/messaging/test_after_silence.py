"""A call of which nobody knows what became, and then we are down: when the message is said again, and when not."""

from dataclasses import replace
from itertools import product

import pytest
from sqlalchemy import select

from ficha.channels.messages import Template
from ficha.messaging.messages import queue_message
from ficha.messaging.tables import Message
from ficha.messaging.uptime import note_uptime
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.messaging.webhook_notifications import NUMBER, enveloped, notify, status, value
from tests.world import World

SILENCES = (5, 90, 900)
# When the platform tells what became of the message: as soon as we hear, at its next retry, or never.
TOLD = ("early", "late", "never")
# How often the platform accepts it, the state in the end, and whether the row says that it was sent again.
ONCE, TWICE = (1, "sent", False), (2, "accepted", True)
OUTCOMES = {(silence, told): TWICE if told == "never" else ONCE for silence, told in product(SILENCES, TOLD)}
# An alert is never said twice; where nothing is heard of it, its step says so and the ladder has gone on.
ALERTS = {(silence, told): "sin_noticia" if told == "never" else None for silence, told in product(SILENCES, TOLD)}

pytestmark = pytest.mark.oldest_postgresql


def break_off_after_acceptance(world: World, times: int = 1) -> None:
    rule = {"match": {"type": "template"}, "action": "drop_after", "times": times}
    world.platform.call(lambda platforms: platforms.whatsapp.faults.set([rule]))


def be_silent(world: World, seconds: int) -> None:
    """Nobody beats meanwhile; then a server starts, with two processes."""
    world.clock.move(seconds=seconds)
    for _ in range(2):
        with world.parts.database.writing() as tx:
            note_uptime(tx, world.clock.now(), is_new=True)


def beat(world: World) -> None:
    with world.parts.database.writing() as tx:
        note_uptime(tx, world.clock.now(), is_new=False)


def tell(world: World, provider_id: str, key: str) -> None:
    said = status(provider_id, "sent", at=int(world.clock.now().timestamp()), biz_opaque_callback_data=key)
    assert notify(world, enveloped(value(statuses=[said]))).status_code == 200


def send_and_be_silent(world: World, key: str, silence: int, told: str) -> None:
    """From the call that breaks off until nothing more can happen."""
    break_off_after_acceptance(world)
    beat(world)
    world.run_jobs()
    [accepted] = [one for one in world.platform.whatsapp.journal.accepted if one.key == key]
    be_silent(world, silence)
    if told == "early":
        tell(world, accepted.id, key)
    world.run_jobs()
    # The platform's retries come at intervals that double.
    world.clock.move(seconds=silence * 0.9)
    world.run_jobs()
    if told == "late":
        tell(world, accepted.id, key)
    for _ in range(4):
        world.run_jobs()
        world.clock.move(seconds=80)
    world.run_jobs()


def copies(world: World, key: str) -> int:
    return sum(one.key == key for one in world.platform.whatsapp.journal.accepted)


def test_a_message_is_said_again_at_most_once_and_only_without_news(world: World) -> None:
    found = {}
    for number, (silence, told) in enumerate(OUTCOMES):
        with world.parts.database.writing() as tx:
            message = queue_message(
                tx,
                world.parts.keyring,
                NUMBER,
                f"+58412666{number:04d}",
                Template("mensaje_pendiente", "es", body=["Hola"]),
                world.clock.now(),
            )
        send_and_be_silent(world, message.key, silence, told)
        with world.parts.database.reading() as tx:
            row = tx.orm.get_one(Message, message.id)
        found[silence, told] = (copies(world, message.key), row.state, row.repeated_at is not None)
    assert found == OUTCOMES


def test_without_any_news_there_is_never_a_third(world: World) -> None:
    with world.parts.database.writing() as tx:
        template = Template("mensaje_pendiente", "es", body=["Hola"])
        message = queue_message(tx, world.parts.keyring, NUMBER, "+584126660000", template, world.clock.now())
    break_off_after_acceptance(world, times=5)
    for _ in range(8):
        world.run_jobs()
        world.clock.move(seconds=70)
    assert copies(world, message.key) == 2
    with world.parts.database.reading() as tx:
        row = tx.orm.get_one(Message, message.id)
    assert (row.state, row.error) == ("failed", "sin_noticia")
    tell(world, world.platform.whatsapp.journal.accepted[0].id, message.key)
    notify(world, enveloped(value(statuses=[status(world.platform.whatsapp.journal.accepted[0].id, "delivered")])))
    world.run_jobs()
    with world.parts.database.reading() as tx:
        row = tx.orm.get_one(Message, message.id)
    assert (row.state, row.error, row.error_code, row.failed_at) == ("delivered", None, None, None)


def test_an_alert_is_never_said_twice_by_whatsapp(world: World) -> None:
    scenario = EmergencyScenario(world)
    found, expected = {}, {}
    for number, (silence, told) in enumerate(ALERTS):
        pressed = scenario.press_alert(scenario.sticker(contact(telefono=f"412665{number:04d}")))
        emergency = int(pressed.json()["data"]["id"])
        world.do("emergencia.paso", emergency_id=emergency, place=1)
        with world.parts.database.reading() as tx:
            about = f"emergencia:{emergency}:1"
            [message] = tx.orm.scalars(select(Message).where(Message.about == about))
        send_and_be_silent(world, message.key, silence, told)
        [alert, mail, *_] = scenario.steps(emergency)
        found[silence, told] = (copies(world, message.key), alert.reason, mail.channel)
        expected[silence, told] = (1, ALERTS[silence, told], "correo")
    assert found == expected


@pytest.mark.parametrize(("heard_after", "expected"), [(0, 1), (150, 1), (None, 0)])
def test_an_alert_that_never_left_is_sent_once_others_are_heard_of(
    world: World, heard_after: int | None, expected: int
) -> None:
    """The platform took nothing, and we do not know it. Its silence tells so only if it speaks of later messages, soon
    or when the doubt itself is long over."""
    scenario, journal = EmergencyScenario(world), world.platform.whatsapp.journal
    assert world.reader is not None, "a server hears the platform from the beginning"
    emergency = int(scenario.press_alert(scenario.sticker(contact(telefono="4126650000"))).json()["data"]["id"])
    world.do("emergencia.paso", emergency_id=emergency, place=1)
    with world.parts.database.writing() as tx:
        [alert] = tx.orm.scalars(select(Message).where(Message.about == f"emergencia:{emergency}:1"))
        alert.in_doubt_at, alert.attempts = world.clock.now(), 1  # As a process that died before its call leaves it.
    world.clock.move(seconds=5)
    with world.parts.database.writing() as tx:
        template = Template("mensaje_pendiente", "es", body=["Hola"])
        other = queue_message(tx, world.parts.keyring, NUMBER, "+584126660000", template, world.clock.now())
    world.run_jobs()
    [accepted] = [one for one in journal.accepted if one.key == other.key]
    for seconds in range(0, 300, 50):
        if seconds == heard_after:
            tell(world, accepted.id, other.key)
        world.clock.move(seconds=50)
        beat(world)
        world.run_jobs()
    assert copies(world, alert.key) == expected


def test_the_team_on_call_is_not_told_twice_by_whatsapp_either(world: World) -> None:
    on_call = world.parts.settings.model_copy(update={"on_call_phones": ("+584121234567",)})
    world.parts = replace(world.parts, settings=on_call)
    scenario = EmergencyScenario(world)
    emergency = int(scenario.press_alert(scenario.sticker()).json()["data"]["id"])
    world.do("emergencia.paso", emergency_id=emergency, place=1)
    with world.parts.database.reading() as tx:
        [message] = tx.orm.scalars(select(Message).where(Message.once == f"guardia:{emergency}:0"))
    send_and_be_silent(world, message.key, 900, "never")
    with world.parts.database.reading() as tx:
        row = tx.orm.get_one(Message, message.id)
    assert (copies(world, message.key), row.state, row.error) == (1, "failed", "sin_noticia")


def test_a_notification_that_waits_is_read_before_anything_is_said_again(world: World) -> None:
    """However long it waits: it may be the one that tells."""
    with world.parts.database.writing() as tx:
        template = Template("mensaje_pendiente", "es", body=["Hola"])
        message = queue_message(tx, world.parts.keyring, NUMBER, "+584126669999", template, world.clock.now())
    break_off_after_acceptance(world)
    world.do("whatsapp.envio", message_id=message.id)
    tell(world, world.platform.whatsapp.journal.accepted[0].id, message.key)
    world.clock.move(hours=1)
    world.do("whatsapp.envio", message_id=message.id)
    assert copies(world, message.key) == 1
    world.run_jobs()
    assert copies(world, message.key) == 1
