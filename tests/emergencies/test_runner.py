"""An emergency with the real runner: from the button, through jobs and platform, to the answer."""

from ficha.jobs.queue import dead_jobs
from ficha.jobs.runner import start_runner
from ficha.worker import kinds_of
from tests.emergencies.scenario import HERE, MARIA, EmergencyScenario, contact
from tests.waiting import eventually


def test_from_the_button_to_the_answer_with_a_real_runner(scenario: EmergencyScenario) -> None:
    scenario.world.clock.catch_up()
    sticker = scenario.sticker(contact())
    runner = start_runner(scenario.database, kinds_of(scenario.world.parts), lease_seconds=5, poll_seconds=0.1)
    try:
        assert scenario.press_alert(sticker, HERE).status_code == 201
        eventually(lambda: scenario.ladder() == [("whatsapp", "delivered")], seconds=60)
        (alert,) = scenario.alerts()
        scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
        eventually(lambda: scenario.emergencies()[0].state == "acknowledged", seconds=60)
    finally:
        runner.stop(10)
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []
    assert len([each for each in scenario.alerts() if each.type == "template"]) == 1
