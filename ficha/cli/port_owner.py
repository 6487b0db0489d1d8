"""One server has a port: who comes second is told so before it touches anything.

The processes of a server listen side by side (SO_REUSEPORT), and the system would let those of a second one listen
there too and give each a part of the requests, whatever their versions and databases are.
"""

import errno
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

# The processes of a server that was killed see it within a second; whoever starts it again at once need not fail.
LEAVING_SECONDS = 2.0
PAUSE_SECONDS = 0.05


class PortRefused(Exception):
    """Its text says why nobody can listen there."""


@contextmanager
def owned_port(host: str, port: int) -> Iterator[None]:
    """The port is this server's within the block, and as long as a process lives that was forked there. Raises
    PortRefused. 0 is any port that is free, which nobody else has."""
    if port == 0:
        yield
        return
    deadline = time.monotonic() + LEAVING_SECONDS
    while True:
        lock = socket.socket(socket.AF_UNIX)
        try:
            _lock(lock, host, port)
            _look(host, port)
            break
        except OSError as error:
            lock.close()
            if error.errno != errno.EADDRINUSE or time.monotonic() > deadline:
                raise PortRefused(_sentence(error, host, port)) from None
        time.sleep(PAUSE_SECONDS)
    with closing(lock):
        yield


def _lock(lock: socket.socket, host: str, port: int) -> None:
    """Of two that start at the same moment one gets it. Such a name belongs, as a port does, to the network of a
    machine or container, whoever runs there and whatever folders it sees, and is free again when its processes end.
    Only Linux has such names; elsewhere the look is all."""
    if sys.platform == "linux":
        lock.bind(f"\0ficha-serve-{host}-{port}")


def _look(host: str, port: int) -> None:
    """Whether anybody listens there, or at all addresses. Connections that were just closed are in nobody's way."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with closing(socket.socket(family, kind, protocol)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def _sentence(error: OSError, host: str, port: int) -> str:
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    match error.errno:
        case errno.EADDRINUSE:
            return f"{address} is in use: another server listens there. Stop it first, or choose another port (--port)."
        case errno.EACCES:
            return f"This user may not listen at {address}. Choose a port from 1024 on (--port)."
        case _:
            return f"Nobody can listen at {address}: {error.strerror or error}."
