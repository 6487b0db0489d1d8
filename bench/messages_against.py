"""Messages a second of this commit and of another, in turns within one run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.contenders import ROOT
from bench.messages import SENDS, Sent
from bench.progress import show_progress
from bench.worktree import DidNotSeed, worktree_of

SEND_PROCESS = Path(__file__).with_name("send_process.py")
HERE = "here"


def measure_messages_against(console: Console, databases: list[str], commit: str, rounds: int) -> bool:
    """Medians of the rounds, each on a database of its own. Raises NoSuchCommit, DidNotSeed."""
    table = Table(
        "database",
        "commit",
        "per second",
        "of each round",
        "CPU ms of each",
        "database CPU ms",
        title=f"{SENDS} messages, end to end, with three statuses",
        title_justify="left",
    )
    with worktree_of(commit) as other, show_progress(len(databases) * rounds * 2) as report:
        folders = {HERE: ROOT, other.name: other.folder}
        for database in databases:
            found: dict[str, list[Sent]] = {name: [] for name in folders}
            for number in range(rounds):
                # Whoever is first finds a cooler machine: they take turns at that too.
                names = list(folders) if number % 2 == 0 else list(reversed(folders))
                for name in names:
                    report(f"{database}: {name}, round {number + 1} of {rounds}")
                    found[name].append(send_with(folders[name], database))
            for name, sent in found.items():
                rates = [SENDS / each.seconds for each in sent]
                table.add_row(
                    database,
                    name,
                    f"{median(rates):.0f}",
                    " ".join(f"{rate:.0f}" for rate in rates),
                    f"{median(each.cpu_ms for each in sent):.2f}",
                    f"{median(each.database_cpu_ms for each in sent):.2f}",
                )
    console.print(table)
    return True


def send_with(folder: Path, database: str) -> Sent:
    known = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    done = subprocess.run(
        [sys.executable, "-P", str(SEND_PROCESS), database],
        env=known | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise DidNotSeed(done.stderr[-1000:])
    return Sent(**json.loads(done.stdout))
