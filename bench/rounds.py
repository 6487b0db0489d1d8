"""The measuring itself: one contender, then the other, then again, so that both meet the same noise."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

from bench.contenders import FLOOR, ORDINARY, ROOT, SERVICE, contenders, environment
from bench.entries.entry import Entry
from bench.figures import Ceiling, Measured, Result, Round
from bench.floor import NOTHING
from bench.load import PATIENCE_SECONDS, Job, Outcome
from bench.places import Place
from bench.processes import Server, running
from bench.world import World

WARM_SECONDS = 0.7
REST_SECONDS = 0.2
ALIKE_BYTES = 40
ALIKE_SHARE = 0.03

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    entries: list[Entry]
    databases: list[str]
    seconds: float
    connections: int
    rounds: int

    @property
    def steps(self) -> int:
        """How often `tell` is called: a start and a ceiling for each database, then every round and warm-up."""
        asked = sum(len(contenders(with_ordinary=entry.has_ordinary)) for entry in self.entries)
        return len(self.databases) * (2 + asked * (self.rounds + 1))


def measure(plan: Plan, place: Place, tell: Tell) -> tuple[list[Result], Ceiling]:
    """Every entry on one database, and what the load generator can do at all."""
    with ExitStack() as stack:
        tell(f"{place.name}: starting")
        servers: dict[str, Server] = {}
        for contender in contenders(with_ordinary=any(entry.has_ordinary for entry in plan.entries)):
            known = environment(place.folder / "data", place.url)
            servers[contender.name] = stack.enter_context(running(contender.command, known, place.folder))
        world = World(place.folder / "data", place.url)
        stack.callback(world.close)
        results = [_measure_entry(plan, entry, place, servers, world, tell) for entry in plan.entries]
        tell(f"{place.name}: ceiling")
        port = servers[FLOOR.name].port
        idle = load(Job("", port, plan.seconds, [{}] * plan.connections, NOTHING))
        return results, Ceiling(idle.requests / idle.seconds, idle.own_cpu_seconds / idle.requests * 1e6)


def _measure_entry(
    plan: Plan, entry: Entry, place: Place, servers: dict[str, Server], world: World, tell: Tell
) -> Result:
    servers = {name: server for name, server in servers.items() if entry.has_ordinary or name != ORDINARY.name}
    measured = {name: Measured() for name in servers}
    result = Result(entry.name, entry.title, place.name, plan.connections, measured, entry.apart_title)
    for name, server in servers.items():
        tell(f"{place.name}: {entry.name}, {name} warms up")
        warm = load(Job(entry.name, server.port, WARM_SECONDS, entry.seeds(world, plan.connections)))
        measured[name].errors.update(warm.errors)
        measured[name].sample = warm.sample
        if entry.settle is not None:
            entry.settle(world)
    if any(one.errors for one in measured.values()):
        result.faults = _faults(result, entry)
        return result
    for number in range(plan.rounds):
        if entry.apart is not None:
            result.apart_ms.append(entry.apart())
        for name, server in servers.items():
            tell(f"{place.name}: {entry.name}, {name}, round {number + 1} of {plan.rounds}")
            job = Job(entry.name, server.port, plan.seconds, entry.seeds(world, plan.connections))
            _add_round(measured[name], job, server, place)
            if entry.settle is not None:
                entry.settle(world)
            time.sleep(REST_SECONDS)
    result.faults = _faults(result, entry)
    return result


def _add_round(measured: Measured, job: Job, server: Server, place: Place) -> None:
    cpu, database_cpu = server.cpu_seconds(), place.cpu_seconds()
    outcome = load(job)
    cpu, database_cpu_after = server.cpu_seconds() - cpu, place.cpu_seconds()
    measured.errors.update(outcome.errors)
    measured.sample = outcome.sample if outcome.errors else measured.sample
    if not outcome.requests:
        return
    both = database_cpu is not None and database_cpu_after is not None
    measured.rounds.append(
        Round(
            requests_per_second=outcome.requests / outcome.seconds,
            p50_ms=outcome.p50_ms,
            p99_ms=outcome.p99_ms,
            cpu_ms=cpu / outcome.requests * 1000,
            database_cpu_ms=(database_cpu_after - database_cpu) / outcome.requests * 1000 if both else None,  # type: ignore[operator]
            rss_mb=server.rss_mb()[0],
            answer_bytes=outcome.answer_bytes,
        )
    )


def load(job: Job) -> Outcome:
    """In a process of its own: what generating costs is never counted as the server's."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=json.dumps(asdict(job)).encode(),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        timeout=job.seconds + PATIENCE_SECONDS + 20,
        check=True,
        start_new_session=True,
    )
    return Outcome(**json.loads(done.stdout))


def _faults(result: Result, entry: Entry) -> list[str]:
    faults = [
        f"{who} gave {dict(one.errors)}: {one.sample[:300]}" for who, one in result.measured.items() if one.errors
    ]
    if faults or entry.is_page:
        return faults
    service = result.measured[SERVICE.name]
    for who, other in result.measured.items():
        if _shape(json.loads(service.sample), entry.alike_depth) != _shape(json.loads(other.sample), entry.alike_depth):
            faults.append(f"the {who} answers something else: {other.sample[:300]}")
        difference = abs((service.median("answer_bytes") or 0) - (other.median("answer_bytes") or 0))
        # Where people differ, a round that ended elsewhere has met others.
        allowed = max(ALIKE_BYTES, (service.median("answer_bytes") or 0) * ALIKE_SHARE)
        if difference > allowed and who == FLOOR.name:
            faults.append(f"the answers differ by {difference:.0f} bytes")
    return faults


def _shape(value: Any, depth: int) -> Any:
    """Names and kinds without the values: what two equal answers about different people share."""
    if depth and isinstance(value, dict):
        return {name: _shape(inner, depth - 1) for name, inner in value.items()}
    if depth and isinstance(value, list):
        return [_shape(inner, depth - 1) for inner in value]
    return type(value).__name__
