"""A process that carries out commands:
`python -m tests.emergencies.process children|itself <database> <data> <platform>`.

It reads a command in each line, as JSON: what to do, at which time, and before which statement or commit to be killed,
counted from 1. With `children` each is carried out in a child process with connections of its own, which dies by a real
SIGKILL; with `itself`, in this process. It prints how the command ended: 0 when it came to its end alive.
"""

import gc
import json
import os
import signal
import sys
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import event
from starlette.testclient import TestClient

from ficha.app import create_app
from ficha.channels.providers import messenger_of
from ficha.core.db import Database
from ficha.core.log import configure_logs
from ficha.jobs.run_due import run_due
from ficha.parts import Parts, build_parts
from ficha.worker import kinds_of
from tests.clock import MovableClock
from tests.world import settings_for


class Commands:
    def __init__(self, url: str, data: Path, platform: str) -> None:
        self.clock = MovableClock()
        settings = settings_for(url, data, whatsapp_base_url=platform)
        configure_logs(settings)
        self.parts: Parts = build_parts(settings, self.clock)
        self.app = create_app(self.parts)

    def run_in_child(self, command: dict[str, Any]) -> int:
        if command["what"].startswith("warm "):
            self._warm_up(command | {"what": command["what"].removeprefix("warm ")})
            return 0
        pid = os.fork()
        if pid == 0:
            os._exit(self.run(command))
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)

    def _warm_up(self, command: dict[str, Any]) -> None:
        """Once in this process: what is compiled then, the children find compiled. No connection may outlive it,
        because a child would share it."""
        self._run(command)
        self.parts.database.close()
        self.parts.whatsapp.close()
        self.parts = replace(self.parts, messenger=messenger_of(self.parts.settings))
        self.app.state.parts = self.parts

    def run(self, command: dict[str, Any]) -> int:
        try:
            self._run(command)
        except Exception as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            return 1
        return 0

    def _run(self, command: dict[str, Any]) -> None:
        self.clock.move(seconds=(datetime.fromisoformat(command["now"]) - self.clock.now()).total_seconds())
        if command["dies_at"]:
            die_at(self.parts.database, command["dies_at"])
        if command["what"] == "press":
            answer = TestClient(self.app).post("/v2/emergencies", json=command["body"])
            assert answer.status_code in (200, 201), answer.text
        else:
            run_due(self.parts.database, kinds_of(self.parts))


def die_at(database: Database, number: int) -> None:
    """Kills this process before the statement or the commit of that number."""
    passed = 0

    def count(*_: Any) -> None:
        nonlocal passed
        passed += 1
        if passed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(database.engine, "before_cursor_execute", count)
    event.listen(database.engine, "commit", count, insert=True)


def main(who: str, url: str, data: Path, platform: str) -> None:
    commands = Commands(url, data, platform)
    gc.freeze()  # Children share the memory that the garbage collector leaves alone.
    run = commands.run_in_child if who == "children" else commands.run
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(f"{run(json.loads(line))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4])
