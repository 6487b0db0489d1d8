"""Messages between the sticker's page and a contact, while processes are killed, at every statement and at
random: each once, in order."""

import os
from random import Random

import pytest

from ficha.emergencies.emergency import Emergency
from ficha.emergencies.relay_lines import RELAY, LineKind, relay_lines
from ficha.fmd.records import Record
from ficha.jobs.queue import dead_jobs
from tests.emergencies.killed_processes import KilledProcesses
from tests.emergencies.scenario import HERE, MARIA, AlertSticker, EmergencyScenario, contact

pytestmark = pytest.mark.slow

# A few with the other tests; `make storm` sends them all.
MESSAGES = int(200 * float(os.environ.get("FICHA_STORM", "0.06")))
MOST_AT_ONCE = 4
# Of what a form and a round of jobs execute, before which statement the process dies.
OF_FORM, OF_JOBS = 20, 70
# Longer than a message is in doubt.
AFTER_DOUBT = 90


def coming(scenario: EmergencyScenario, processes: KilledProcesses) -> tuple[AlertSticker, Emergency]:
    """A sticker whose alert María has answered: she gets all that is written there."""
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    assert scenario.press_alert(sticker, HERE).status_code == 201
    processes.work("alert", 0)
    [alert] = [each for each in scenario.alerts() if each.wa_id == MARIA]
    scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
    processes.work("answer", 0)
    [emergency] = [each for each in scenario.emergencies() if each.record_id == sticker.record_id]
    assert emergency.state == "acknowledged"
    return sticker, emergency


def got_by_maria(scenario: EmergencyScenario) -> list[str]:
    got = [each.text for each in scenario.alerts() if each.wa_id == MARIA and "escribe" in each.text]
    return [words.partition("«")[2].partition("»")[0] for words in got]


def test_kills_before_every_statement_of_the_form_and_of_the_relay(
    scenario: EmergencyScenario, processes: KilledProcesses
) -> None:
    """What a contact writes back is in test_kills.py, and how a message is sent among the tests of messaging."""
    sticker, emergency = coming(scenario, processes)
    number, some_died = 0, True
    while some_died:
        number += 1
        form = {"mensaje": f"p{number}", "vez": str(number)}
        some_died = processes.post(f"/e/{sticker.code}/{sticker.tag}/mensaje", form, number)
        some_died = processes.do(RELAY, number, emergency_id=emergency.id) or some_died
        processes.work("send", 0)
        assert got_by_maria(scenario) == [f"p{each}" for each in range(1, number + 1)]
    assert number > 10, "there were fewer places to die than statements"
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []


@pytest.mark.parametrize("seed", [20261116])
def test_each_message_once_and_in_order(scenario: EmergencyScenario, processes: KilledProcesses, seed: int) -> None:
    dice, world = Random(seed), scenario.world
    sticker, emergency = coming(scenario, processes)
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
    assert got_by_maria(scenario) == asked
    with scenario.database.reading() as tx:
        key = tx.orm.get_one(Record, sticker.record_id).open_key(world.parts.keyring)
        lines = relay_lines(tx, key, emergency.id)
        assert dead_jobs(tx) == []
    assert all(line.kind is LineKind.WORDS for line in lines)
    assert [line.place for line in lines] == list(range(1, len(lines) + 1))
    assert [line.words for line in lines if line.contact_id is None] == asked
    assert [line.words for line in lines if line.contact_id is not None] == answered
