"""This commit against another, in one run: in turns, with the same requests, each on a database of its own."""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.contenders import ROOT, SERVICE, environment
from bench.databases import BenchDatabase, open_database
from bench.dataset import Dataset
from bench.figures import Result
from bench.processes import running
from bench.progress import Report, show_progress
from bench.report import COLUMNS, HEADINGS, RESULTS, add_memory_rows, cells, machine, text_of
from bench.rounds import Plan, Side, errors_of, measure_entry, shape_differences
from bench.worktree import SeededElsewhere, Worktree, worktree_of

STARTS = 3
IDLE_SECONDS = 1.0


@dataclass
class StartCost:
    """Of starts on a database that is already there: CPU until ready, memory of the largest process soon after."""

    cpu_seconds: list[float] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)


Starts = dict[str, StartCost]


@dataclass(frozen=True)
class Code:
    """One of the two: what it is called, the folder of its files, and its database."""

    name: str
    folder: Path
    database: BenchDatabase

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.database.folder / "data", self.database.url, self.folder)


def measure_against(console: Console, plan: Plan, commit: str) -> bool:
    """Whether no answer had another status than its entry expects. Raises NoSuchCommit."""
    results: list[Result] = []
    starts: dict[str, Starts] = {}
    rounds = sum(2 * (plan.rounds + 1) for _ in plan.entries)
    with worktree_of(commit) as other, show_progress(len(plan.databases) * (2 * (STARTS + 1) + 1 + rounds)) as report:
        for name in plan.databases:
            with open_database(name) as ours, open_database(name) as theirs:
                codes = [Code(SERVICE.name, ROOT, ours), Code(other.name, other.folder, theirs)]
                starts[name] = _measure_starts(codes, report)
                results += _measure_entries(plan, codes, report)
    _show(console, results, starts, other)
    console.print(f"Written: {_write(plan, results, starts, other)}")
    return not any(result.faults for result in results)


def _measure_starts(codes: list[Code], report: Report) -> Starts:
    """The first of each makes its database and is not counted."""
    costs = {code.name: StartCost() for code in codes}
    for number in range(STARTS + 1):
        for code in codes:
            report(f"{code.database.name}: {code.name}, start {number + 1} of {STARTS + 1}")
            with running(SERVICE.command, code.environment, code.database.folder) as server:
                cpu = server.cpu_seconds()
                time.sleep(IDLE_SECONDS)
                if number:
                    costs[code.name].cpu_seconds.append(cpu)
                    costs[code.name].rss_mb.append(server.rss_mb()[0])
    return costs


def _measure_entries(plan: Plan, codes: list[Code], report: Report) -> list[Result]:
    results = []
    with ExitStack() as stack:
        report(f"{codes[0].database.name}: starting")
        sides = {code.name: stack.enter_context(_side(code)) for code in codes}
        for entry in plan.entries:
            result = measure_entry(plan, entry, sides, report)
            result.faults = errors_of(result)
            # Another commit may answer something else: that is said, and is no fault.
            result.notes = [] if result.faults else shape_differences(result, entry)
            results.append(result)
    return results


@contextmanager
def _side(code: Code) -> Iterator[Side]:
    data_dir, url = code.database.folder / "data", code.database.url
    with running(SERVICE.command, code.environment, code.database.folder) as server:
        is_ours = code.folder == ROOT
        people = Dataset(data_dir, url) if is_ours else SeededElsewhere(data_dir, url, code.environment)
        try:
            yield Side(server, code.database, people)
        finally:
            people.close()


def _show(console: Console, results: list[Result], starts: dict[str, Starts], other: Worktree) -> None:
    table = Table("entry", "who", title=f"This tree and {other.name}, medians", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for result in results:
        table.add_section()
        where = f"{result.entry} · {result.database}"
        for who, measured in result.measured.items():
            table.add_row(where, who, *cells(measured))
            where = ""
        ratios = [text_of(result.ratio(name, to=other.name), "×") for name in COLUMNS]
        table.add_row("", "ratio", *ratios, "", style="bold")
        add_memory_rows(table, result)
    console.print(table)
    table = Table("start on", "who", "CPU s", "RSS MB", title="Start, medians", title_justify="left")
    for database, costs in starts.items():
        table.add_section()
        medians = [(median(cost.cpu_seconds), median(cost.rss_mb)) for cost in costs.values()]
        for who, (cpu, rss) in zip(costs, medians, strict=True):
            table.add_row(database, who, f"{cpu:.2f}", f"{rss:.0f}")
        (cpu, rss), (cpu_before, rss_before) = medians
        table.add_row("", "ratio", f"{cpu / cpu_before:.2f}×", f"{rss / rss_before:.2f}×", style="bold")
    console.print(table)
    for result in results:
        for fault in result.faults:
            console.print(f"[red]{result.entry} on {result.database}:[/red] {fault}", highlight=False)
        for note in result.notes:
            console.print(f"{result.entry} on {result.database}: {note}", highlight=False)


def _write(plan: Plan, results: list[Result], starts: dict[str, Starts], other: Worktree) -> Path:
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"against_{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.json"
    content: dict[str, Any] = {
        "machine": machine(),
        "against": other.name,
        "seconds": plan.seconds,
        "rounds": plan.rounds,
        "connections": plan.connections,
        "starts": {name: {who: asdict(cost) for who, cost in costs.items()} for name, costs in starts.items()},
        "results": [result.as_json() for result in results],
    }
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return file
