"""Many sends by processes that are killed, twice, with calls under way, and a silence of ours after each kill: nothing
is lost, nothing is doubled that the platform told us about, nothing comes three times, and no alert twice."""

import os
import random
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from ficha.channels.messages import Template
from ficha.messaging.message_sender import CALLS_AT_ONCE
from ficha.messaging.messages import queue_message
from ficha.messaging.tables import Message, MessageState
from tests.databases import wait_until_forgotten
from tests.messaging.killed_sender import main as send_what_is_due
from tests.messaging.test_after_silence import be_silent, beat
from tests.messaging.webhook_notifications import NUMBER, enveloped, notify, status, value
from tests.processes import kill, start
from tests.waiting import eventually
from tests.world import World

pytestmark = pytest.mark.slow

# An eighth with the other tests; `make storm` sends them all.
SENDS = int(300 * float(os.environ.get("FICHA_STORM", "0.12")))
KILLS = 2
# Of the calls that a process has under way when it is killed, half had reached the platform.
UNDER_WAY = 6
# Each process answers for a few rounds of calls, and dies early in the next.
BEFORE = SENDS // (4 * CALLS_AT_ONCE) * CALLS_AT_ONCE + 3
NEVER_TOLD = 0.2


def hang() -> list[dict[str, Any]]:
    """Calls without an answer, some taken and some not: with them under way the process is killed."""
    return [
        {"match": {"type": "template"}, "skip": BEFORE, "times": UNDER_WAY // 2, "action": action}
        for action in ("timeout_after_acceptance", "timeout_before_acceptance")
    ]


def send_until_killed(world: World, database_url: str) -> None:
    """A process of its own sends, and dies by SIGKILL once the calls that get no answer are under way."""
    platform, parts = world.platform, world.parts
    platform.call(lambda each: each.whatsapp.faults.set(hang()))
    rules = platform.whatsapp.faults.rules
    place = (parts.settings.data_dir, platform.url, world.clock.now())
    process = start(send_what_is_due, database_url, *place)
    try:
        eventually(lambda: process.exitcode is not None or all(rule.fired == UNDER_WAY // 2 for rule in rules))
        assert process.exitcode is None, "it came to its end"
    finally:
        kill(process)
    wait_until_forgotten(parts.database)
    platform.call(lambda each: each.whatsapp.faults.set([]))
    assert waiting(world, is_in_doubt=True) >= UNDER_WAY
    assert waiting(world, is_in_doubt=False), "it was killed on the way"


@pytest.mark.parametrize("silence", [1, 20, 90, 900])
def test_kills_and_a_silence_lose_nothing_and_double_only_the_untold(
    world: World, database_url: str, silence: int
) -> None:
    chance = random.Random(silence)
    platform = world.platform
    platform.call(lambda each: each.whatsapp.change_behaviour({"per_second": None, "pair_burst": None}))
    keys = queue_all(world)
    told: dict[str, str] = {}
    late: set[str] = set()
    seen = 0
    for _ in range(KILLS):
        beat(world)
        send_until_killed(world, database_url)
        accepted = platform.whatsapp.journal.accepted[seen:]
        seen += len(accepted)
        new = {one.key: one.id for one in accepted if one.key and chance.random() > NEVER_TOLD}
        be_silent(world, silence)
        # What the platform could not tell us it repeats: some at once, some at its next retry.
        early = {key for key in new if chance.random() < 0.5}
        tell(world, {key: new[key] for key in early})
        told |= new
        late |= new.keys() - early
    while waiting(world, is_in_doubt=False):
        world.run_jobs()
        world.clock.move(seconds=0.1)
    assert waiting(world, is_in_doubt=True), "some are still in doubt"
    world.clock.move(seconds=silence * 0.9)
    world.run_jobs()
    tell(world, {key: told[key] for key in late})
    for _ in range(silence // 60 + 8):
        world.run_jobs()
        world.clock.move(seconds=60)
        beat(world)
    copies = Counter(one.key for one in platform.whatsapp.journal.accepted)
    assert {key for key in told if copies[key] != 1} == set(), "doubled although we were told"
    assert max(copies.values()) <= 2, "never more than one extra"
    ordinary = [key for key, is_alert in keys.items() if not is_alert]
    assert [key for key in ordinary if not copies[key]] == [], "lost"
    assert waiting(world, is_in_doubt=True) == waiting(world, is_in_doubt=False) == 0
    check_rows(world, copies)


def queue_all(world: World) -> dict[str, bool]:
    """The keys of all, and whether each is an alert: one in six is."""
    found = {}
    with world.parts.database.writing() as tx:
        for number in range(SENDS):
            is_alert = number % 6 == 0
            template = Template("mensaje_pendiente", "es", body=["Hola"])
            to, now = f"+58412{number:07d}", world.clock.now()
            options: dict[str, Any] = {}
            if is_alert:
                # Not urgent, so that they are among the others when the process dies.
                options = {"is_said_once": True, "expires_at": now + timedelta(minutes=5)}
            message = queue_message(tx, world.parts.keyring, NUMBER, to, template, now, **options)
            found[message.key] = is_alert
    return found


def waiting(world: World, *, is_in_doubt: bool) -> int:
    queued = select(func.count()).where(Message.state == MessageState.QUEUED)
    doubt = Message.in_doubt_at.is_not(None) if is_in_doubt else Message.in_doubt_at.is_(None)
    with world.parts.database.reading() as tx:
        return tx.orm.scalar(queued.where(doubt)) or 0


def tell(world: World, told: dict[str, str]) -> None:
    at = int(world.clock.now().timestamp())
    said = [status(name, "sent", at=at, biz_opaque_callback_data=key) for key, name in told.items()]
    assert notify(world, enveloped(value(statuses=said))).status_code == 200


def check_rows(world: World, copies: Counter[str | None]) -> None:
    """What was sent again says so."""
    with world.parts.database.reading() as tx:
        found = select(Message.key, Message.attempts, Message.repeated_at, Message.state, Message.error)
        rows = tx.orm.execute(found).all()
    for key, called, repeated_at, state, error in rows:
        assert copies[key] < 2 or repeated_at is not None
        # An alert that was still waiting when a long silence began is too old after it, and never leaves.
        expected = "sin_noticia" if called else "vencido"
        assert state != MessageState.FAILED or error == expected
