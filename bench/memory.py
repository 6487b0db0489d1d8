"""Memory over time: minutes of the mixed profile, the worker's memory every half minute, and whether it grows."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import linear_regression
from time import sleep

from rich.console import Console
from rich.table import Table

from bench.contenders import SERVICE, environment
from bench.databases import open_database
from bench.dataset import Dataset
from bench.entries import mixed
from bench.load import LoadPlan
from bench.processes import running
from bench.progress import Report, show_progress
from bench.rounds import run_load

IDLE_SECONDS = 5.0
PART_SECONDS = 30.0
CONNECTIONS = 8
# What a process fills once (pages compiled, connections, caches that are bounded) it fills in the first part.
SETTLING_SHARE = 0.3
MOST_MB_A_MINUTE = 0.5
MOST_MB = 170.0


@dataclass
class Course:
    """One database's: megabytes of the worker, idle and after each half minute; how much was asked, and what failed."""

    database: str
    idle_mb: float = 0.0
    after_mb: list[float] = field(default_factory=list)
    requests: int = 0
    errors: dict[str, int] = field(default_factory=dict)

    @property
    def mb_a_minute(self) -> float:
        """The slope of the line through what was measured after it settled."""
        settled = self.after_mb[int(len(self.after_mb) * SETTLING_SHARE) :]
        minutes = [number * PART_SECONDS / 60 for number in range(len(settled))]
        return linear_regression(minutes, settled).slope

    @property
    def is_flat(self) -> bool:
        return not self.errors and self.mb_a_minute < MOST_MB_A_MINUTE and max(self.after_mb) <= MOST_MB


def measure_memory(console: Console, databases: list[str], minutes: float) -> bool:
    parts = max(4, round(minutes * 60 / PART_SECONDS))
    with show_progress(len(databases) * (1 + parts)) as report:
        courses = [_measure(name, parts, report) for name in databases]
    table = Table("database", "idle MB", "MB after each half minute", "MB a minute", "requests", title="Mixed load")
    for course in courses:
        told = " ".join(f"{mb:.0f}" for mb in course.after_mb)
        slope = f"[{'green' if course.is_flat else 'red'}]{course.mb_a_minute:+.2f}"
        table.add_row(course.database, f"{course.idle_mb:.0f}", told, slope, f"{course.requests:,}")
    console.print(table)
    for course in courses:
        if course.errors:
            console.print(f"[red]{course.database}:[/red] {course.errors}", highlight=False)
    return all(course.is_flat for course in courses)


def _measure(database: str, parts: int, report: Report) -> Course:
    course = Course(database)
    with open_database(database) as opened, ExitStack() as stack:
        report(f"{database}: starting")
        # Twice: what makes the tables is not part of an ordinary start.
        with running(SERVICE.command, environment(opened.folder / "data", opened.url), opened.folder):
            people = Dataset(opened.folder / "data", opened.url)
            stack.callback(people.close)
        known = environment(opened.folder / "data", opened.url)
        server = stack.enter_context(running(SERVICE.command, known, opened.folder))
        sleep(IDLE_SECONDS)
        course.idle_mb = server.rss_mb()[0]
        for number in range(parts):
            report(f"{database}: half minute {number + 1} of {parts}")
            seeds = mixed.seeds(people, CONNECTIONS)
            found = run_load(LoadPlan(mixed.ENTRY.name, server.port, PART_SECONDS, seeds))
            course.requests += found.requests
            for error, times in found.errors.items():
                course.errors[error] = course.errors.get(error, 0) + times
            course.after_mb.append(server.rss_mb()[0])
    return course
