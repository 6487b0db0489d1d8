"""python -m bench: measure all entries or some, on one database or both; or what a start costs, or growing.

`python -m bench seed` fills a database, `python -m bench growth` measures with few records and with many,
`python -m bench scale` what a record, a scan and a job cost, and `python -m bench memory` whether memory grows.
"""

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bench.processes import DidNotStart, stop_on_signal
from bench.progress import show_progress

if TYPE_CHECKING:
    from bench.rounds import Plan

START = "start"
MESSAGES = "messages"
HANGING = "hanging"
WEBHOOKS = "webhooks"
PICTURES = "pictures"
PRINTING = "printing"
EXCHANGE = "exchange"
ALONE = (START, MESSAGES, HANGING, PICTURES, PRINTING, EXCHANGE)


class Database(StrEnum):
    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    BOTH = "both"


Names = Annotated[
    list[str] | None,
    typer.Argument(
        help="Entries, by default all; or alone: start, messages, hanging, webhooks, pictures, printing, exchange."
    ),
]
Seconds = Annotated[float, typer.Option(help="Length of each round.", min=0.2)]
Connections = Annotated[int, typer.Option(help="Keep-alive connections, one request under way on each.", min=1)]
Rounds = Annotated[int, typer.Option(help="Rounds for each contender; medians are reported.", min=3)]
Where = Annotated[Database, typer.Option(help="Which database.")]
Against = Annotated[str, typer.Option(help="Another commit, measured in turns with this one instead of the floor.")]
Records = Annotated[int, typer.Option(help="How many records to add.", min=1)]
Address = Annotated[str, typer.Option(help="sqlite:///… or postgresql://…; empty means as FICHA_* says.")]
Minutes = Annotated[float, typer.Option(help="Of load for each database.", min=2)]
Sizes = Annotated[str, typer.Option(help="Numbers of records, separated by commas.")]


def main(
    names: Names = None,
    seconds: Seconds = 4,
    connections: Connections = 16,
    rounds: Rounds = 3,
    database: Where = Database.BOTH,
    against: Against = "",
) -> None:
    """Measure the service beside a bare handler that does the same SQL, or beside another commit of itself.

    Example: python -m bench me renew --seconds 2 --database sqlite
    """
    console = _console()
    stop_on_signal()
    try:
        if names == [START]:
            from bench.start import measure_start

            good = measure_start(console)
        elif names == [MESSAGES]:
            from bench.messages import measure_messages

            good = (
                _measure_messages_against(console, _names_of(database), against, rounds)
                if against
                else measure_messages(console, _names_of(database))
            )
        elif names == [HANGING]:
            from bench.hanging import measure_hanging

            good = measure_hanging(console, _names_of(database))
        elif names == [WEBHOOKS]:
            from bench.webhooks import measure_webhooks

            good = measure_webhooks(console, _names_of(database))
        elif names == [PICTURES]:
            from bench.pictures import measure_pictures

            good = measure_pictures(console, _names_of(database))
        elif names == [PRINTING]:
            from bench.printing import measure_printing

            good = measure_printing(console)
        elif names == [EXCHANGE]:
            from bench.exchange import measure_exchange

            good = measure_exchange(console)
        else:
            good = _measure(console, _plan(names or [], seconds, connections, rounds, database), against)
    except DidNotStart as fault:
        console.print(f"[red]A server did not start:[/red] {fault}", highlight=False)
        good = False
    except KeyboardInterrupt:
        console.print("Stopped; nothing is left running.")
        raise typer.Exit(130) from None
    if not good:
        raise typer.Exit(1)


def _measure_messages_against(console: Console, databases: list[str], against: str, rounds: int) -> bool:
    from bench.messages_against import measure_messages_against
    from bench.worktree import DidNotSeed, NoSuchCommit

    try:
        return measure_messages_against(console, databases, against, rounds)
    except NoSuchCommit as fault:
        raise typer.BadParameter(f"--against {against}: {fault}") from None
    except DidNotSeed as fault:
        console.print(f"[red]The code of {against} could not send its messages:[/red] {fault}", highlight=False)
        return False


