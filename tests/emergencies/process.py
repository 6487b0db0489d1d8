"""A process that carries out commands.

A command says what to do, at which time, and before which statement or commit to be killed, counted from 1. It is
carried out in a child process with connections of its own, which dies by a real SIGKILL, or in the process itself. The
answer is how it ended: 0 when it came to its end alive.
"""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from ficha.app import create_app
from ficha.asgi.threads import threads
from ficha.channels.providers import messenger_of
from ficha.core.db import Database
from ficha.core.log import configure_logs
from ficha.jobs.kinds import Job
from ficha.parts import Parts, build_parts
from ficha.worker import kinds_of
from tests.clock import MovableClock
from tests.run_due import run_due
from tests.world import settings_for


class Commands:
    def __init__(self, url: str, data: Path, platform: str, on_call_mails: Sequence[str]) -> None:
        self.clock = MovableClock()
        settings = settings_for(url, data, whatsapp_base_url=platform, on_call_mails=on_call_mails)
        configure_logs(settings)
        self.parts: Parts = build_parts(settings, self.clock)
        self.app = create_app(self.parts)

    def run_in_child(self, command: dict[str, Any]) -> int:
        if command["what"].startswith("warm "):
            self._warm_up(command | {"what": command["what"].removeprefix("warm ")})
            return 0
        pid = os.fork()
        if pid == 0:
            gc.disable()  # It would copy the memory that it shares.
            threads.cache_clear()  # Those that ran the requests of the parent are not here to run any.
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
        gc.collect()
        gc.freeze()

    def run(self, command: dict[str, Any]) -> int:
        try:
            self._run(command)
        except Exception as error:
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            return 1
        return 0

    def _run(self, command: dict[str, Any]) -> None:
        self.clock.move(seconds=(command["now"] - self.clock.now()).total_seconds())
        if command["dies_at"]:
            die_at(self.parts.database, command["dies_at"])
        if command["what"] == "press":
            answer = TestClient(self.app).post("/v2/emergencies", json=command["body"])
            assert answer.status_code in (200, 201), answer.text
        elif command["what"] == "post":
            answer = TestClient(self.app).post(command["path"], data=command["form"], follow_redirects=False)
            assert answer.status_code == 303, answer.text
        elif command["what"] == "call":
            called = {name: command[name] for name in ("method", "url", "json", "headers")}
            answer = TestClient(self.app).request(**called)
            assert answer.is_success, answer.text
        elif command["what"] == "do":
            [kind] = [known for known in kinds_of(self.parts) if known.name == command["kind"]]
            kind.run(Job(0, kind.name, command["payload"], 1))
        else:
            run_due(self.parts.database, kinds_of(self.parts))


def die_at(database: Database, number: int) -> None:
    """Kills this process before the statement or the commit of that number. What only begins or reads a setting changes
    nothing to die before."""
    passed = 0

    def count(sql: str) -> None:
        nonlocal passed
        if sql.startswith(("BEGIN", "ROLLBACK", "PRAGMA", "SAVEPOINT", "RELEASE")):
            return
        passed += 1
        if passed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    database.on_statement = count


def main(
    connection: Connection, has_children: bool, url: str, data: Path, platform: str, on_call_mails: Sequence[str] = ()
) -> None:
    commands = Commands(url, data, platform, on_call_mails)
    run = commands.run_in_child if has_children else commands.run
    while True:
        try:
            command = connection.recv()
        except EOFError:  # The test is over.
            return
        connection.send(run(command))
