"""ficha audit: whether the log of who saw or changed a record is whole."""

from pathlib import Path
from typing import Annotated

import typer

from ficha.cli.opened_parts import opened_parts
from ficha.cli.rich_console import MAX_ID, AsJson, Counter, print_faults, print_json, progress_bars, refuse, tell

app = typer.Typer(help="The log of who saw or changed what.", no_args_is_help=True)


@app.command()
def verify(
    record: Annotated[int | None, typer.Option(min=1, max=MAX_ID, help="Only this record (its fmd_code).")] = None,
    copies: Annotated[Path | None, typer.Option(help="Anchors kept elsewhere: a folder or a published file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check every entry's hash and place, what anchors know of the log, and the triggers that guard it.

    Exit code 1, and a row for each, when anything was altered, removed or replaced. The service may be running.

    Example: ficha audit verify --copies /mnt/elsewhere/anchors
    """
    from ficha.audit.anchors import holds_copies
    from ficha.audit.log import entries_of
    from ficha.audit.verify_entries import count_entries, verify_record
    from ficha.audit.verify_log import NOT_VOUCHED_FOR, told_entries, verify_log
    from ficha.core.crypto import MasterKeyMissing, Tampered
    from ficha.core.secrets import KeyDestroyed

    if record is not None and copies is not None:
        raise typer.BadParameter("Copies are of the whole log: leave out --record.")
    try:
        with opened_parts(makes_secrets=False) as parts:
            if copies is not None and not holds_copies(copies):
                refuse(f"There is no copy of an anchor at {copies}.", code=2)
            if record is None:
                paths = [parts.settings.anchor_path, *([copies] if copies else [])]
                with progress_bars() as show, parts.database.reading() as tx:
                    count = Counter("Verifying", count_entries(tx), show)
                    faults = verify_log(parts.database, parts.secrets, parts.clock.now(), paths, count.add)
            else:
                with parts.database.reading() as tx:
                    faults = told_entries(tx, verify_record(tx, record))
                    if not faults and not entries_of(tx, record, limit=1):
                        refuse(f"The log has no record {record}.")
    except (KeyDestroyed, MasterKeyMissing, Tampered):
        refuse("The key of the log does not open: another key file, or its row was altered.")
    print_faults(faults, as_json=as_json)
    broken = [fault for fault in faults if fault.fault != NOT_VOUCHED_FOR]
    if len(broken) < len(faults):
        tell(
            "[yellow]Entries from before the log had a key wait for the first anchor. After an upgrade from such a "
            "version, run `ficha audit anchor` once, then verify again. If there was no upgrade, somebody rewrote "
            "them: do not run it, and compare with a backup.[/yellow]"
        )
    if broken:
        tell(f"[red]{len(broken)} broken.[/red]")
    elif not faults:
        tell("The log is whole.")
    raise typer.Exit(1 if faults else 0)


@app.command()
def anchor(as_json: AsJson = False) -> None:
    """Sign the ends of the log now, as a job does every hour, and copy what was signed to the folder apart.

    Example: ficha audit anchor
    """
    from ficha.audit.jobs import AuditJobs

    with opened_parts() as parts:
        made = AuditJobs(parts.database, parts.secrets, parts.clock, parts.settings).anchor()
    if as_json:
        print_json({"signed": made.number if made else None, "copies": str(parts.settings.anchor_path)})
        return
    said = "Nothing new to sign." if made is None else f"Signed anchor {made.number}."
    tell(f"{said} Copies: {parts.settings.anchor_path}")
