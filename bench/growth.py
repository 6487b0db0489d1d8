"""The cost of growth: the same reads with few records and with many, in one run."""

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime
from statistics import median

from pydantic import SecretStr
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from bench.contenders import SERVICE, environment
from bench.databases import BenchDatabase, open_database
from bench.dataset import split_among
from bench.load import LoadPlan
from bench.processes import running
from bench.report import RESULTS, machine
from bench.rounds import run_load
from bench.seeding import RecordOwner, Seeder
from ficha.core.settings import Settings
from ficha.migrations import migrate
from ficha.parts import Parts, build_parts

ENTRIES = ("exists_model", "one_model")
ROUNDS = 5
WARM_SECONDS = 1.0


@dataclass(frozen=True)
class Point:
    database: str
    records: int
    entry: str
    p50_ms: float
    p99_ms: float
    requests_per_second: float
    rss_mb: float


def measure_growth(console: Console, databases: list[str], sizes: list[int], seconds: float, connections: int) -> None:
    points: list[Point] = []
    for database in databases:
        with open_database(database) as opened:
            points += _measure_sizes(console, opened, sorted(sizes), seconds, connections)
    _show(console, points)
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"growth_{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.json"
    content = {"machine": machine(), "seconds": seconds, "connections": connections, "rounds": ROUNDS}
    file.write_text(json.dumps(content | {"points": [asdict(point) for point in points]}, indent=2) + "\n")
    console.print(f"Written: {file}")


def add_records(console: Console, parts: Parts, count: int) -> list[RecordOwner]:
    """Adds so many records and shows a progress bar."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, refresh_per_second=2) as progress:
        task = progress.add_task("records", total=count)
        return Seeder(parts).add(count, lambda done: progress.advance(task, done))


def _measure_sizes(
    console: Console, opened: BenchDatabase, sizes: list[int], seconds: float, connections: int
) -> list[Point]:
    parts = build_parts(Settings(data_dir=opened.folder / "data", database_url=SecretStr(opened.url)))
    points: list[Point] = []
    try:
        migrate(parts.database)
        added, owners = 0, list[RecordOwner]()
        for size in sizes:
            owners += add_records(console, parts, size - added)
            added = size
            parts.database.close()
            points += _measure_size(console, opened, size, owners, seconds, connections)
    finally:
        parts.database.close()
    return points


def _measure_size(
    console: Console, opened: BenchDatabase, size: int, owners: list[RecordOwner], seconds: float, connections: int
) -> list[Point]:
    """Starts a server for this size alone, whose memory has seen no other."""
    points = []
    with ExitStack() as stack:
        known = environment(opened.folder / "data", opened.url)
        server = stack.enter_context(running(SERVICE.command, known, opened.folder))
        for entry in ENTRIES:
            console.print(f"{opened.name}, {size:,} records: {entry}")
            seeds = split_among(owners, connections)
            run_load(LoadPlan(entry, server.port, WARM_SECONDS, seeds))
            rounds = [run_load(LoadPlan(entry, server.port, seconds, seeds)) for _ in range(ROUNDS)]
            if any(one.errors for one in rounds):
                raise RuntimeError(f"{entry} failed: {rounds[0].errors} {rounds[0].sample[:300]}")
            points.append(
                Point(
                    opened.name,
                    size,
                    entry,
                    median(one.p50_ms for one in rounds),
                    median(one.p99_ms for one in rounds),
                    median(one.requests / one.seconds for one in rounds),
                    server.rss_mb()[0],
                )
            )
    return points


def _show(console: Console, points: list[Point]) -> None:
    table = Table("entry", "records", title="Growth, medians", title_justify="left")
    for heading in ("p50 ms", "to the smallest", "p99 ms", "requests/s", "RSS MB"):
        table.add_column(heading, justify="right")
    first: dict[tuple[str, str], Point] = {}
    for point in sorted(points, key=lambda one: (one.database, one.entry, one.records)):
        smallest = first.setdefault((point.database, point.entry), point)
        table.add_row(
            f"{point.entry} · {point.database}",
            f"{point.records:,}",
            f"{point.p50_ms:.3f}",
            f"{point.p50_ms / smallest.p50_ms:.2f}×",
            f"{point.p99_ms:.2f}",
            f"{point.requests_per_second:,.0f}",
            f"{point.rss_mb:.0f}",
        )
    console.print(table)
