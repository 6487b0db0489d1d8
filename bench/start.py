"""The cost of a start: CPU until the service is ready, memory when it is idle, and the slowest imports."""

import re
import subprocess
import sys
import time
from collections import defaultdict

from rich.console import Console
from rich.table import Table

from bench.contenders import ROOT, SERVICE, environment
from bench.databases import open_database
from bench.processes import process_tree, running
from bench.progress import show_progress

CPU_SECONDS, RSS_MB = 2.0, 130.0
IDLE_SECONDS = 5.0
IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")


def measure_start(console: Console) -> bool:
    """Measures a second start, as most are: the database exists and is up to date."""
    with open_database("sqlite") as opened, show_progress(2) as report:
        report("first start, to make the database")
        known = environment(opened.folder / "data", opened.url)
        with running(SERVICE.command, known, opened.folder):
            pass
        report("second start, and five idle seconds")
        with running(SERVICE.command, environment(opened.folder / "data", opened.url), opened.folder) as server:
            cpu = server.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            idle_cpu = (server.cpu_seconds() - cpu) / IDLE_SECONDS
            members = [
                (_role(process.cmdline()), process.memory_info().rss / 1e6) for process in process_tree(server.process)
            ]
    table = Table("what", "measured", "target", title="Start on SQLite", title_justify="left")
    table.add_row("CPU of all processes until ready", _coloured(cpu, CPU_SECONDS, "s"), f"< {CPU_SECONDS} s")
    table.add_row("CPU while idle", f"{idle_cpu * 100:.1f} % of a core", "")
    for number, (role, rss) in enumerate(members):
        table.add_row(f"RSS of process {number + 1}: {role}", _coloured(rss, RSS_MB, "MB"), f"< {RSS_MB:.0f} MB")
    console.print(table)
    _show_imports(console)
    return cpu < CPU_SECONDS and all(rss < RSS_MB for _, rss in members)


def _role(command: list[str]) -> str:
    if any("resource_tracker" in word for word in command):
        return "Python's resource tracker"
    return "server" if command else "ended"


def _coloured(value: float, target: float, unit: str) -> str:
    colour = "green" if value < target else "red"
    return f"[{colour}]{value:.2f} {unit}[/{colour}]"


def _show_imports(console: Console) -> None:
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import ficha.server"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    weights: dict[str, int] = defaultdict(int)
    for own, module in IMPORT.findall(found.stderr):
        weights[module.partition(".")[0]] += int(own)
    table = Table("package", "own ms", title=f"Imports of the server, {sum(weights.values()) / 1000:.0f} ms in all")
    for package, weight in sorted(weights.items(), key=lambda item: -item[1])[:12]:
        table.add_row(package, f"{weight / 1000:.0f}")
    console.print(table)
