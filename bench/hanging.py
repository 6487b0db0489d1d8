"""The existence check while calls to the conversation platform hang: how much of its speed is left to it."""

import socket
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.table import Table

from bench.contenders import SERVICE, environment
from bench.databases import BenchDatabase, open_database
from bench.dataset import Dataset
from bench.entries import ENTRIES
from bench.load import LoadPlan
from bench.processes import running
from bench.progress import show_progress
from bench.rounds import run_load
from ficha.sandbox.server import Sandbox

CALLS = 200
ROUNDS = 5
SECONDS = 3.0
CONNECTIONS = 16
LEAST = 0.9
ENTRY = ENTRIES["exists_model"]
CALL = b"GET /v1/accounts/1/labels HTTP/1.1\r\nHost: 127.0.0.1\r\napi_access_token: sandbox-chatwoot-token\r\n\r\n"
SILENCE = {"action": "timeout_before"}


def measure_hanging(console: Console, databases: list[str]) -> bool:
    """Two servers in turn, so that the noise of the machine is the same for both: on one of them the calls hang."""
    table = Table("database", "alone/s", f"beside {CALLS} calls/s", "share", title="Does a model have data")
    good = True
    with show_progress(len(databases) * ROUNDS) as report:
        for name in databases:
            with open_database(name) as opened, ExitStack() as stack:
                sandbox = stack.enter_context(Sandbox())
                sandbox.call(lambda platforms: platforms.chatwoot.faults.set([SILENCE]))
                alone, beside = (
                    stack.enter_context(running(SERVICE.command, _environment(opened, sandbox), opened.folder))
                    for _ in range(2)
                )
                people = Dataset(opened.folder / "data", opened.url)
                stack.callback(people.close)
                stack.enter_context(_hanging(sandbox, beside.port))
                speeds: dict[int, list[float]] = {alone.port: [], beside.port: []}
                for number in range(ROUNDS):
                    report(f"{name}: round {number + 1} of {ROUNDS}")
                    for port, found in speeds.items():
                        load = LoadPlan(ENTRY.name, port, SECONDS, ENTRY.seeds(people, CONNECTIONS))
                        result = run_load(load)
                        assert not result.errors, result.errors
                        found.append(result.requests / result.seconds)
            free, full = (statistics.median(found) for found in speeds.values())
            good = good and full / free >= LEAST
            table.add_row(name, f"{free:.0f}", f"{full:.0f}", f"{full / free:.2f}")
    console.print(table)
    return good


def _environment(opened: BenchDatabase, sandbox: Sandbox) -> dict[str, str]:
    return environment(opened.folder / "data", opened.url) | {
        "FICHA_WHATSAPP_BASE_URL": sandbox.url,
        "FICHA_CHATWOOT_BASE_URL": sandbox.url,
        "FICHA_CHATWOOT_BRIDGE": "false",
        "FICHA_CHATWOOT_SECONDS": "600",
        "FICHA_CHATWOOT_CALLS": str(CALLS),
    }


@contextmanager
def _hanging(sandbox: Sandbox, port: int) -> Iterator[None]:
    """Calls that have reached the platform and get no answer."""
    [rule] = sandbox.chatwoot.faults.rules
    calls = [socket.create_connection(("127.0.0.1", port)) for _ in range(CALLS)]
    try:
        for call in calls:
            call.sendall(CALL)
        while rule.fired < CALLS:
            time.sleep(0.05)
        yield
    finally:
        for call in calls:
            call.close()
