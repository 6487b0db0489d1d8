"""Processes that die before every statement and every commit, from the alert to the last step: nothing is lost,
nothing is done twice, no step is left out, and the log is whole."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import pytest
from sqlalchemy import select, text

from ficha.audit.verify import verify_all
from ficha.emergencies.emergency import Emergency
from ficha.jobs.dead_jobs import dead_jobs
from tests.emergencies.process import main as carry_out_commands
from tests.emergencies.scenario import HERE, EmergencyScenario, Sticker, contact
from tests.processes import kill, start
from tests.waiting import eventually

pytestmark = pytest.mark.slow

KILLED = -signal.SIGKILL


@dataclass
class KilledProcesses:
    """Runs commands in child processes that are killed, and lets another process, the survivor, finish it."""

    scenario: EmergencyScenario
    children: Connection
    survivor: Connection
    # Stages that have no statement left to die before.
    survived: set[str] = field(default_factory=set)

    def warm_up(self, sticker: Sticker) -> None:
        """One emergency from its beginning to its end, so that the children are quick."""
        self._send(self.children, "warm press", 0, body=_body(sticker))
        for _ in range(3):
            for _ in range(2):
                self._send(self.children, "warm work", 0)
                self.scenario.world.platform.wait_until_idle()
            self.scenario.world.clock.move(seconds=60)

    def press_alert(self, sticker: Sticker, dies_at: int) -> bool:
        return self._until_done("press", "press", dies_at, body=_body(sticker))

    def work(self, stage: str, dies_at: int) -> bool:
        """Runs what is due now, then what the platform's notifications put, each with a kill on the way."""
        died = self._until_done("work", f"{stage}: work", dies_at)
        self.scenario.world.platform.wait_until_idle()
        return self._until_done("work", f"{stage}: notifications", dies_at) or died

    def _until_done(self, what: str, stage: str, dies_at: int, **more: Any) -> bool:
        """Returns whether a process was killed on the way."""
        if dies_at and stage not in self.survived:
            ended = self._send(self.children, what, dies_at, **more)
            if ended == 0:
                self.survived.add(stage)
                return False
            assert ended == KILLED
            self._wait_until_forgotten()
        assert self._send(self.survivor, what, 0, **more) == 0
        return bool(dies_at) and stage not in self.survived

    def _wait_until_forgotten(self) -> None:
        """PostgreSQL needs a moment to notice that a client is gone, and keeps its locks until then: the survivor would
        leave what is locked to a later round."""
        database = self.scenario.database
        if database.is_sqlite:
            return
        others = text(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction')"
        )

        def is_quiet() -> bool:
            with database.reading() as session:
                return bool(session.scalar(others) == 0)

        eventually(is_quiet)

    def _send(self, process: Connection, what: str, dies_at: int, **more: Any) -> int:
        process.send({"what": what, "dies_at": dies_at, "now": self.scenario.now, **more})
        return int(process.recv())


def _body(sticker: Sticker) -> dict[str, Any]:
    return {"code": sticker.code, "tag": sticker.tag, "position": HERE}


@pytest.fixture
def processes(scenario: EmergencyScenario, database_url: str) -> Iterator[KilledProcesses]:
    parts = scenario.world.parts
    place = (database_url, parts.settings.data_dir, scenario.world.platform.url)
    with _process(True, *place) as children, _process(False, *place) as survivor:
        processes = KilledProcesses(scenario, children, survivor)
        processes.warm_up(somebody(scenario, 0)[0])
        yield processes


@contextmanager
def _process(has_children: bool, *place: Any) -> Iterator[Connection]:
    ours, theirs = Pipe()
    process = start(carry_out_commands, theirs, has_children, *place)
    theirs.close()
    try:
        yield ours
    finally:
        kill(process)
        ours.close()


def somebody(scenario: EmergencyScenario, number: int) -> tuple[Sticker, str, str]:
    """Somebody whose one contact has a phone and a mailbox that nobody else has."""
    phone, correo = f"412555{number:04d}", f"contacto{number}@ejemplo.com"
    return scenario.sticker(contact(telefono=phone, correo=correo)), f"58{phone}", correo


def emergency_of(scenario: EmergencyScenario, sticker: Sticker) -> Emergency:
    with scenario.database.reading() as session:
        return session.scalars(select(Emergency).where(Emergency.record_id == sticker.record_id)).one()


def actions_of(scenario: EmergencyScenario, sticker: Sticker) -> list[str]:
    return [entry.action for entry in scenario.log_of(sticker) if entry.action.startswith(("emergency.", "contact."))]


def test_kills_on_a_ladder_that_nobody_answers(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    number, some_died = 0, True
    expected_mails: dict[str, set[str | None]] = {}
    while some_died:
        number += 1
        sticker, phone, correo = somebody(scenario, number)
        some_died = processes.press_alert(sticker, number)
        some_died = processes.work("first", number) or some_died
        for stage in ("second", "third"):
            scenario.world.clock.move(seconds=60)
            some_died = processes.work(stage, number) or some_died
        emergency = emergency_of(scenario, sticker)
        steps = scenario.steps(emergency.id)
        assert [(step.place, step.channel, step.state) for step in steps] == [
            (1, "whatsapp", "delivered"),
            (2, "correo", "sent"),
            (3, "staff", "queued"),
        ], number
        assert [alert.id for alert in scenario.alerts() if alert.wa_id == phone] == [steps[0].provider_id], number
        expected_mails[correo] = {steps[1].provider_id}
        joined = ["emergency.joined"] * (emergency.scans - 1)
        alerted = ["contact.alerted", "contact.alerted", "emergency.unanswered"]
        assert actions_of(scenario, sticker) == ["emergency.opened", *joined, *alerted], number
    assert number > 30, "there were fewer places to die than statements"
    mails: dict[str, set[str]] = {}
    for mail in scenario.world.mails(count=2 * number):
        mails.setdefault(mail.to, set()).add(mail.message_id)
    assert expected_mails.items() <= mails.items()
    assert_whole(scenario)


def test_kills_while_somebody_answers(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    number, some_died = 0, True
    while some_died:
        number += 1
        sticker, phone, _ = somebody(scenario, number)
        processes.press_alert(sticker, 0)
        processes.work("alert", 0)
        (alert,) = [each for each in scenario.alerts() if each.wa_id == phone]
        scenario.world.platform.receive(from_=phone, type="button", text="Voy en camino", reply_to=alert.id)
        scenario.world.platform.wait_until_idle()
        some_died = processes.work("answer", number)
        scenario.world.clock.move(minutes=30)
        processes.work("later", 0)
        emergency = emergency_of(scenario, sticker)
        assert emergency.state == "acknowledged", number
        assert [step.channel for step in scenario.steps(emergency.id)] == ["whatsapp"], number
        assert actions_of(scenario, sticker) == [
            "emergency.opened",
            "contact.alerted",
            "contact.answered",
            "emergency.acknowledged",
        ], number
    assert number > 15
    assert len(scenario.world.mails()) == 1, "only that of the first run, which nobody answered"
    assert_whole(scenario)


def assert_whole(scenario: EmergencyScenario) -> None:
    with scenario.database.reading() as session:
        assert dead_jobs(session) == []
        assert verify_all(session, lambda _: None) == []
    assert scenario.waiting_jobs() == {}