def _plan(names: list[str], seconds: float, connections: int, rounds: int, database: Database) -> "Plan":
    from bench.entries import ENTRIES
    from bench.rounds import Plan

    unknown = [name for name in names if name not in ENTRIES]
    if unknown:
        raise typer.BadParameter(f"No entry {', '.join(unknown)}. There are: {', '.join([*ENTRIES, *ALONE])}.")
    return Plan([ENTRIES[name] for name in names or ENTRIES], _names_of(database), seconds, connections, rounds)


def _measure(console: Console, plan: "Plan", against: str) -> bool:
    from bench import plot, report
    from bench.against import measure_against
    from bench.databases import open_database
    from bench.rounds import measure
    from bench.worktree import DidNotSeed, NoSuchCommit

    if against:
        try:
            return measure_against(console, plan, against)
        except NoSuchCommit as fault:
            raise typer.BadParameter(f"--against {against}: {fault}") from None
        except DidNotSeed as fault:
            console.print(f"[red]The code of {against} could not fill its database:[/red] {fault}", highlight=False)
            return False
    load_before = os.getloadavg()[0]
    results, ceilings = [], {}
    with show_progress(plan.steps) as report_step:
        for name in plan.databases:
            with open_database(name) as opened:
                found, ceilings[name] = measure(plan, opened, report_step)
                results.extend(found)
    report.show(console, results, ceilings)
    file = report.write(plan, results, ceilings, load_before)
    picture = file.with_suffix(".png")
    plot.draw(results, picture)
    console.print(f"Written: {file} and {picture.name}")
    return not any(result.faults for result in results)


def seed(records: Records = 1_000, database: Address = "") -> None:
    """Add people with an encrypted record each, a realistic share of its models filled in.

    Example: python -m bench seed --records 100000 --database sqlite:///large.db
    """
    from pydantic import SecretStr

    from bench.growth import add_records
    from ficha.core.settings import Settings
    from ficha.migrations import migrate
    from ficha.parts import build_parts

    console = _console()
    settings = Settings(database_url=SecretStr(database)) if database else Settings()
    parts = build_parts(settings)
    migrate(parts.database)
    owners = add_records(console, parts, records)
    parts.database.close()
    console.print(f"Keys: {settings.key_path}. One of them: GET /v2/fmd/{owners[0].code} with Bearer {owners[0].token}")


def growth(
    sizes: Sizes = "1000,100000",
    seconds: Seconds = 3,
    connections: Connections = 1,
    database: Where = Database.BOTH,
) -> None:
    """Measure two reads with few records and with many.

    Example: python -m bench growth --sizes 1000,1000000 --database sqlite
    """
    from bench.growth import measure_growth

    stop_on_signal()
    numbers = [int(size) for size in sizes.replace("_", "").split(",")]
    try:
        measure_growth(_console(), _names_of(database), numbers, seconds, connections)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def scale(sizes: Sizes = "20000,100000", seconds: Seconds = 5, database: Where = Database.BOTH) -> None:
    """Measure what a record, a scan and a job cost: bytes and CPU.

    Example: python -m bench scale --sizes 20000,100000
    """
    from bench.scale import measure_scale

    stop_on_signal()
    numbers = [int(size) for size in sizes.replace("_", "").split(",")]
    try:
        measure_scale(_console(), _names_of(database), numbers, seconds)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def memory(minutes: Minutes = 10, database: Where = Database.BOTH) -> None:
    """Ask for a mix of everything and look at the worker's memory every half minute.

    Example: python -m bench memory --minutes 10 --database sqlite
    """
    from bench.memory import measure_memory

    console = _console()
    stop_on_signal()
    try:
        good = measure_memory(console, _names_of(database), minutes)
    except DidNotStart as fault:
        console.print(f"[red]A server did not start:[/red] {fault}", highlight=False)
        good = False
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    if not good:
        raise typer.Exit(1)


def _names_of(database: Database) -> list[str]:
    return ["sqlite", "postgresql"] if database is Database.BOTH else [database.value]


def _console() -> Console:
    return Console(width=None if os.isatty(1) else 120)


COMMANDS: dict[str, Callable[..., None]] = {"seed": seed, "growth": growth, "scale": scale, "memory": memory}

if __name__ == "__main__":
    # Entries are named without a command; these commands have options of their own.
    typer.run(COMMANDS[sys.argv.pop(1)] if sys.argv[1:2] and sys.argv[1] in COMMANDS else main)
