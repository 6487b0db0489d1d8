"""What the tests rely on when they reserve a port for a server."""

import socket

import pytest

from tests.ports import ReservedPort


def test_a_reserved_port_is_given_to_nobody_and_a_server_can_listen_there() -> None:
    with ReservedPort() as port:
        with socket.socket() as stranger, pytest.raises(OSError, match="in use"):
            stranger.bind(("127.0.0.1", port))
        with socket.socket() as early, pytest.raises(ConnectionRefusedError):
            early.connect(("127.0.0.1", port))
        with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()
