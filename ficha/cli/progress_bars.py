"""Progress bars on standard error, so that standard output holds data only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ficha.cli.rich_console import rich_console

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
