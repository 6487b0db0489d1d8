"""CPU per request with one server process and with two, on the same database."""

import statistics
from pathlib import Path

from bench.load import LoadPlan
from bench.rounds import run_load
from proof.cluster import wait_until
from proof.people import Owner
from proof.service import START_SECONDS, Started, answers, environment, family, start_ficha, stop

ROUNDS = 3
SECONDS, WARM_UP_SECONDS = 6.0, 2.0
CONNECTIONS = 16
ENTRY = "exists_model"


def cpu_ms_per_request(folder: Path, database_url: str, port: int, keys: Path, owners: list[Owner]) -> dict[int, float]:
    """The median of some rounds, in turn, so that what else the machine does meets both."""
    found: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for processes, rounds in found.items():
            env = environment(
                database_url,
                folder / f"cost-{processes}",
                FICHA_PORT=str(port),
                FICHA_WORKERS=str(processes),
                FICHA_KEY_FILE=str(keys),
            )
            server = start_ficha("serve", "--no-sandbox", env=env)
            try:
                ready = f"http://127.0.0.1:{port}/health/ready"
                wait_until(lambda: answers(ready), START_SECONDS, "a server did not start")  # noqa: B023
                _read(port, owners, WARM_UP_SECONDS)
                before = _cpu_seconds(server)
                count = _read(port, owners, SECONDS)
                rounds.append(1000 * (_cpu_seconds(server) - before) / count)
            finally:
                stop(server)
    return {processes: statistics.median(rounds) for processes, rounds in found.items()}


def _cpu_seconds(server: Started) -> float:
    times = [process.cpu_times() for process in family(server)]
    return sum(each.user + each.system for each in times)


def _read(port: int, owners: list[Owner], seconds: float) -> int:
    """How many reads were answered, as many at once as the server takes."""
    seeds = [
        {"people": "\n".join(f"{owner.code} {owner.token}" for owner in owners[first::CONNECTIONS])}
        for first in range(CONNECTIONS)
    ]
    result = run_load(LoadPlan(ENTRY, port, seconds, seeds))
    assert not result.errors, result.errors
    return result.requests
