"""CPU per request with one server process and with two, on the same database."""

import asyncio
import statistics
import time
from pathlib import Path

import httpx

from proof.cluster import wait_until
from proof.people import Owner
from proof.service import START_SECONDS, answers, environment, family, start_ficha, stop

ROUNDS = 3
SECONDS = 6.0
CLIENTS = 8


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
                url = f"http://127.0.0.1:{port}"
                wait_until(lambda: answers(f"{url}/health/ready"), START_SECONDS, "a server did not start")  # noqa: B023
                asyncio.run(_read(url, owners, 2.0))  # What is loaded with the first requests.
                before = _cpu_seconds(server)
                count = asyncio.run(_read(url, owners, SECONDS))
                rounds.append(1000 * (_cpu_seconds(server) - before) / count)
            finally:
                stop(server)
    return {processes: statistics.median(rounds) for processes, rounds in found.items()}


def _cpu_seconds(server: object) -> float:
    times = [process.cpu_times() for process in family(server)]  # type: ignore[arg-type]
    return sum(each.user + each.system for each in times)


async def _read(url: str, owners: list[Owner], seconds: float) -> int:
    """How many reads of a record were answered."""
    until = time.monotonic() + seconds

    async def one(client: httpx.AsyncClient, first: int) -> int:
        count = 0
        while time.monotonic() < until:
            owner = owners[(first + count) % len(owners)]
            (await client.get(owner.record_path, headers=owner.headers)).raise_for_status()
            count += 1
        return count

    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        return sum(await asyncio.gather(*(one(client, 7 * number) for number in range(CLIENTS))))
