"""ficha audit: whether the log of who saw or changed a record is whole."""

from pathlib import Path
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
    copies: Annotated[Path | None, typer.Option(help="Anchors kept elsewhere: a folder or a published file.")] = None,
) -> None:
    """Check every entry's hash and place, what anchors know of the log, and the triggers that guard it.

    Exit code 1, and a row for each, when anything was altered, removed or replaced. The service may be running.

    Example: ficha audit verify --copies /mnt/elsewhere/anchors
    """
    from rich.progress import Progress

    from ficha.audit.anchors import AnchorKey
    from ficha.audit.log import entries_of
    from ficha.audit.verify import count_entries, verify_all, verify_record
    from ficha.audit.verify_anchors import verify_anchors, verify_copies
    from ficha.audit.verify_guards import verify_guards
    from ficha.core.crypto import Tampered
    from ficha.core.secrets import KeyDestroyed
    from ficha.parts import build_parts

    console = rich_console(stderr=True)
    parts = build_parts(migrated_settings())
    places = [parts.settings.anchor_path, *([copies] if copies else [])]
    rows: list[tuple[str, str, str]] = []
    try:
        with parts.database.reading() as session:
            if record is not None and not entries_of(session, record, limit=1) and not verify_record(session, record):
                console.print(f"The log has no record {record}.")
                raise typer.Exit(1)
            if record is not None:
                broken = verify_record(session, record)
            else:
                with Progress(console=console) as progress:
                    bar = progress.add_task("Verifying", total=count_entries(session))
                    broken = verify_all(session, lambda count: progress.update(bar, advance=count))
                key = AnchorKey(parts.secrets)
                anchors = verify_anchors(session, key, parts.clock.now())
                anchors += [fault for place in places for fault in verify_copies(session, key, place)]
                rows += [("", f"anchor {anchor.number}", anchor.fault.value) for anchor in anchors]
                rows += [("", guard.trigger, guard.fault.value) for guard in verify_guards(session)]
            rows = [(str(entry.record_id), str(entry.seq), entry.fault.value) for entry in broken] + rows
    except (KeyDestroyed, Tampered):
        console.print("[red]The key of the log does not open: another key file, or its row was altered.[/red]")
        raise typer.Exit(1) from None
    finally:
        parts.database.close()
    if not rows:
        console.print("The log is whole.")
        return
    _print_rows(rows)
    console.print(f"[red]{len(rows)} broken.[/red]")
    raise typer.Exit(1)


@app.command()
def anchor() -> None:
    """Sign the ends of the log now, as a job does every hour, and copy what was signed to the folder apart.

    Example: ficha audit anchor
    """
    from ficha.audit.jobs import AuditJobs
    from ficha.parts import build_parts

    parts = build_parts(migrated_settings())
    parts.secrets.ensure_root()
    made = AuditJobs(parts.database, parts.secrets, parts.clock, parts.settings).anchor()
    parts.database.close()
    said = "Nothing new to sign." if made is None else f"Signed anchor {made.number}."
    rich_console(stderr=True).print(f"{said} Copies: {parts.settings.anchor_path}", highlight=False, soft_wrap=True)


def _print_rows(rows: list[tuple[str, str, str]]) -> None:
    from rich.table import Table

    table = Table("Record", "Entry", "What is wrong")
    for row in rows:
        table.add_row(*row)
    rich_console().print(table)
