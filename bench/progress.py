"""How far a run is: a bar on a terminal, elsewhere a plain line for each part that is finished."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

# Called with the name of the part that begins, which ends the one before.
Report = Callable[[str], None]


@contextmanager
def show_progress(parts: int) -> Iterator[Report]:
    """For a run of so many parts. It is shown on stderr: stdout has the results alone."""
    with _bar(parts) if sys.stderr.isatty() else _lines(parts) as report:
        yield report


@contextmanager
def _bar(parts: int) -> Iterator[Report]:
    columns = (TextColumn("{task.description:<42}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), refresh_per_second=2) as progress:
        task = progress.add_task("", total=parts)
        has_begun = False

        def report(what: str) -> None:
            nonlocal has_begun
            progress.update(task, description=what, advance=1 if has_begun else 0)
            has_begun = True

        yield report
        progress.update(task, description="done", completed=parts)


@contextmanager
def _lines(parts: int) -> Iterator[Report]:
    began, finished, current = time.monotonic(), 0, ""

    def report(what: str) -> None:
        nonlocal began, finished, current
        now = time.monotonic()
        if current:
            finished += 1
            print(f"{finished}/{parts} {current}: {now - began:.1f} s", file=sys.stderr, flush=True)
        began, current = now, what

    yield report
    report("")
