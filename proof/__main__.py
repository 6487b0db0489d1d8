"""`make proof`: sets everything up, breaks it under load, compares, and writes docs/proof.md.

It ends with 1 if something did not hold.
"""

import argparse
import asyncio
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from threading import Event, Thread, Timer

from proof.check import compare
from proof.cluster import Cluster
from proof.cost import cpu_ms_per_request
from proof.faults import Faults
from proof.load import PROFILE, Load
from proof.people import enrol, fill
from proof.programs import bin_dir, program, why_not
from proof.recovery import recover
from proof.report import Findings, save_ledger, write
from proof.service import SERVERS, Service

WRITERS = 40
RSS_SECONDS = 5.0
# The last fault must have been over when the load ends.
QUIET_SECONDS = 75.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m proof", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=120.0, help="Seconds from one fault to the next.")
    parser.add_argument("--rate", type=float, default=25.0, help="Requests a second.")
    parser.add_argument("--folder", type=Path, help="Where logs are kept afterwards; by default nothing is kept.")
    asked = parser.parse_args()
    reason = why_not()
    if reason is not None:
        print(f"Skipped. {reason}")
        return 0
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="ficha-proof-", dir="/var/tmp"))
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # PostgreSQL's user walks in.
    try:
        findings = prove(folder, 60 * asked.minutes, asked.every, asked.rate)
    finally:
        if asked.folder is None:
            rmtree(folder, ignore_errors=True)
    if asked.folder is not None:
        save_ledger(findings, folder / "ledger.json")
    write(findings)
    failures = findings.failures()
    print("\n".join(failures) or "All of it held.", "\nSee docs/proof.md, and commit it.")
    return 1 if failures else 0


def prove(folder: Path, seconds: float, every: float, rate: float) -> Findings:
    with ExitStack() as stack:
        *ports, haproxy, spare = _free_ports(2 + 1 + SERVERS)
        _say("Starting three PostgreSQL nodes…")
        cluster = stack.enter_context(Cluster(folder, haproxy))
        _say("Starting servers, workers and the sandbox…")
        service = stack.enter_context(Service(folder, cluster.url, ports))
        parts = service.parts()
        stack.callback(parts.database.close)
        _say("Enrolling people…")
        alerts = int(rate * seconds * PROFILE["alert"] / 100 * 1.5) + 20
        owners = list(enrol(parts, WRITERS + alerts))
        fill(service.urls[0], owners)
        writers, strangers = owners[:WRITERS], owners[WRITERS:]
        _say("Measuring CPU per request with one and with two server processes…")
        cpu = cpu_ms_per_request(folder, cluster.url, spare, folder / "keys.json", writers)
        _say(f"Load for {seconds / 60:g} minutes, with a fault each {every:g} s…")
        load, faults, rss = (
            Load(service.urls, writers, strangers),
            Faults(cluster, service),
            list[tuple[float, float]](),
        )
        stopping, begun = Event(), time.monotonic()
        breaking = Thread(target=faults.run, args=(every, stopping))
        beside = Thread(target=_watch_rss, args=(service, rss, begun, stopping))
        breaking.start()
        beside.start()
        ending = Timer(max(0.0, seconds - QUIET_SECONDS), stopping.set)
        ending.start()
        asyncio.run(load.run(rate, seconds))
        breaking.join()
        _say("Comparing the ledger…")
        compared = compare(load.ledger, writers, parts, service.sandbox_url, service.urls[0])
        rss.append((time.monotonic() - begun, service.rss_mb("server-0")))
        beside.join()
    _say("Destroying a primary, and recovering it…")
    return Findings(
        f"make proof ARGS='--minutes {seconds / 60:g} --every {every:g} --rate {rate:g}'",
        rate,
        seconds,
        every,
        begun,
        load.ledger,
        faults.done,
        rss,
        compared,
        cpu,
        recover(folder / "recovery"),
        _versions(),
    )


def _watch_rss(service: Service, found: list[tuple[float, float]], begun: float, stopping: Event) -> None:
    while not stopping.wait(RSS_SECONDS):
        found.append((time.monotonic() - begun, service.rss_mb("server-0")))


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _versions() -> dict[str, str]:
    asked = {
        "PostgreSQL": [str(bin_dir() / "postgres"), "--version"],
        "Patroni": [program("patroni"), "--version"],
        "etcd": [program("etcd"), "--version"],
        "HAProxy": [program("haproxy"), "-v"],
        "Python": [sys.executable, "--version"],
    }
    return {name: _number_in(words) for name, words in asked.items()}


def _number_in(words: list[str]) -> str:
    env = {"ETCD_UNSUPPORTED_ARCH": "arm64"}
    said = subprocess.run(words, check=False, capture_output=True, text=True, env=env).stdout
    return next((word.split("-")[0] for word in said.split() if word[0].isdigit()), "?")


def _say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    random.seed(36)
    sys.exit(main())
