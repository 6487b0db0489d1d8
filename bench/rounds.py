"""Measures the contenders in turn, round after round, so that the noise of the machine is the same for all."""

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.contenders import EMPTY, FLOOR, ORDINARY, ROOT, SERVICE, contenders, environment
from bench.databases import BenchDatabase
from bench.dataset import Dataset
from bench.entries.entry import Entry
from bench.figures import Ceiling, Measured, Result, Round
from bench.floor import NOTHING
from bench.load import ANSWER_SECONDS, LoadPlan, LoadResult
from bench.processes import MeasuredServer, running
from bench.progress import Report
from bench.requests import People, Seed

WARM_SECONDS = 0.7
PAUSE_SECONDS = 0.2
SAME_SIZE_BYTES = 40
SAME_SIZE_SHARE = 0.03


@dataclass(frozen=True)
class Side:
    """A server that is measured, its database and the people in it; `has_data` if it is asked for those with data."""

    server: MeasuredServer
    database: BenchDatabase
    people: People
    has_data: bool = True

    def seeds(self, entry: Entry, count: int) -> list[Seed]:
        made = entry.seeds if self.has_data else entry.empty_seeds
        assert made is not None
        return made(self.people, count)


@dataclass(frozen=True)
class Plan:
    entries: list[Entry]
    databases: list[str]
    seconds: float
    connections: int
    rounds: int

    @property
    def steps(self) -> int:
        """How often `report` is called: a start and a ceiling for each database, then every round and warm-up."""
        asked = sum(
            len(contenders(with_ordinary=entry.has_ordinary)) + (entry.empty_seeds is not None)
            for entry in self.entries
        )
        return len(self.databases) * (2 + asked * (self.rounds + 1))


def measure(plan: Plan, database: BenchDatabase, report: Report) -> tuple[list[Result], Ceiling]:
    """Every entry on one database, and the most that the load generator can do."""
    with ExitStack() as stack:
        report(f"{database.name}: starting")
        servers: dict[str, MeasuredServer] = {}
        for contender in contenders(with_ordinary=any(entry.has_ordinary for entry in plan.entries)):
            known = environment(database.folder / "data", database.url)
            servers[contender.name] = stack.enter_context(running(contender.command, known, database.folder))
        dataset = Dataset(database.folder / "data", database.url)
        stack.callback(dataset.close)
        sides = {name: Side(server, database, dataset) for name, server in servers.items()}
        results = []
        for entry in plan.entries:
            asked = {name: side for name, side in sides.items() if entry.has_ordinary or name != ORDINARY.name}
            if entry.empty_seeds is not None:
                asked[EMPTY] = replace(sides[SERVICE.name], has_data=False)
            result = measure_entry(plan, entry, asked, report)
            result.faults = errors_of(result) or [
                *shape_differences(result, entry),
                *_size_differences(result, entry),
            ]
            results.append(result)
        report(f"{database.name}: ceiling")
        port = servers[FLOOR.name].port
        idle = run_load(LoadPlan("", port, plan.seconds, [{}] * plan.connections, NOTHING))
        return results, Ceiling(idle.requests / idle.seconds, idle.own_cpu_seconds / idle.requests * 1e6)


def measure_entry(plan: Plan, entry: Entry, sides: dict[str, Side], report: Report) -> Result:
    """The sides in turn, after a warm-up of each. An error in a warm-up ends it: there is nothing to compare."""
    measured = {name: Measured() for name in sides}
    database = next(iter(sides.values())).database.name
    result = Result(entry.name, entry.title, database, plan.connections, measured, entry.separate_title)
    result.shows_memory = entry.shows_memory
    for name, side in sides.items():
        report(f"{database}: {entry.name}, {name} warms up")
        measured[name].rss_mb_at_start = side.server.rss_mb()[0]
        warm = _ask(entry, side, WARM_SECONDS, plan.connections)
        measured[name].errors.update(warm.errors)
        measured[name].sample = warm.sample
        if entry.clean_up is not None:
            entry.clean_up(side.people)
    if any(one.errors for one in measured.values()):
        return result
    for number in range(plan.rounds):
        if entry.measure_separately is not None:
            result.separate_ms.append(entry.measure_separately())
        for name, side in sides.items():
            report(f"{database}: {entry.name}, {name}, round {number + 1} of {plan.rounds}")
            _add_round(measured[name], entry, side, plan)
            time.sleep(PAUSE_SECONDS)
    return result


def _ask(entry: Entry, side: Side, seconds: float, connections: int) -> LoadResult:
    return run_load(LoadPlan(entry.name, side.server.port, seconds, side.seeds(entry, connections)))


def _add_round(measured: Measured, entry: Entry, side: Side, plan: Plan) -> None:
    load = LoadPlan(entry.name, side.server.port, plan.seconds, side.seeds(entry, plan.connections))
    cpu, database_cpu = side.server.cpu_seconds(), side.database.cpu_seconds()
    result = run_load(load)
    cpu, database_cpu_after = side.server.cpu_seconds() - cpu, side.database.cpu_seconds()
    if entry.clean_up is not None:
        entry.clean_up(side.people)
    measured.errors.update(result.errors)
    measured.sample = result.sample if result.errors else measured.sample
    if not result.requests:
        return
    both = database_cpu is not None and database_cpu_after is not None
    measured.rounds.append(
        Round(
            requests_per_second=result.requests / result.seconds,
            p50_ms=result.p50_ms,
            p99_ms=result.p99_ms,
            cpu_ms=cpu / result.requests * 1000,
            database_cpu_ms=(database_cpu_after - database_cpu) / result.requests * 1000 if both else None,  # type: ignore[operator]
            rss_mb=side.server.rss_mb()[0],
            answer_bytes=result.answer_bytes,
        )
    )


def run_load(plan: LoadPlan) -> LoadResult:
    """Generates load in a process of its own, whose CPU is not counted as the server's."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=json.dumps(asdict(plan)).encode(),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        timeout=plan.seconds + ANSWER_SECONDS + 20,
        check=True,
        start_new_session=True,
    )
    return LoadResult(**json.loads(done.stdout))


def errors_of(result: Result) -> list[str]:
    return [f"{who} gave {dict(one.errors)}: {one.sample[:300]}" for who, one in result.measured.items() if one.errors]


def shape_differences(result: Result, entry: Entry) -> list[str]:
    if entry.is_page:
        return []
    service = _shape_of(result.measured[SERVICE.name], entry)
    return [
        f"the {who} answers something else: {other.sample[:300]}"
        for who, other in result.measured.items()
        if _shape_of(other, entry) != service
    ]


def _size_differences(result: Result, entry: Entry) -> list[str]:
    """Answers differ from person to person, and rounds end at different people."""
    if entry.is_page:
        return []
    service, floor = (result.measured[who].median("answer_bytes") or 0 for who in (SERVICE.name, FLOOR.name))
    difference = abs(service - floor)
    allowed = max(SAME_SIZE_BYTES, service * SAME_SIZE_SHARE)
    return [f"the answers differ by {difference:.0f} bytes"] if difference > allowed else []


def _shape_of(measured: Measured, entry: Entry) -> Any:
    return shape(json.loads(measured.sample), entry.compared_depth)


def shape(value: Any, depth: int) -> Any:
    """Names and types without the values, which are the same in answers about different people."""
    if depth and isinstance(value, dict):
        return {name: shape(inner, depth - 1) for name, inner in value.items()}
    if depth and isinstance(value, list):
        return [shape(inner, depth - 1) for inner in value]
    return type(value).__name__
