"""Three PostgreSQL nodes under Patroni and etcd, each in a network of its own, and HAProxy before them.

A node is a network namespace with an address, so that it can be cut off from the others as a machine is. Needs root.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import psycopg

from proof.programs import bin_dir, program

BRIDGE = "fichaproof"
NETWORK = "10.77.36"
NUMBERS = (2, 3, 4)
SUPERUSER, SERVICE = "super-of-the-proof", "service-of-the-proof"
START_SECONDS = 120.0
# Below Patroni's defaults of 30, 10 and 10, so that the service is whole within a minute also where one machine, busy
# with the load, does the work of five.
TTL, LOOP_WAIT, RETRY_TIMEOUT = 20, 2, 8
HAPROXY = """
global
  maxconn 2000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 1s
  option redispatch
listen primary
  bind 127.0.0.1:{port}
  option httpchk
  http-check send meth OPTIONS uri /primary
  http-check expect status 200
  default-server inter 500ms fastinter 300ms downinter 300ms fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
"""


@dataclass
class Node:
    """One machine of the cluster: etcd, Patroni and PostgreSQL."""

    number: int
    folder: Path
    _started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"n{self.number}"

    @property
    def address(self) -> str:
        return f"{NETWORK}.{self.number}"

    @property
    def namespace(self) -> str:
        return f"{BRIDGE}-{self.name}"

    @property
    def cable(self) -> str:
        """Its end at the bridge."""
        return f"fpr{self.number}"

    def plug_in(self) -> None:
        inside, outside = "eth0", self.cable
        ip("netns", "add", self.namespace)
        ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", self.namespace)
        ip("link", "set", outside, "master", BRIDGE, "up")
        for words in (("link", "set", "lo", "up"), ("link", "set", inside, "up")):
            ip("-n", self.namespace, *words)
        ip("-n", self.namespace, "addr", "add", f"{self.address}/24", "dev", inside)

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "socket").mkdir(exist_ok=True)
        file = self.folder / "patroni.json"  # JSON is YAML too.
        file.write_text(json.dumps(self._patroni()))
        for path in (self.folder, self.folder / "socket", file):
            shutil.chown(path, "postgres")
        peers = ",".join(f"n{number}=http://{NETWORK}.{number}:2380" for number in NUMBERS)
        client, peer = f"http://{self.address}:2379", f"http://{self.address}:2380"
        self._run(
            "etcd", "--name", self.name, "--data-dir", str(self.folder / "etcd"), "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", peers, "--initial-cluster-state", "new", "--heartbeat-interval", "250",
            "--enable-v2", "--election-timeout", "2500",
        )  # fmt: skip
        self._run("patroni", str(file))

    def _run(self, *words: str) -> None:
        """In its network, as PostgreSQL's user. A password in the environment would go before Patroni's own."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        command = [
            "ip",
            "netns",
            "exec",
            self.namespace,
            "runuser",
            "-u",
            "postgres",
            "--",
            program(words[0]),
            *words[1:],
        ]
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            self._started.append(
                subprocess.Popen(
                    command, stdout=log, stderr=log, cwd=self.folder, env=env | {"ETCD_UNSUPPORTED_ARCH": "arm64"}
                )
            )

    def signal(self, number: signal.Signals) -> None:
        """To everything that runs in its network."""
        for pid in ip("netns", "pids", self.namespace).split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), number)

    def kill(self) -> None:
        """As a machine that loses its power."""
        self.signal(signal.SIGKILL)
        for process in self._started:
            process.wait(30)
        self._started.clear()

    def cut_off(self) -> None:
        for chain, way in (("INPUT", "-i"), ("OUTPUT", "-o")):
            run("ip", "netns", "exec", self.namespace, program("iptables"), "-A", chain, way, "eth0", "-j", "DROP")

    def join_again(self) -> None:
        run("ip", "netns", "exec", self.namespace, program("iptables"), "-F")

    def unplug(self) -> None:
        with suppress(subprocess.CalledProcessError):
            self.signal(signal.SIGCONT)
            self.kill()
        # By itself the cable would be gone a moment after the namespace.
        for words in (("link", "del", self.cable), ("netns", "del", self.namespace)):
            with suppress(subprocess.CalledProcessError):
                ip(*words)

    def asked(self, path: str, body: dict[str, Any] | None = None) -> int | None:
        """The status of Patroni's answer; None if there is none."""
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(
                Request(f"http://{self.address}:8008{path}", data=data), timeout=2 if data is None else 30
            ) as answer:
                return int(answer.status)
        except URLError as error:
            return getattr(error, "code", None)
        except OSError:
            return None

    def _patroni(self) -> dict[str, Any]:
        parameters = {
            "max_connections": 200, "wal_log_hints": "on", "wal_sender_timeout": "5s", "wal_receiver_timeout": "5s"
        }  # fmt: skip
        dcs = {
            "ttl": TTL, "loop_wait": LOOP_WAIT, "retry_timeout": RETRY_TIMEOUT, "primary_start_timeout": 0,
            "master_start_timeout": 0, "synchronous_mode": True, "synchronous_mode_strict": True,
            "postgresql": {"use_pg_rewind": True, "use_slots": True, "parameters": parameters},
        }  # fmt: skip
        return {
            "scope": "ficha",
            "name": self.name,
            "restapi": {"listen": f"{self.address}:8008", "connect_address": f"{self.address}:8008"},
            # By its older interface: with the newer one a node that was cut off once promoted itself when it joined
            # again, and what the new primary had acknowledged was lost. The cause was not isolated (decision 41).
            "etcd": {"hosts": [f"{NETWORK}.{number}:2379" for number in NUMBERS]},
            "bootstrap": {"dcs": dcs, "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, "data-checksums"]},
            "postgresql": {
                "listen": f"{self.address}:5432",
                "connect_address": f"{self.address}:5432",
                "data_dir": str(self.folder / "data"),
                "bin_dir": str(bin_dir()),
                "pgpass": str(self.folder / "pgpass"),
                # One folder for each: the port is the same.
                "parameters": {"unix_socket_directories": str(self.folder / "socket")},
                "authentication": {
                    "superuser": {"username": "postgres", "password": SUPERUSER},
                    "replication": {"username": "replicator", "password": SUPERUSER},
                    "rewind": {"username": "rewinder", "password": SUPERUSER},
                },
                "pg_hba": [
                    "local all all trust",
                    f"host replication replicator {NETWORK}.0/24 scram-sha-256",
                    f"host all all {NETWORK}.0/24 scram-sha-256",
                ],
            },
        }


class Cluster:
    """Three nodes, one of which takes changes, and the address at which HAProxy always finds that one."""

    def __init__(self, folder: Path, port: int) -> None:
        self.nodes = [Node(number, folder / f"n{number}") for number in NUMBERS]
        self._folder, self._port = folder, port
        self._haproxy: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://ficha:{SERVICE}@127.0.0.1:{port}/ficha"

    def __enter__(self) -> "Cluster":
        self._clear()
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        try:
            for node in self.nodes:
                node.plug_in()
                node.start()
            wait_until(self.is_whole, START_SECONDS, "the cluster did not start")
            self._create_database()
            self._start_haproxy()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._haproxy is not None:
            self._haproxy.kill()
            self._haproxy.wait(30)
        self._clear()

    def primary(self) -> Node | None:
        return next((node for node in self.nodes if node.asked("/primary") == 200), None)

    def is_whole(self) -> bool:
        """One primary, a synchronous standby, and a third that follows."""
        return (
            self.primary() is not None
            and sum(node.asked("/synchronous") == 200 for node in self.nodes) == 1
            and sum(node.asked("/replica") == 200 for node in self.nodes) == len(NUMBERS) - 1
        )

    def switch_over(self, primary: Node) -> None:
        primary.asked("/switchover", {"leader": primary.name})

    def _create_database(self) -> None:
        primary = self.primary()
        assert primary is not None
        url = f"postgresql://postgres:{SUPERUSER}@{primary.address}/postgres"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE ficha LOGIN PASSWORD '{SERVICE}'")
            connection.execute("CREATE DATABASE ficha OWNER ficha")

    def _start_haproxy(self) -> None:
        file = self._folder / "haproxy.cfg"
        servers = "\n".join(f"  server {node.name} {node.address}:5432 check port 8008" for node in self.nodes)
        file.write_text(HAPROXY.format(port=self._port, servers=servers))
        with (self._folder / "haproxy.log").open("ab") as log:
            self._haproxy = subprocess.Popen([program("haproxy"), "-db", "-f", str(file)], stdout=log, stderr=log)
        wait_until(self._answers, START_SECONDS, "HAProxy did not find the primary")

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _clear(self) -> None:
        """Also what an earlier run left behind."""
        for node in self.nodes:
            node.unplug()
        with suppress(subprocess.CalledProcessError):
            ip("link", "del", BRIDGE)


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def ip(*words: str) -> str:
    return run(program("ip"), *words)


def wait_until(claim: Callable[[], bool], seconds: float, otherwise: str) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > deadline:
            raise TimeoutError(otherwise)
        time.sleep(0.2)
