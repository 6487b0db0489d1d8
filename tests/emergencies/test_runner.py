"""The whole way with the real engine: from the button, through jobs and platform, to the answer."""

from ficha.core.clock import SystemClock
from ficha.jobs.dead_jobs import dead_jobs
from ficha.jobs.runner import start_runner
from tests.emergencies.house import HERE, MARIA, House, contact, kinds_for
from tests.jobs.conftest import eventually


def test_from_the_button_to_the_answer_without_anybody_turning_a_crank(house: House) -> None:
    house.world.clock.catch_up()
    sticker = house.sticker(contact())
    kinds = kinds_for(house.world.parts).values()
    runner = start_runner(house.database, kinds, clock=SystemClock(), lease_seconds=5, poll_seconds=0.1)
    try:
        assert house.press(sticker, HERE).status_code == 201
        eventually(lambda: house.ladder() == [("whatsapp", "delivered")], seconds=60)
        (alert,) = house.alerts()
        house.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
        eventually(lambda: house.emergencies()[0].state == "acknowledged", seconds=60)
    finally:
        runner.stop(10)
    with house.database.reading() as session:
        assert dead_jobs(session) == []
    assert len(house.alerts()) == 1
