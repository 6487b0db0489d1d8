"""The cost of a record, a scan and a job, at several sizes: what docs/scaling.md multiplies."""

import json
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from threading import Event

from pydantic import SecretStr
from rich.console import Console
from rich.table import Table
from sqlalchemy import text

from bench.contenders import SERVICE, environment
from bench.databases import BenchDatabase, open_database
from bench.dataset import Dataset
from bench.growth import add_records
from bench.load import LoadPlan
from bench.processes import running
from bench.report import RESULTS, machine
from bench.rounds import run_load
from ficha.core.db import Database
from ficha.core.log import configure_logs
from ficha.core.settings import Settings
from ficha.jobs.kinds import Kind
from ficha.jobs.queue import put
from ficha.jobs.runner import start_runner
from ficha.migrations import migrate
from ficha.parts import build_parts

CONNECTIONS = 8
WARM_SECONDS = 1.0
JOBS = 2_000
NOTHING = "bench.nothing"
# What the seeds fill, and with it grows by record.
BY_RECORD = ("accounts", "records", "products", "entries", "entry_versions")
SIZES = {
    "sqlite": """SELECT m.tbl_name, sum(CASE WHEN m.type = 'index' THEN 0 ELSE s.pgsize END),
        sum(CASE WHEN m.type = 'index' THEN s.pgsize ELSE 0 END)
        FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY m.tbl_name""",
    "postgresql": "SELECT relname, pg_table_size(relid), pg_indexes_size(relid) FROM pg_stat_user_tables",
}


@dataclass(frozen=True)
class ScalePoint:
    """Sizes are bytes of tables and of their indexes; CPU is in µs, of the service and of the database's own server."""

    database: str
    records: int
    tables: dict[str, tuple[float, float]]
    scan_cpu: float
    scan_database_cpu: float
    read_bytes: float
    job_cpu: float
    job_database_cpu: float

    @property
    def record_bytes(self) -> tuple[float, float]:
        return sum(self.tables[name][0] for name in BY_RECORD), sum(self.tables[name][1] for name in BY_RECORD)


def measure_scale(console: Console, databases: list[str], sizes: list[int], seconds: float) -> None:
    points: list[ScalePoint] = []
    configure_logs(Settings(log_level="error"))  # A line for each job would be what is measured.
    for name in databases:
        with open_database(name) as opened:
            points += _measure_sizes(console, opened, sorted(sizes), seconds)
    _show(console, points)
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"scale_{datetime.now().astimezone():%Y-%m-%d_%H%M%S}.json"
    file.write_text(json.dumps({"machine": machine(), "points": [asdict(point) for point in points]}, indent=2) + "\n")
    console.print(f"Written: {file}")


def _measure_sizes(console: Console, opened: BenchDatabase, sizes: list[int], seconds: float) -> list[ScalePoint]:
    parts = build_parts(Settings(data_dir=opened.folder / "data", database_url=SecretStr(opened.url)))
    migrate(parts.database)
    dataset, added, points = None, 0, []
    try:
        for size in sizes:
            add_records(console, parts, size - added)
            added = size
            by_table, there = _bytes_by_table(parts.database), _count(parts.database, "records")
            tables = {name: (by_table[name][0] / there, by_table[name][1] / there) for name in BY_RECORD}
            dataset = dataset or Dataset(opened.folder / "data", opened.url)
            scans = _measure_scans(opened, dataset, seconds)
            jobs = _measure_jobs(opened, parts.database)
            points.append(ScalePoint(opened.name, there, tables, *scans, _bytes_of_a_read(parts.database), *jobs))
    finally:
        parts.database.close()
        if dataset is not None:
            dataset.close()
    return points


def _bytes_by_table(database: Database) -> dict[str, tuple[int, int]]:
    with database.reading() as tx:
        rows = tx.orm.execute(text(SIZES["sqlite" if database.is_sqlite else "postgresql"]))
        return {name: (int(table), int(indexes)) for name, table, indexes in rows}


def _bytes_of_a_read(database: Database) -> float:
    """Of the log: an entry and its place in the indexes."""
    return sum(_bytes_by_table(database)["audit_entries"]) / _count(database, "audit_entries")


def _count(database: Database, table: str) -> int:
    with database.reading() as tx:
        return int(tx.orm.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def _measure_scans(opened: BenchDatabase, dataset: Dataset, seconds: float) -> tuple[float, float]:
    """With what the log of reads costs: it is written to the database until the server has stopped."""
    seeds = dataset.stickers(CONNECTIONS)
    with running(SERVICE.command, environment(opened.folder / "data", opened.url), opened.folder) as server:
        run_load(LoadPlan("responder", server.port, WARM_SECONDS, seeds))
        time.sleep(2)  # Until what came with the start is done.
        before, before_in_database = server.cpu_seconds(), opened.cpu_seconds() or 0.0
        load = run_load(LoadPlan("responder", server.port, seconds, seeds))
        if load.errors:
            raise RuntimeError(f"scans failed: {load.errors} {load.sample[:300]}")
        time.sleep(2)  # Until they are drained.
        spent, spent_in_database = server.cpu_seconds() - before, (opened.cpu_seconds() or 0.0) - before_in_database
    return spent / load.requests * 1e6, spent_in_database / load.requests * 1e6


def _measure_jobs(opened: BenchDatabase, database: Database) -> tuple[float, float]:
    """Put aside one by one, each in a transaction of its own, and done by one worker."""
    with database.writing() as tx:
        tx.orm.execute(text("DELETE FROM jobs"))  # Those that came with the scans.
    before, before_in_database = time.process_time(), opened.cpu_seconds() or 0.0
    for number in range(JOBS):
        with database.writing() as tx:
            put(tx, NOTHING, {"number": number})
    ended = Event()
    last = Kind(NOTHING, lambda job: ended.set() if job.payload["number"] == JOBS - 1 else None)
    runner = start_runner(database, [last], threads=1)
    ended.wait()
    runner.stop(10)
    spent, spent_in_database = time.process_time() - before, (opened.cpu_seconds() or 0.0) - before_in_database
    return spent / JOBS * 1e6, spent_in_database / JOBS * 1e6


def _show(console: Console, points: list[ScalePoint]) -> None:
    table = Table("database", "records", title="Scale", title_justify="left")
    headings = (
        "table bytes a record",
        "index bytes",
        "bytes a read",
        "µs a scan",
        "in database",
        "µs a job",
        "in database",
    )
    for heading in headings:
        table.add_column(heading, justify="right")
    for point in points:
        figures = (*point.record_bytes, point.read_bytes, point.scan_cpu, point.scan_database_cpu, point.job_cpu)
        cells = [f"{figure:,.0f}" for figure in (*figures, point.job_database_cpu)]
        table.add_row(point.database, f"{point.records:,}", *cells)
    console.print(table)
    parts = Table("table", title="Bytes a record: table + indexes", title_justify="left")
    for point in points:
        parts.add_column(f"{point.database} {point.records:,}", justify="right")
    for name in BY_RECORD:
        parts.add_row(name, *(f"{point.tables[name][0]:,.0f} + {point.tables[name][1]:,.0f}" for point in points))
    console.print(parts)
