"""The results of a run: a table on the screen and a JSON file."""

import json
import os
import platform
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.contenders import EMPTY, ORDINARY
from bench.figures import Ceiling, Measured, Result
from bench.rounds import Plan

RESULTS = Path(__file__).parent / "results"
COLUMNS = ("requests_per_second", "p50_ms", "p99_ms", "cpu_ms", "database_cpu_ms", "rss_mb")
HEADINGS = ("requests/s", "p50 ms", "p99 ms", "CPU ms", "database\nCPU ms", "RSS MB", "errors")


def show(console: Console, results: list[Result], ceilings: dict[str, Ceiling]) -> None:
    table = Table("entry", "who", title="Service and floor, medians", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for result in results:
        table.add_section()
        where = f"{result.entry} · {result.database}"
        for who, measured in result.measured.items():
            table.add_row(where, who, *cells(measured))
            where = ""
        ratios = [text_of(result.ratio(name), "×") for name in COLUMNS]
        table.add_row("", "service / floor", *ratios, "", style="bold")
        for other in (ORDINARY.name, EMPTY):
            if other in result.measured:
                ratios = [text_of(result.ratio(name, to=other), "×") for name in COLUMNS]
                table.add_row("", f"service / {other}", *ratios, "")
        add_memory_rows(table, result)
        if result.separate is not None:
            table.add_row("", result.separate_title, "", "", "", text_of(result.separate), "", "", "", style="dim")
            for who in result.measured:
                beyond = text_of(result.cpu_beyond_separate(who))
                table.add_row("", f"{who} beyond that", "", "", "", beyond, "", "", "", style="dim")
    console.print(table)
    for database, ceiling in ceilings.items():
        console.print(
            f"Load generator against a handler that does nothing: {ceiling.requests_per_second:,.0f} requests/s,"
            f" {ceiling.generator_cpu_us:.0f} µs of its own CPU each (beside {database})."
        )
    for result in results:
        for fault in result.faults:
            console.print(f"[red]{result.entry} on {result.database}:[/red] {fault}", highlight=False)


def add_memory_rows(table: Table, result: Result) -> None:
    """What each had before it was asked anything of this entry: the rows above say what it has after the last round."""
    if result.shows_memory:
        for who, measured in result.measured.items():
            table.add_row("", f"{who} at start", "", "", "", "", "", text_of(measured.rss_mb_at_start), "", style="dim")


def write(plan: Plan, results: list[Result], ceilings: dict[str, Ceiling], load_before: float) -> Path:
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now().astimezone()
    file = RESULTS / f"{now:%Y-%m-%d_%H%M%S}.json"
    content: dict[str, Any] = {
        "at": now.isoformat(timespec="seconds"),
        "machine": machine() | {"load_average_before": load_before},
        "seconds": plan.seconds,
        "rounds": plan.rounds,
        "connections": plan.connections,
        "ceilings": {name: asdict(ceiling) for name, ceiling in ceilings.items()},
        "results": [result.as_json() for result in results],
    }
    file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return file


def machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("granian", "fastapi", "sqlalchemy", "psycopg")},
    }


def cells(measured: Measured) -> list[str]:
    return [text_of(measured.median(name)) for name in COLUMNS] + [str(sum(measured.errors.values()))]


def text_of(value: float | None, unit: str = "") -> str:
    if value is None:
        return "–"
    return (f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}") + unit
