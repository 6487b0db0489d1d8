"""Ports of this machine for the servers that tests start."""

import socket


class ReservedPort:
    """A port that nobody else is given until it is released, though nobody listens there either.

    A server can listen there all the same: both sockets allow the other (SO_REUSEADDR, and SO_REUSEPORT where several
    processes listen), and this one never listens. A port that was found free and let go is the next that the machine
    gives to any other process, and on a busy machine one asks.
    """

    def __init__(self) -> None:
        self._socket = socket.socket()
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            self._socket.setsockopt(socket.SOL_SOCKET, option, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number: int = self._socket.getsockname()[1]

    def __enter__(self) -> int:
        return self.number

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        self._socket.close()
