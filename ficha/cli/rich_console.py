"""What commands print: tables and colours by Rich, JSON for scripts, and progress on standard error, so that standard
output holds data only."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ficha.audit.verify_log import LogFault


# The largest number that a column of ours holds.
MAX_ID = 2**63 - 1
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]


def print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False, default=str) + "\n")


def print_result(data: Any, as_json: bool, sentence: str) -> None:
    """What was done: as data, or as a sentence."""
    if as_json:
        print_json(data)
    else:
        rich_console().print(sentence, markup=False, soft_wrap=True)


def rich_console(*, stderr: bool = False) -> "Console":
    # Loaded when something is printed: `ficha serve` does without Rich, which would be a twentieth of its start.
    from rich.console import Console

    return Console(stderr=stderr)


def tell(sentence: str) -> None:
    """What was done, beside the data."""
    rich_console(stderr=True).print(sentence, highlight=False, soft_wrap=True)


def refuse(sentence: str, code: int = 1) -> NoReturn:
    """Ends the command, and says why."""
    tell(f"[red]{sentence}[/red]")
    raise typer.Exit(code)


def print_rows(rows: "Sequence[Mapping[str, Any]]", columns: "Sequence[str]", *, as_json: bool) -> None:
    from rich.table import Table

    if as_json:
        print_json(rows)
        return
    table = Table(*columns)
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    rich_console().print(table)


def _cell(value: Any) -> str:
    from rich.markup import escape

    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return "" if value is None else escape(str(value))


def print_faults(faults: "Sequence[LogFault]", *, as_json: bool) -> None:
    from rich.table import Table

    if as_json:
        print_json({"is_whole": not faults, "faults": [fault._asdict() for fault in faults]})
    elif faults:
        table = Table("Record", "Entry", "What is wrong")
        for fault in faults:
            table.add_row(*fault)
        rich_console().print(table)


Show = Callable[[str, int, int], None]


@contextmanager
def progress_bars() -> Iterator[Show]:
    """Gives a function that shows what is under way, how much of it is done, and how much there is: a bar for each."""
    from rich.progress import Progress, TaskID

    bars: dict[str, TaskID] = {}
    with Progress(console=rich_console(stderr=True)) as progress:

        def show(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = progress.add_task(what, total=total)
            progress.update(bars[what], completed=done, total=total)

        yield show


class Counter:
    """For functions that say how many more are done."""

    def __init__(self, what: str, total: int, show: Show) -> None:
        self._what, self._total, self._show, self._done = what, total, show, 0

    def add(self, count: int) -> None:
        self._done += count
        self._show(self._what, self._done, self._total)
