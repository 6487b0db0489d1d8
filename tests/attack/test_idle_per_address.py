"""Idle connections of one address, before HAProxy with the configuration that docs/running.md ships."""

import http.client
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.local_http import PATIENCE
from tests.ports import ReservedPort
from tests.processes import Server
from tests.waiting import eventually

pytestmark = pytest.mark.slow

SHIPPED = Path(__file__).parents[2] / "docs" / "proxy" / "haproxy.cfg"
PROGRAM = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin")
PER_ADDRESS = 200
IDLE = 3000 if "FICHA_STORM" in os.environ else 300


def configuration(port: int, upstream: int) -> str:
    head, plain, _ = SHIPPED.read_text().partition("frontend plain\n")
    assert plain
    text = "".join(line for line in head.splitlines(keepends=True) if "bind [::]" not in line)
    text = text.replace("/etc/ficha/", f"{SHIPPED.parent}/")
    for shipped, changed in (
        ("bind :443 ssl crt /etc/haproxy/ficha.pem", f"bind 127.0.0.1:{port}"),
        ("timeout http-request 10s", "timeout http-request 10m"),  # Nobody is to go for being late.
        ("server ficha 127.0.0.1:8000", f"server ficha 127.0.0.1:{upstream}"),
    ):
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, changed)
    return text


@contextmanager
def proxy(folder: Path, upstream: int) -> Iterator[int]:
    if PROGRAM is None:
        pytest.skip("haproxy is not installed: apt-get install haproxy")
    with ReservedPort() as port:
        file = folder / "haproxy.cfg"
        file.write_text(configuration(port, upstream))
        process = subprocess.Popen([PROGRAM, "-db", "-f", str(file)])
        try:
            eventually(lambda: process.poll() is not None or status_from("127.0.0.3", port) == 200)
            assert process.poll() is None, "haproxy ended"
            yield port
        finally:
            process.kill()
            process.wait(30)


def status_from(address: str, port: int) -> int | None:
    """None if nobody answers this address."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(address, 0))
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def is_open(line: socket.socket) -> bool:
    try:
        return line.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def test_one_address_has_so_many_connections_and_others_have_theirs(sqlite_file: Path, tmp_path: Path) -> None:
    """What is only connected concerns no database."""
    file = tmp_path / "ficha.db"
    file.write_bytes(sqlite_file.read_bytes())
    with (
        Server(f"sqlite:///{file}", tmp_path / "data") as server,
        proxy(tmp_path, server.port) as port,
        ExitStack() as open_lines,
    ):
        lines = [open_lines.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(IDLE)]
        eventually(lambda: sum(map(is_open, lines)) <= PER_ADDRESS)
        assert status_from("127.0.0.2", port) == 200
        assert any(map(is_open, lines))  # They are refused there and then, and not for their time.
        assert status_from("127.0.0.1", port) is None
        for line in lines:
            line.close()
        eventually(lambda: status_from("127.0.0.1", port) == 200)
