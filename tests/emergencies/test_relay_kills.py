"""Messages between the sticker's page and a contact, while processes are killed at random: each once, in order."""

import os
from random import Random

import pytest

from ficha.emergencies.relay_lines import LineKind, relay_lines
from ficha.fmd.records import Record
from ficha.jobs.dead_jobs import dead_jobs
from tests.emergencies.killed_processes import KilledProcesses
from tests.emergencies.scenario import HERE, MARIA, EmergencyScenario, contact

pytestmark = pytest.mark.slow

# A few with the other tests; `make storm` sends them all.
MESSAGES = int(200 * float(os.environ.get("FICHA_STORM", "0.06")))
MOST_AT_ONCE = 4
# Of what a form and a round of jobs execute, before which statement the process dies.
OF_FORM, OF_JOBS = 20, 70
# Longer than a message is in doubt.
AFTER_DOUBT = 90


@pytest.mark.parametrize("seed", [20261116])
def test_each_message_once_and_in_order(scenario: EmergencyScenario, processes: KilledProcesses, seed: int) -> None:
    dice, world = Random(seed), scenario.world
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    assert scenario.press_alert(sticker, HERE).status_code == 201
    processes.work("alert", 0)
    [alert] = [each for each in scenario.alerts() if each.wa_id == MARIA]
    world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
    processes.work("answer", 0)
    [emergency] = [each for each in scenario.emergencies() if each.record_id == sticker.record_id]
    assert emergency.state == "acknowledged"
    asked: list[str] = []
    answered: list[str] = []
    kills = 0
    while len(asked) + len(answered) < MESSAGES:
        for _ in range(dice.randint(1, MOST_AT_ONCE)):
            asked.append(f"p{len(asked)}")
            form = {"mensaje": asked[-1], "vez": str(len(asked))}
            path = f"/e/{sticker.code}/{sticker.tag}/mensaje"
            kills += processes.post(path, form, dice.randint(1, OF_FORM))
        for _ in range(dice.randint(1, MOST_AT_ONCE)):
            world.clock.move(seconds=1)
            answered.append(f"r{len(answered)}")
            world.platform.receive(from_=MARIA, type="text", text=answered[-1])
            world.platform.wait_until_idle()
        kills += processes.work("talk", dice.randint(1, OF_JOBS))
        processes.survived.clear()  # The next one may die all the same: it has another number of statements.
        world.clock.move(seconds=AFTER_DOUBT)
    while scenario.waiting_jobs():
        processes.work("rest", 0)
        world.clock.move(seconds=AFTER_DOUBT)
    assert kills >= 2
    got = [each.text for each in scenario.alerts() if each.wa_id == MARIA and "escribe" in each.text]
    assert [words.partition("«")[2].partition("»")[0] for words in got] == asked
    with scenario.database.reading() as tx:
        key = tx.orm.get_one(Record, sticker.record_id).open_key(world.parts.keyring)
        lines = relay_lines(tx, key, emergency.id)
        assert dead_jobs(tx) == []
    assert all(line.kind is LineKind.WORDS for line in lines)
    assert [line.place for line in lines] == list(range(1, len(lines) + 1))
    assert [line.words for line in lines if line.contact_id is None] == asked
    assert [line.words for line in lines if line.contact_id is not None] == answered
