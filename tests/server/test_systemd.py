"""What systemd is told: ready when pages are answered, alive while it runs, stopping when it was asked to."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Server, start_ficha, stop
from tests.waiting import eventually

pytestmark = pytest.mark.slow

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


class Systemd:
    """The socket of NOTIFY_SOCKET, and what was said there."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.setblocking(False)
        self.path, self._said = path, list[str]()
        # A sign of life each tenth of a second.
        self.environment = {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "300000"}

    def said(self) -> list[str]:
        while True:
            try:
                self._said.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return self._said

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    found = Systemd(tmp_path / "notify")
    yield found
    found.close()


@ON_SQLITE
def test_a_server_says_ready_alive_and_stopping(database_url: str, tmp_path: Path, systemd: Systemd) -> None:
    server = Server(database_url, tmp_path / "data", **systemd.environment)
    try:
        eventually(lambda: systemd.said().count("WATCHDOG=1") >= 2)
        assert systemd.said()[0] == "READY=1" and "STOPPING=1" not in systemd.said()
    finally:
        assert server.stop() == 0
    assert "STOPPING=1" in systemd.said()


@ON_SQLITE
def test_a_worker_says_ready_alive_and_stopping(database_url: str, tmp_path: Path, systemd: Systemd) -> None:
    with Server(database_url, tmp_path / "data", FICHA_JOBS_IN_SERVER="false") as server:
        env = server.env | systemd.environment
        worker = start_ficha("worker", env=env, output=tmp_path / "worker.output")
        try:
            eventually(lambda: systemd.said().count("WATCHDOG=1") >= 2)
        finally:
            assert stop(worker) == 0
    assert systemd.said()[0] == "READY=1" and systemd.said()[-1] == "STOPPING=1"
