"""ficha jobs: what waits, what died, and trying again."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ficha.cli.opened_parts import opened_database
from ficha.cli.rich_console import MAX_ID, AsJson, print_json, refuse, rich_console, tell

if TYPE_CHECKING:
    from ficha.jobs.kinds import DeadJob

app = typer.Typer(help="Work put aside: what waits, what died.", no_args_is_help=True)


@app.command("list")
def list_jobs(as_json: AsJson = False) -> None:
    """Show how many jobs wait, which kinds keep failing, and the dead letters.

    Example: ficha jobs list
    """
    from rich.table import Table

    from ficha.core.clock import SystemClock
    from ficha.jobs.queue import count_waiting, dead_jobs, failing_kinds, oldest_wait

    console = rich_console()
    with opened_database() as database, database.reading() as tx:
        counts = count_waiting(tx)
        behind = oldest_wait(tx, SystemClock().now())
        failing = failing_kinds(tx, SystemClock().now())
        dead = dead_jobs(tx)
    if as_json:
        kinds = [
            {"kind": kind, "waiting": counts.get(kind, 0), "failing": failing.get(kind, 0)}
            for kind in sorted(counts | failing)
        ]
        print_json({"behind_seconds": behind.total_seconds(), "kinds": kinds, "dead": [_dead_row(job) for job in dead]})
        return
    table = Table(
        "Kind", "Waiting", "Failing", title=f"Waiting (behind by {behind.total_seconds():.0f} s)", title_justify="left"
    )
    for kind in sorted(counts | failing):
        fails = failing.get(kind, 0)
        table.add_row(kind, str(counts.get(kind, 0)), f"[red]{fails}[/red]" if fails else "")
    console.print(table)
    dead_table = Table("Id", "Kind", "Attempts", "Error", "Died", title="Dead jobs", title_justify="left")
    for job in dead:
        dead_table.add_row(*(str(value or "") for value in _dead_row(job).values()))
    console.print(dead_table)


def _dead_row(job: "DeadJob") -> dict[str, Any]:
    died_at = job.died_at.isoformat(timespec="seconds") if job.died_at else None
    return {"id": job.id, "kind": job.kind, "attempts": job.attempts, "error": job.error, "died_at": died_at}


@app.command()
def retry(
    job_id: Annotated[int | None, typer.Argument(max=MAX_ID, help="A dead letter's id, or none with --all.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every dead letter.")] = False,
) -> None:
    """Try a dead letter again, with all its attempts.

    Example: ficha jobs retry 42
    """
    from ficha.jobs.queue import retry_all_dead, retry_dead

    with opened_database() as database, database.writing() as tx:
        if every:
            count = retry_all_dead(tx)
        elif job_id is not None:
            count = int(retry_dead(tx, job_id))
        else:
            raise typer.BadParameter("Give an id, or --all.")
    if job_id is not None and not count:
        refuse(f"There is no dead letter {job_id}. `ficha jobs list` shows them.")
    tell(f"{count} job(s) will be tried again.")


@app.command()
def discard(job_id: Annotated[int, typer.Argument(max=MAX_ID, help="A dead letter's id.")]) -> None:
    """Throw a dead letter away.

    Example: ficha jobs discard 42
    """
    from ficha.jobs.queue import discard_dead

    with opened_database() as database, database.writing() as tx:
        found = discard_dead(tx, job_id)
    if not found:
        refuse("There is no such dead letter.")
    tell("Discarded.")
