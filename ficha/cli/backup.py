"""ficha backup: an archive of everything, and the drill that shows that it can be put back."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import AsJson, print_json, progress_bars, rich_console

if TYPE_CHECKING:
    from ficha.backup.archive import Manifest
    from ficha.parts import Parts

KEYS_WARNING = (
    "This archive holds the master keys: whoever has it can read every record. Keep it as you keep the keys themselves."
)

app = typer.Typer(invoke_without_command=True)


@app.callback()
def backup(
    context: typer.Context,
    to: Annotated[Path, typer.Option(help="A folder, or the archive's name; it must not exist.")] = Path(),
    with_keys: Annotated[bool, typer.Option("--with-keys", help="Also the master keys: read the warning.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the database and the files.

    Into one archive, of one moment, while the service runs. The master keys are NOT in it: keep a copy of the key
    file elsewhere. Without it the archive is noise.

    Example: ficha backup --to /mnt/backups
    """
    if context.invoked_subcommand is not None:
        return
    from ficha.backup.making import backup_in, make_backup

    parts = _parts()
    target = backup_in(to, parts.clock.now()) if to.is_dir() else to
    with progress_bars() as show:
        manifest = make_backup(parts, target, show, with_keys=with_keys)
    parts.database.close()
    if with_keys:
        rich_console(stderr=True).print(f"[red]{KEYS_WARNING}[/red]")
    if as_json:
        print_json(_summary(manifest) | {"file": str(target), "bytes": target.stat().st_size})
    else:
        size = target.stat().st_size / 1e6
        rich_console(stderr=True).print(f"Made {target} ({size:.1f} MB).", highlight=False, soft_wrap=True)


@app.command()
def drill(as_json: AsJson = False) -> None:
    """Try a backup, and print how long it takes.

    Backs up, restores into a place apart and verifies it there; nothing is kept. The service may be running. Run it
    each month: a backup that was never restored is a hope.

    Example: ficha backup drill
    """
    from ficha.backup.files import working_folder
    from ficha.backup.making import make_backup
    from ficha.backup.restoring import Choices, restore

    parts = _parts()
    with working_folder(parts.settings.data_dir) as folder, progress_bars() as show:
        began = time.monotonic()
        manifest = make_backup(parts, folder / "drill.zip", show)
        middle = time.monotonic()
        size = (folder / "drill.zip").stat().st_size
        restored = restore(parts.settings, folder / "drill.zip", show, Choices(only_try=True))
        end = time.monotonic()
    parts.database.close()
    seconds = {"backup_seconds": round(middle - began, 2), "restore_seconds": round(end - middle, 2)}
    counts = {"bytes": size, "entries": restored.entries, "pending_reads": restored.pending_reads}
    if as_json:
        print_json(_summary(manifest) | counts | seconds)
        return
    rich_console(stderr=True).print(
        f"The backup ({size / 1e6:.1f} MB) took {middle - began:.1f} s, restoring and verifying {end - middle:.1f} s. "
        f"Every hash fits, and the log is whole: {restored.entries} entries.",
        highlight=False,
    )


def _parts() -> "Parts":
    from ficha.parts import build_parts

    parts = build_parts(migrated_settings())
    parts.secrets.ensure_root()
    return parts


def _summary(manifest: "Manifest") -> dict[str, Any]:
    return {
        "made_at": manifest.made_at.isoformat(),
        "engine": manifest.engine,
        "version": manifest.version,
        "members": len(manifest.members),
    }
