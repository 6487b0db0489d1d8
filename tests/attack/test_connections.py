"""Idle connections, slow bodies, large refusals, logins and exports, each alone and all at once: the page is there.

A fiftieth of them with the other tests; FICHA_STORM=1 sends all, and holds times and memory against their bounds.
"""

import http.client
import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest

from tests.attack.attackers import Attack, run_attack
from tests.attack.proxy import Proxy
from tests.attack.test_export import change
from tests.databases import empty
from tests.local_http import PATIENCE
from tests.processes import FreshServer, Server, kill, start
from tests.waiting import eventually
from tests.web.sticker.sticker import sticker_of
from tests.world import CLAVE, Person, build_world, settings_for

pytestmark = pytest.mark.slow

IS_STORM = "FICHA_STORM" in os.environ
SCALE = 1.0 if IS_STORM else 0.02
PAGES = 200 if IS_STORM else 20
P99_SECONDS = 0.5
MOST_MEMORY = 400_000_000


def attack_of(idle: int = 0, slow: int = 0, refusals: int = 0, logins: int = 0, exports: int = 0) -> Attack:
    idle, slow, refusals, logins = (round(count * SCALE) for count in (idle, slow, refusals, logins))
    return Attack(idle, slow, refusals, logins, exports if IS_STORM else min(exports, 1))


IDLE, SLOW = attack_of(idle=3000), attack_of(slow=1000)
REFUSALS, LOGINS, EXPORTS = attack_of(refusals=50), attack_of(logins=64), attack_of(exports=8)
ALL = attack_of(3000, 1000, 50, 64, 8)
# Of the record that is exported.
CHANGES = 200 if IS_STORM else 10
FEW_CONNECTIONS = 1024 if IS_STORM else 32


class Target:
    """The service with a sticker and somebody with a full record, on a real server."""

    def __init__(self, server: Server, path: str, busy: Person) -> None:
        self.server, self.path = server, path
        address = f"http://127.0.0.1:{server.port}/v2/auth/login"
        login = httpx2.post(address, json={"correo": busy.correo, "clave": CLAVE})
        self.token: str = login.json()["data"]["attributes"]["token"]
        self.export_path = f"/v2/fmd/{busy.data['attributes']['product_codes'][0]}/export"

    def page_seconds(self, port: int) -> list[float]:
        """How long the page took each time, over a connection of its own. It is always answered with 200."""
        taken = []
        for _ in range(PAGES):
            started = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", self.path)
            answer = connection.getresponse()
            answer.read()
            taken.append(time.perf_counter() - started)
            connection.close()
            assert answer.status == 200
        return taken

    @property
    def memory(self) -> int:
        """What all its processes hold together, as the proportional set size: a page that parent and children share
        counts once. Their resident sizes would count it in each, as the 25 MB of the parent that every child has."""
        return sum(process.memory_full_info().pss for process in self.server.family())


@pytest.fixture(scope="module", params=["sqlite", "postgresql"] if IS_STORM else ["sqlite"])
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Connections and bodies concern no database; how long the page waits for its own does, and the storm asks both."""
    folder = tmp_path_factory.mktemp("attacked")
    if request.param == "sqlite":
        file = folder / "ficha.db"
        file.write_bytes(request.getfixturevalue("sqlite_file").read_bytes())
        url = f"sqlite:///{file}"
    else:
        url = request.getfixturevalue("postgres_url")
        empty(url)
    world = build_world(settings_for(url, folder / "data"))
    path = sticker_of(world).path
    busy = world.register()
    for number in range(CHANGES):
        assert change(busy, number) == 200
    world.close()
    # The storm looks at its memory too, in which a forked one has what the tests imported.
    started = FreshServer if IS_STORM else Server
    with started(url, folder / "data", FICHA_RATE_LIMITS="off", FICHA_LOG_LEVEL="warning") as server:
        yield Target(server, path, busy)


@contextmanager
def under(attack: Attack, port: int, folder: Path) -> Iterator[None]:
    begun = folder / "begun"
    attackers = start(run_attack, attack, port, begun)
    try:
        eventually(begun.exists, 120)
        yield
    finally:
        kill(attackers)


def hold(target: Target, attack: Attack, port: int, folder: Path) -> None:
    quiet = target.page_seconds(port)
    attack = replace(attack, export_path=target.export_path, token=target.token)
    with under(attack, port, folder):
        taken = sorted(target.page_seconds(port))
        memory = target.memory
    median, p99 = statistics.median(taken), taken[int(len(taken) * 0.99)]
    measured = f"median {median * 1e3:.1f} ms ({statistics.median(quiet) * 1e3:.1f} quiet), p99 {p99 * 1e3:.0f} ms"
    measured += f", longest {taken[-1] * 1e3:.0f} ms, memory {memory / 1e6:.0f} MB"
    counts = (attack.idle, attack.slow, attack.refusals, attack.logins, attack.exports)
    database = target.server.env["FICHA_DATABASE_URL"].partition(":")[0]
    sys.stderr.write(f"\n{database}: idle, slow, refusals, logins, exports {counts}: {measured}\n")
    if IS_STORM:
        assert p99 < P99_SECONDS and memory < MOST_MEMORY, measured


@pytest.mark.parametrize(
    "attack",
    [IDLE, SLOW, REFUSALS, LOGINS, EXPORTS, ALL],
    ids=["idle", "slow", "refusals", "logins", "exports", "all"],
)
def test_the_page_answers_without_a_proxy(target: Target, tmp_path: Path, attack: Attack) -> None:
    hold(target, attack, target.server.port, tmp_path)


def test_the_page_answers_behind_the_proxy(target: Target, tmp_path: Path) -> None:
    with Proxy(tmp_path / "nginx", target.server.port) as proxy:
        hold(target, ALL, proxy.port, tmp_path)


def test_the_proxy_closes_the_oldest_idle_connections(target: Target, tmp_path: Path) -> None:
    """With fewer places than the attack takes, somebody who comes later is answered all the same."""
    with Proxy(tmp_path / "nginx", target.server.port, FEW_CONNECTIONS) as proxy:
        hold(target, IDLE, proxy.port, tmp_path)
