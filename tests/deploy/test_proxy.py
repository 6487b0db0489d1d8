"""The proxy of deploy/: callers notice neither a server that stops nor one that is drained."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests import local_http
from tests.deploy.test_files import DEPLOY, tool
from tests.ports import ReservedPort
from tests.processes import Server
from tests.waiting import eventually

pytestmark = pytest.mark.slow

NO_SERVICE = DEPLOY.parent / "docs" / "proxy" / "no-service.html"


def configuration(port: int, door: int, *upstreams: int) -> str:
    head, plain, _ = (DEPLOY / "haproxy.cfg").read_text().partition("frontend plain\n")
    assert plain
    changes = [
        (" :443 ssl crt /run/secrets/ficha.pem alpn h2,http/1.1", f" 127.0.0.1:{port}"),
        ("stats socket ipv4@127.0.0.1:9999", f"stats socket ipv4@127.0.0.1:{door}"),
        (" resolvers containers init-addr last,libc,none", ""),
        *(("/usr/local/etc/haproxy/no-service.html", str(NO_SERVICE)) for _ in range(3)),
        *((f"server{number}:8000", f"127.0.0.1:{one}") for number, one in enumerate(upstreams, 1)),
    ]
    for shipped, changed in changes:
        assert shipped in head, shipped
        head = head.replace(shipped, changed, 1)
    return head


@contextmanager
def proxy(folder: Path, *upstreams: int) -> Iterator[tuple[int, int]]:
    """The port of visitors, and the one by which it is told what to do."""
    with ReservedPort() as port, ReservedPort() as door:
        file = folder / "haproxy.cfg"
        file.write_text(configuration(port, door, *upstreams))
        process = subprocess.Popen([tool("haproxy", "apt-get install haproxy"), "-db", "-f", str(file)])
        try:
            eventually(lambda: process.poll() is not None or status(port, "/health/ready") == 200)
            assert process.poll() is None, "haproxy ended"
            yield port, door
        finally:
            process.kill()
            process.wait(30)


def status(port: int, path: str) -> int | None:
    try:
        return local_http.get(f"http://127.0.0.1:{port}{path}").status_code
    except httpx.TransportError:
        return None


def tell_proxy(door: int, words: str) -> str:
    """As docs/deploy.md does it, where no other tool is at hand."""
    script = f'exec 3<>/dev/tcp/127.0.0.1/{door}; echo "{words}" >&3; cat <&3'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout


class Visitors:
    """Two who open a page again and again, over connections that are kept, and remember what they got."""

    def __init__(self, port: int) -> None:
        self.got: list[int] = []
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._visit, args=(port,)) for _ in range(2)]
        for thread in self._threads:
            thread.start()

    def _visit(self, port: int) -> None:
        with local_http.client(base_url=f"http://127.0.0.1:{port}") as client:
            while not self._end.wait(0.01):
                try:
                    self.got.append(client.get("/login").status_code)
                except httpx.TransportError:
                    self.got.append(0)

    def see(self, more: int) -> None:
        """Waits until they have seen so many pages more."""
        seen = len(self.got)
        eventually(lambda: len(self.got) >= seen + more)

    def leave(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_visitors_notice_neither_a_drained_nor_a_stopped_server(database_url: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    tool("haproxy", "apt-get install haproxy")
    with (
        Server(database_url, data) as one,
        Server(database_url, data) as two,
        proxy(tmp_path, one.port, two.port) as (port, door),
    ):
        assert status(port, "/metrics") == 404  # For who is inside.
        visitors = Visitors(port)
        try:
            visitors.see(20)
            tell_proxy(door, "set server ficha/server1 state drain")
            visitors.see(20)
            tell_proxy(door, "set server ficha/server1 state ready")
            visitors.see(20)
            one.stop()
            visitors.see(20)
            eventually(lambda: "server1,DOWN" in up_or_down(door))
            visitors.see(20)
        finally:
            visitors.leave()
        assert set(visitors.got) == {200}
        two.stop()
        answer = local_http.get(f"http://127.0.0.1:{port}/e/ABCDEF/X")
        assert answer.status_code == 503 and answer.headers["Retry-After"] == "5"
        assert answer.text == NO_SERVICE.read_text("utf-8"), "whom to call, when no server answers"


def up_or_down(door: int) -> str:
    """Each server with its state, as the proxy sees it."""
    rows = [line.split(",") for line in tell_proxy(door, "show stat").splitlines() if line.startswith("ficha,")]
    return " ".join(f"{row[1]},{row[17]}" for row in rows)
