"""Many sends, two of whose batches break off as if the process had been killed, and then a silence of ours: nothing is
lost, nothing is doubled that the platform told us about, nothing comes three times, and no alert twice."""

import os
import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from ficha.channels.messages import Template
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, queue_message
from tests.messaging.test_after_silence import be_silent, beat
from tests.messaging.webhook_notifications import NUMBER, enveloped, notify, status, value
from tests.world import World

pytestmark = pytest.mark.slow

# A tenth with the other tests; `make storm` sends them all.
SENDS = int(300 * float(os.environ.get("FICHA_STORM", "0.1")))
# Of the calls that a process has under way when it is killed, about half had reached the platform.
UNDER_WAY = 8
NEVER_TOLD = 0.2


def kills() -> list[dict[str, Any]]:
    """What the two kills leave: calls without an answer, some taken and some not."""
    part = SENDS // 3
    # A rule does not see the calls that one before it has broken off.
    return [
        {"match": {"type": "template"}, "skip": at, "times": UNDER_WAY // 2, "action": action}
        for at in (part, 2 * part - UNDER_WAY)
        for action in ("drop_after", "drop_before")
    ]


@pytest.mark.parametrize("silence", [1, 20, 90, 900])
def test_a_silence_loses_nothing_and_doubles_no_alert(world: World, silence: int) -> None:
    chance = random.Random(silence)
    platform = world.platform
    platform.call(lambda each: each.whatsapp.change_behaviour({"per_second": None, "pair_burst": None}))
    platform.call(lambda each: each.whatsapp.faults.set(kills()))
    keys = queue_all(world)
    beat(world)
    while waiting(world, is_in_doubt=False):
        world.run_jobs()
        world.clock.move(seconds=1)
    in_doubt = waiting(world, is_in_doubt=True)
    assert in_doubt == 2 * UNDER_WAY
    told = {one.key: one.id for one in platform.whatsapp.journal.accepted if one.key and chance.random() > NEVER_TOLD}
    be_silent(world, silence)
    # What the platform could not tell us it repeats: some at once, some at its next retry.
    early = {key for key in told if chance.random() < 0.5}
    tell(world, {key: told[key] for key in early})
    world.run_jobs()
    world.clock.move(seconds=silence * 0.9)
    world.run_jobs()
    tell(world, {key: told[key] for key in told.keys() - early})
    for _ in range(silence // 60 + 8):
        world.run_jobs()
        world.clock.move(seconds=60)
        beat(world)
    copies = Counter(one.key for one in platform.whatsapp.journal.accepted)
    assert {key for key in told if copies[key] != 1} == set(), "doubled although we were told"
    assert max(copies.values()) <= 2, "never more than one extra"
    ordinary = [key for key, is_alert in keys.items() if not is_alert]
    assert [key for key in ordinary if not copies[key]] == [], "lost"
    assert [key for key, is_alert in keys.items() if is_alert and copies[key] > 1] == [], "an alert doubled"
    assert waiting(world, is_in_doubt=True) == waiting(world, is_in_doubt=False) == 0
    check_rows(world, copies)


def queue_all(world: World) -> dict[str, bool]:
    """The keys of all, and whether each is an alert: one in six is."""
    found = {}
    with world.parts.database.writing() as session:
        for number in range(SENDS):
            is_alert = number % 6 == 0
            template = Template("mensaje_pendiente", "es", body=["Hola"])
            to, now = f"+58412{number:07d}", world.clock.now()
            options: dict[str, Any] = {}
            if is_alert:
                options = {"is_said_once": True, "is_urgent": True, "expires_at": now + timedelta(minutes=5)}
            message = queue_message(session, world.parts.keyring, NUMBER, to, template, now, **options)
            found[message.key] = is_alert
    return found


def waiting(world: World, *, is_in_doubt: bool) -> int:
    queued = select(func.count()).where(Message.state == MessageState.QUEUED)
    doubt = Message.in_doubt_at.is_not(None) if is_in_doubt else Message.in_doubt_at.is_(None)
    with world.parts.database.reading() as session:
        return session.scalar(queued.where(doubt)) or 0


def tell(world: World, told: dict[str, str]) -> None:
    at = int(world.clock.now().timestamp())
    said = [status(name, "sent", at=at, biz_opaque_callback_data=key) for key, name in told.items()]
    assert notify(world, enveloped(value(statuses=said))).status_code == 200


def check_rows(world: World, copies: Counter[str | None]) -> None:
    """What was sent again says so."""
    with world.parts.database.reading() as session:
        rows = session.execute(select(Message.key, Message.repeated_at, Message.state, Message.error)).all()
    for key, repeated_at, state, error in rows:
        assert copies[key] < 2 or repeated_at is not None
        assert state != MessageState.FAILED or error == "sin_noticia"
