"""ficha restore: puts a backup back."""

from pathlib import Path
from typing import Annotated

import typer

from ficha.cli.rich_console import AsJson, print_faults, print_json, progress_bars, rich_console
from ficha.core.settings import Settings


def restore(
    file: Annotated[Path, typer.Argument(help="An archive that `ficha backup` made.")],
    replace: Annotated[bool, typer.Option("--replace", help="Replace a database that has data.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Restore into a place apart, verify, change nothing.")
    ] = False,
    accept_faults: Annotated[
        bool, typer.Option("--accept-faults", help="Also when its log is not whole; they are printed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup back.

    Into the database and data folder of the settings. Stop the service first. Every hash and the log are verified in
    a place apart; only then is the service's place taken, at one moment. What
    waited to be sent when the backup was made is sent when the service starts: see `ficha jobs list`.

    Example: ficha restore /mnt/backups/ficha-20261116-031500.zip --replace
    """
    from ficha.backup.restoring import Choices, LogBroken
    from ficha.backup.restoring import restore as run

    console = rich_console(stderr=True)
    try:
        with progress_bars() as show:
            done = run(Settings(), file, show, Choices(replace=replace, only_try=dry_run, accept_faults=accept_faults))
    except LogBroken as broken:
        print_faults(broken.faults, as_json=as_json)
        raise
    if done.faults and not as_json:
        print_faults(done.faults, as_json=False)
    if as_json:
        print_json(
            {
                "made_at": done.manifest.made_at.isoformat(),
                "entries": done.entries,
                "pending_reads": done.pending_reads,
                "faults": [fault._asdict() for fault in done.faults],
                "restored": done.is_in_place,
                "old_database": str(done.old_database) if done.old_database else None,
            }
        )
        return
    what = "Restored" if done.is_in_place else "Tried"
    console.print(f"{what} the backup of {done.manifest.made_at:%Y-%m-%d %H:%M} UTC.", highlight=False)
    console.print(f"Every hash fits; the log has {done.entries} entries, {len(done.faults)} of them broken.")
    if done.old_database is not None:
        console.print(f"The database that was here is now {done.old_database}", highlight=False, soft_wrap=True)
