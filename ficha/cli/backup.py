"""ficha backup: an archive of everything, and the drill that shows that it can be put back. ficha restore: does so."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ficha.cli.opened_parts import parts_to_back_up, working_settings
from ficha.cli.rich_console import AsJson, print_faults, print_json, progress_bars, refuse, tell

if TYPE_CHECKING:
    from ficha.backup.archive import Manifest

KEYS_WARNING = (
    "This archive holds the master keys: whoever has it can read every record. Keep it as you keep the keys themselves."
)

app = typer.Typer(invoke_without_command=True)


@app.callback()
def backup(
    context: typer.Context,
    to: Annotated[Path, typer.Option(help="A folder, or the archive's name: .zip, and it must not exist.")] = Path(),
    with_keys: Annotated[bool, typer.Option("--with-keys", help="Also the master keys: read the warning.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the database and the files.

    Into one archive, of one moment, while the service runs. The master keys are NOT in it: keep a copy of the key
    file elsewhere. Without it the archive is noise. The database may still be of the version before: back up before you
    migrate.

    Example: ficha backup --to /mnt/backups
    """
    if context.invoked_subcommand is not None:
        return
    from ficha.backup.making import backup_in, make_backup

    with parts_to_back_up() as parts, progress_bars() as show:
        if not to.exists() and to.suffix != ".zip":
            refuse(
                f"There is no folder {to}. Make it, or mount its disk; the name of an archive ends with .zip.", code=2
            )
        target = backup_in(to, parts.clock.now()) if to.is_dir() else to
        manifest = make_backup(parts, target, show, with_keys=with_keys)
    if with_keys:
        tell(f"[red]{KEYS_WARNING}[/red]")
    if as_json:
        print_json(_summary(manifest) | {"file": str(target), "bytes": target.stat().st_size})
    else:
        tell(f"Made {target} ({target.stat().st_size / 1e6:.1f} MB).")


@app.command()
def drill(as_json: AsJson = False) -> None:
    """Try a backup, and print how long it takes.

    Backs up, restores into a place apart and verifies it there; nothing is kept. The service may be running. Run it
    each month: a backup that was never restored is a hope.

    Example: ficha backup drill
    """
    from ficha.backup.files import working_folder
    from ficha.backup.making import make_backup
    from ficha.backup.restoring import RestoreChoices, restore

    with parts_to_back_up() as parts, working_folder(parts.settings.data_dir) as folder, progress_bars() as show:
        began = time.monotonic()
        manifest = make_backup(parts, folder / "drill.zip", show)
        middle = time.monotonic()
        size = (folder / "drill.zip").stat().st_size
        restored = restore(parts.settings, folder / "drill.zip", show, RestoreChoices(only_try=True))
        end = time.monotonic()
    seconds = {"backup_seconds": round(middle - began, 2), "restore_seconds": round(end - middle, 2)}
    counts = {"bytes": size, "entries": restored.entries, "pending_reads": restored.pending_reads}
    if as_json:
        print_json(_summary(manifest) | counts | seconds)
        return
    tell(
        f"The backup ({size / 1e6:.1f} MB) took {middle - began:.1f} s, restoring and verifying {end - middle:.1f} s. "
        f"Every hash fits, and the log is whole: {restored.entries} entries."
    )


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
    from ficha.backup.restoring import LogBroken, RestoreChoices
    from ficha.backup.restoring import restore as put_back

    try:
        with progress_bars() as show:
            done = put_back(
                working_settings(),
                file,
                show,
                RestoreChoices(replace=replace, only_try=dry_run, accept_faults=accept_faults),
            )
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
    tell(f"{what} the backup of {done.manifest.made_at:%Y-%m-%d %H:%M} UTC.")
    tell(f"Every hash fits; the log has {done.entries} entries, {len(done.faults)} of them broken.")
    if done.old_database is not None:
        tell(f"The database that was here is now {done.old_database}")


def _summary(manifest: "Manifest") -> dict[str, Any]:
    return {
        "made_at": manifest.made_at.isoformat(),
        "engine": manifest.engine,
        "version": manifest.version,
        "members": len(manifest.members),
    }
