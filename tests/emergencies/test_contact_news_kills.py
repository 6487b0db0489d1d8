"""The message that an emergency is over, while the job that queues it is killed at every statement: once each."""

import pytest
from sqlalchemy import select

from ficha.emergencies.emergency_events import TELL_END
from ficha.emergencies.steps import Step
from ficha.jobs.queue import dead_jobs
from tests.emergencies.killed_processes import KilledProcesses
from tests.emergencies.scenario import HERE, EmergencyScenario, contact

pytestmark = pytest.mark.slow


def test_kills_before_every_statement_of_the_end(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    number, some_died = 0, True
    while some_died:
        number += 1
        phone = f"41277{number:05}"
        sticker = scenario.sticker(contact(canales=["whatsapp"], telefono=phone))
        assert scenario.press_alert(sticker, HERE).status_code == 201
        processes.work("alert", 0)
        emergency = scenario.emergencies()[-1]
        path, headers = f"/v2/emergencies/{emergency.id}", sticker.owner.headers
        assert scenario.world.client.patch(path, json={"state": "canceled"}, headers=headers).status_code == 200
        with scenario.database.reading() as tx:
            step = tx.orm.scalars(select(Step.id).where(Step.emergency_id == emergency.id)).one()
        some_died = processes.do(TELL_END, number, step_id=step)
        processes.work("send", 0)
        processes.work("rest", 0)
        got = [each.text for each in scenario.alerts() if each.wa_id == f"58{phone}"]
        assert len(got) == 2 and "Fue una falsa alarma" in got[1], (number, got)
    assert number > 5, "there were fewer places to die than statements"
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []
