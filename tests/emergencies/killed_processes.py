"""Processes that are killed on the way, and the one that survives and finishes what they began."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from tests.databases import wait_until_forgotten
from tests.emergencies.process import main as carry_out_commands
from tests.emergencies.scenario import HERE, AlertSticker, EmergencyScenario
from tests.processes import kill, start
from tests.world import Person

KILLED = -signal.SIGKILL


@dataclass
class KilledProcesses:
    """Runs commands in child processes that are killed, and lets another process, the survivor, finish it."""

    scenario: EmergencyScenario
    children: Connection
    survivor: Connection
    # Stages that have no statement left to die before.
    survived: set[str] = field(default_factory=set)

    def warm_up(self, unanswered: AlertSticker, answered: AlertSticker, phone: str) -> None:
        """Two emergencies from their beginning to their end, so that the children are quick: each would compile again
        what was not compiled before."""
        self._warm_press(unanswered)
        for _ in range(3):
            self._warm_work()
            self.scenario.world.clock.move(seconds=60)
        self._warm_press(answered)
        self._warm_work()
        (alert,) = [each for each in self.scenario.alerts() if each.wa_id == phone]
        self.scenario.world.platform.receive(from_=phone, type="text", text="Voy en camino", reply_to=alert.id)
        self.scenario.world.platform.wait_until_idle()
        self._warm_work()

    def _warm_press(self, sticker: AlertSticker) -> None:
        self._send(self.children, "warm press", 0, body=alert_body(sticker))

    def _warm_work(self) -> None:
        for _ in range(2):
            self._send(self.children, "warm work", 0)
            self.scenario.world.platform.wait_until_idle()

    def press_alert(self, sticker: AlertSticker, dies_at: int) -> bool:
        return self._until_done("press", "press", dies_at, body=alert_body(sticker))

    def work(self, stage: str, dies_at: int) -> bool:
        """Runs what is due now, then what the platform's notifications put, each with a kill on the way."""
        died = self._until_done("work", f"{stage}: work", dies_at)
        self.scenario.world.platform.wait_until_idle()
        return self._until_done("work", f"{stage}: notifications", dies_at) or died

    def post(self, path: str, form: dict[str, str], dies_at: int) -> bool:
        """Sends a form, and sends it again where nobody answered."""
        return self._until_done("post", "post", dies_at, path=path, form=form)

    def call(self, person: Person, path: str, body: dict[str, str] | None, dies_at: int) -> bool:
        """Posts to the API as this person, and again where nobody answered."""
        called = {"method": "POST", "url": path, "json": body, "headers": person.headers}
        return self._until_done("call", path.rpartition("/")[2], dies_at, **called)

    def do(self, kind: str, dies_at: int, **payload: Any) -> bool:
        """One job of this kind, and once more where it died."""
        return self._until_done("do", kind, dies_at, kind=kind, payload=payload)

    def _until_done(self, what: str, stage: str, dies_at: int, **more: Any) -> bool:
        """Returns whether a process was killed on the way."""
        if dies_at and stage not in self.survived:
            ended = self._send(self.children, what, dies_at, **more)
            if ended == 0:
                self.survived.add(stage)
                return False
            assert ended == KILLED
            wait_until_forgotten(self.scenario.database)
        assert self._send(self.survivor, what, 0, **more) == 0
        return bool(dies_at) and stage not in self.survived

    def _send(self, process: Connection, what: str, dies_at: int, **more: Any) -> int:
        process.send({"what": what, "dies_at": dies_at, "now": self.scenario.now, **more})
        return int(process.recv())


def alert_body(sticker: AlertSticker) -> dict[str, Any]:
    return {"code": sticker.code, "tag": sticker.tag, "position": HERE}


@contextmanager
def started_process(has_children: bool, *place: Any) -> Iterator[Connection]:
    ours, theirs = Pipe()
    process = start(carry_out_commands, theirs, has_children, *place)
    theirs.close()
    try:
        yield ours
    finally:
        kill(process)
        ours.close()
