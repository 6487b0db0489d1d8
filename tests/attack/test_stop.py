"""A stop of the server does not wait for those who never finish what they send."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.local_http import PATIENCE
from tests.messaging.webhook_notifications import WEBHOOK, signed
from tests.processes import Server

pytestmark = pytest.mark.slow

# Whoever waited for a body, or for the server, would wait for longer than `stop` of a server does.
PATIENT = {"FICHA_BODY_SECONDS": "300", "FICHA_STOP_SECONDS": "300"}
PATHS = ("/v2/auth/login", "/v2/emergencies", "/clave", WEBHOOK)


def unfinished(port: int, path: str) -> socket.socket:
    """A request whose body the server waits for: it said so."""
    line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    headers = {"Host": "x", "Content-Type": "application/json", "Content-Length": "1000", "Expect": "100-continue"}
    fields = "".join(f"{name}: {value}\r\n" for name, value in (headers | signed(b"")).items())
    line.sendall(f"POST {path} HTTP/1.1\r\n{fields}\r\n".encode())
    assert line.recv(100).startswith(b"HTTP/1.1 100 ")
    line.sendall(b" ")
    return line


def whole_answer(line: socket.socket) -> bytes:
    got = b""
    while piece := line.recv(65_536):
        got += piece
    return got


def test_unfinished_bodies_do_not_delay_a_stop(sqlite_file: Path, tmp_path: Path) -> None:
    """What is sent concerns no database."""
    file = tmp_path / "ficha.db"
    file.write_bytes(sqlite_file.read_bytes())
    server = Server(f"sqlite:///{file}", tmp_path / "data", **PATIENT)
    with ExitStack() as open_lines:
        for _ in range(5):
            open_lines.enter_context(socket.create_connection(("127.0.0.1", server.port)))  # Sends nothing at all.
        lines = [open_lines.enter_context(unfinished(server.port, path)) for path in PATHS * 3]
        assert server.stop() == 0
        for line in lines:
            answer = whole_answer(line)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert b"servicio_se_detiene" in answer or b"<html" in answer, "a page is answered with a page"
    assert "server.stopped" in server.log
