"""python -m bench: measure all entries or some, on one database or both; or what a start costs."""

import os
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bench.processes import DidNotStart, stop_once

START = "start"


class Database(StrEnum):
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    BOTH = "both"


Names = Annotated[list[str] | None, typer.Argument(help="Entries, by default all; or `start` alone.")]
Seconds = Annotated[float, typer.Option(help="Length of each round.", min=0.2)]
Connections = Annotated[int, typer.Option(help="Keep-alive connections, one request under way on each.", min=1)]
Rounds = Annotated[int, typer.Option(help="Rounds for each contender; medians are reported.", min=3)]
Where = Annotated[Database, typer.Option(help="Which database.")]


def main(
    names: Names = None,
    seconds: Seconds = 4,
    connections: Connections = 16,
    rounds: Rounds = 3,
    database: Where = Database.BOTH,
) -> None:
    """Measure the service beside a bare handler that does the same SQL.

    Example: python -m bench me renew --seconds 2 --database sqlite
    """
    console = Console(width=None if os.isatty(1) else 120)
    stop_once()
    try:
        if names == [START]:
            from bench.start import measure_start

            good = measure_start(console)
        else:
            good = _measure(console, names or [], seconds, connections, rounds, database)
    except DidNotStart as fault:
        console.print(f"[red]A server did not start:[/red] {fault}", highlight=False)
        good = False
    except KeyboardInterrupt:
        console.print("Stopped; nothing is left running.")
        raise typer.Exit(130) from None
    if not good:
        raise typer.Exit(1)


def _measure(
    console: Console, names: list[str], seconds: float, connections: int, rounds: int, database: Database
) -> bool:
    from bench import plot, report
    from bench.entries import ENTRIES
    from bench.places import place
    from bench.rounds import Plan, measure

    unknown = [name for name in names if name not in ENTRIES]
    if unknown:
        raise typer.BadParameter(f"No entry {', '.join(unknown)}. There are: {', '.join(ENTRIES)}, {START}.")
    databases = ["sqlite", "postgresql"] if database is Database.BOTH else [database.value]
    plan = Plan([ENTRIES[name] for name in names or ENTRIES], databases, seconds, connections, rounds)
    load_before = os.getloadavg()[0]
    results, ceilings = [], {}
    columns = (TextColumn("{task.description:<42}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeElapsedColumn(), console=console, refresh_per_second=2) as progress:
        task = progress.add_task("", total=plan.steps + 1)

        def tell(what: str) -> None:
            progress.update(task, description=what, advance=1)

        for name in plan.databases:
            with place(name) as here:
                found, ceilings[name] = measure(plan, here, tell)
                results.extend(found)
        tell("done")
    report.show(console, results, ceilings)
    file = report.write(plan, results, ceilings, load_before)
    picture = file.with_suffix(".png")
    plot.draw(results, picture)
    console.print(f"Written: {file} and {picture.name}")
    return not any(result.faults for result in results)


if __name__ == "__main__":
    typer.run(main)
