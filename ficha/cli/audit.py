"""ficha audit: whether the log of who saw or changed a record is whole."""

from typing import Annotated

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import rich_console

app = typer.Typer(help="The log of who saw or changed what.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """The log of who saw or changed what."""


@app.command()
def verify(
    record: Annotated[int | None, typer.Option(help="Only this record (its fmd_code).")] = None,
) -> None:
    """Check every entry's seal and place. Exit code 1, and a row for each, when any was altered or removed.

    The service may be running. Entries cut off the end of a record's log leave no trace in it: compare with a backup.

    Example: ficha audit verify --record 1234567
    """
    from rich.progress import Progress
    from rich.table import Table

    from ficha.audit.log import entries_of
    from ficha.audit.verify import count_entries, verify_all, verify_record
    from ficha.core.db import Database

    console = rich_console(stderr=True)
    database = Database(migrated_settings().database)
    with database.reading() as session:
        if record is not None:
            if not entries_of(session, record, limit=1):
                console.print(f"The log has no record {record}.")
                raise typer.Exit(1)
            broken = verify_record(session, record)
        else:
            with Progress(console=console) as progress:
                bar = progress.add_task("Verifying", total=count_entries(session))
                broken = verify_all(session, lambda count: progress.update(bar, advance=count))
    database.close()
    if not broken:
        console.print("The log is whole.")
        return
    table = Table("Record", "Entry", "What is wrong")
    for entry in broken:
        table.add_row(str(entry.record_id), str(entry.seq), entry.fault.value)
    rich_console().print(table)
    console.print(f"[red]{len(broken)} broken.[/red]")
    raise typer.Exit(1)
