"""What the load generator makes of a connection that the server closes."""

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from bench import load
from bench.load import LoadPlan, generate_load

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
# With this a close is a reset.
NO_LINGER = struct.pack("ii", 1, 0)


@contextmanager
def resetting_first() -> Iterator[int]:
    """A server that resets the first connection when it is asked, and answers on the second. Yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def serve() -> None:
            first, _ = door.accept()
            first.recv(65536)
            first.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            first.close()
            second, _ = door.accept()
            with second:
                while second.recv(65536):
                    second.sendall(ANSWER)

        Thread(target=serve, daemon=True).start()
        yield door.getsockname()[1]


def test_a_closed_connection_is_an_error_and_not_the_end() -> None:
    with resetting_first() as port:
        result = generate_load(LoadPlan("", port, 0.01, [{}], "/nothing"))
    assert result.errors == {"closed": 1} and result.requests == 0


def test_after_the_machine_stood_still_it_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "STOOD_STILL_SECONDS", 0.0)
    with resetting_first() as port:
        result = generate_load(LoadPlan("", port, 0.01, [{}], "/nothing"))
    assert result.errors == {} and result.requests > 0
