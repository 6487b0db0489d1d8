"""The way from a phone to the server, which can be blocked: nothing is refused, and nothing comes through."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread


class Road(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), Passage)
        self.goal = port
        self.way = Event()
        self.way.set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def block(self) -> None:
        self.way.clear()

    def clear(self) -> None:
        self.way.set()


class Passage(BaseRequestHandler):
    server: Road

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.goal)) as beyond:
            back = Thread(target=self._carry, args=(beyond, self.request), daemon=True)
            back.start()
            self._carry(self.request, beyond)
            back.join()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while piece := one.recv(65536):
                self.server.way.wait()
                other.sendall(piece)
        with suppress(OSError):
            other.shutdown(socket.SHUT_WR)


@contextmanager
def road_to(port: int) -> Iterator[Road]:
    with Road(port) as road:
        thread = Thread(target=road.serve_forever, daemon=True)
        thread.start()
        try:
            yield road
        finally:
            road.clear()
            road.shutdown()
            thread.join(10)
