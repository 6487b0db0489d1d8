"""Processes that die before every statement and every commit from the team on call being told to an emergency that
somebody of it takes, writes a note about and hands back: each happens once, and the log is whole."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.accounts.accounts import Role
from ficha.audit.verify_entries import verify_all
from ficha.emergencies.staff_notes import notes_of
from ficha.jobs.queue import dead_jobs
from tests.emergencies.killed_processes import KilledProcesses
from tests.emergencies.scenario import EmergencyScenario
from tests.world import build_world, settings_for

pytestmark = pytest.mark.slow

TEAM = "guardia@ejemplo.com"


@pytest.fixture
def scenario(database_url: str, tmp_path: Path) -> Iterator[EmergencyScenario]:
    world = build_world(settings_for(database_url, tmp_path / "data", on_call_mails=TEAM))
    world.listen()
    yield EmergencyScenario(world)
    world.close()


def test_kills_while_staff_look_after_an_emergency(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    eva = scenario.world.somebody_with(Role.STAFF)
    number, some_died = 0, True
    while some_died:
        number += 1
        sticker = scenario.sticker()  # With nobody to alert, the team on call is told at once.
        processes.press_alert(sticker, 0)
        some_died = processes.work("team", number)
        emergency = scenario.emergencies()[-1]
        path = f"/v2/emergencies/{emergency.id}"
        for act, body in (("take", None), ("notes", {"texto": "Llamé."}), ("hand-back", {"motivo": "Ya me voy."})):
            some_died = processes.call(eva, f"{path}/{act}", body, number) or some_died
        assert [(step.channel, step.state) for step in scenario.steps(emergency.id)] == [("staff", "sent")], number
        acts = [entry.action for entry in scenario.log_of(sticker) if entry.via == "staff"]
        assert acts == ["emergency.taken", "emergency.noted", "emergency.handed_back"], number
        with scenario.database.reading() as tx:
            assert [note.kind for note in notes_of(tx, emergency.id)] == ["note", "handed_back"], number
        assert scenario.emergency(emergency.id).taken_by is None, number
    assert number > 15, "there were fewer places to die than statements"
    mails = {mail.message_id for mail in scenario.world.mails(count=3 * number) if mail.to == TEAM}
    alerted = [step for step in scenario.steps() if (step.channel, step.state) == ("staff", "sent")]
    assert len(mails) == len(alerted) >= number, "however often one is sent, it has one Message-ID"
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []
        assert verify_all(tx, lambda _: None) == []
