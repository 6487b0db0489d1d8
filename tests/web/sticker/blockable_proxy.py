"""A TCP proxy between a phone and the server that can stop passing bytes on without closing connections, or say itself
that no server answers."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread

NO_SERVER = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class BlockableProxy(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), ProxyConnection)
        self.target_port = port
        self.is_open = Event()
        self.is_open.set()
        self.has_server = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def block(self) -> None:
        self.is_open.clear()

    def unblock(self) -> None:
        self.is_open.set()


class ProxyConnection(BaseRequestHandler):
    server: BlockableProxy

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.target_port)) as server:
            back = Thread(target=self._copy, args=(server, self.request), daemon=True)
            back.start()
            self._copy(self.request, server)
            back.join()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                self.server.is_open.wait()
                if source is self.request and not self.server.has_server:
                    source.sendall(NO_SERVER)
                    break
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextmanager
def proxy_to(port: int) -> Iterator[BlockableProxy]:
    with BlockableProxy(port) as proxy:
        thread = Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.unblock()
            proxy.shutdown()
            thread.join(10)
