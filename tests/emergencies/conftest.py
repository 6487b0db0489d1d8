"""Processes for the tests that kill some."""

from collections.abc import Iterator

import pytest

from tests.emergencies.killed_processes import KilledProcesses, started_process
from tests.emergencies.scenario import EmergencyScenario, contact


@pytest.fixture
def processes(scenario: EmergencyScenario, database_url: str) -> Iterator[KilledProcesses]:
    parts = scenario.world.parts
    place = (database_url, parts.settings.data_dir, scenario.world.platform.url, parts.settings.on_call_mails)
    with started_process(True, *place) as children, started_process(False, *place) as survivor:
        processes = KilledProcesses(scenario, children, survivor)
        unanswered = scenario.sticker(contact(telefono="4125550000", correo="contacto0@ejemplo.com"))
        answered = scenario.sticker(contact(telefono="4125559999", correo="contacto9999@ejemplo.com"))
        processes.warm_up(unanswered, answered, "584125559999")
        yield processes
