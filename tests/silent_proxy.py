"""A way to PostgreSQL that can fall silent, as a frozen or a cut-off server does: nothing is closed, nothing comes."""

import socket
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from sqlalchemy import make_url

PIECE = 65_536


class SilentProxy:
    """Listens on a port of this machine and passes on to a server's socket."""

    def __init__(self, database_url: str) -> None:
        folder = make_url(database_url).query["host"]
        assert isinstance(folder, str)
        [self._target] = (str(file) for file in Path(folder).glob(".s.PGSQL.*") if file.suffix != ".lock")
        self._asks, self._answers = Event(), Event()
        self.speak()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "SilentProxy":
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self.speak()

    def freeze(self) -> None:
        self._asks.clear()
        self._answers.clear()

    def swallow_answers(self) -> None:
        """What is asked arrives, and is done."""
        self._answers.clear()

    def speak(self) -> None:
        self._asks.set()
        self._answers.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                self._sockets += [client, server]
                for source, sink, passes in ((client, server, self._asks), (server, client, self._answers)):
                    Thread(target=_pass_on, args=(source, sink, passes), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, passes: Event) -> None:
    with suppress(OSError):
        while piece := source.recv(PIECE):
            passes.wait()
            sink.sendall(piece)
    # What never speaks again never says goodbye either.
    passes.wait()
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)
