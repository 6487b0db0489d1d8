"""ficha keys: the master key that closes every data key, and the keys that sign stickers."""

from typing import Annotated

import typer

from ficha.cli.opened_parts import migrated_settings, writing_parts
from ficha.cli.rich_console import rich_console
from ficha.core.settings import Settings

app = typer.Typer(help="Master keys, and the keys that sign stickers.", no_args_is_help=True)


@app.command()
def create() -> None:
    """Make the key file that production needs. Back it up: without it nothing opens again.

    Example: FICHA_ENV=production ficha keys create
    """
    from ficha.core.key_sources import create_key_file

    settings = Settings()
    console = rich_console(stderr=True)
    if settings.key_path.exists():
        console.print(f"[red]{settings.key_path} exists already. Use `ficha keys rotate` for a new key.[/red]")
        raise typer.Exit(1)
    create_key_file(settings.key_path, made_for=settings.env.value)
    console.print(f"Made {settings.key_path} (mode 0600). Back it up now, away from the database.")


@app.command()
def rotate() -> None:
    """Put a new master key in front and wrap every data key with it, while the service runs.

    With keys from FICHA_MASTER_KEYS, put the new one first, restart the processes, then run this.

    Example: ficha keys rotate
    """
    from rich.progress import Progress

    import ficha.tables  # noqa: F401  Every table with keys must be known.
    from ficha.core.key_sources import add_key
    from ficha.core.key_rotation import count_stale, rewrap
    from ficha.parts import build_parts

    console = rich_console(stderr=True)
    parts = build_parts(migrated_settings())
    if parts.keyring.file is not None:
        console.print(f"New master key {add_key(parts.keyring.file)}.")
    with Progress(console=console) as progress:
        bar = progress.add_task("Wrapping data keys", total=count_stale(parts.database, parts.keyring))
        rewrap(parts.database, parts.keyring, lambda count: progress.update(bar, advance=count))
    console.print("Done. Older keys are kept for backups; `ficha keys drop` forgets them.")


@app.command()
def drop(
    older_than: Annotated[int | None, typer.Option(min=0, help="Only those replaced this many days ago.")] = None,
) -> None:
    """Forget every master key but the newest. Backups made under the others cannot be opened any more.

    Run it each month after `ficha keys rotate`: who was erased is then erased in backups too, after that many days.

    Example: ficha keys drop --older-than 30
    """
    from datetime import timedelta

    import ficha.tables  # noqa: F401
    from ficha.core.key_sources import drop_keys, keys_replaced_before
    from ficha.core.key_rotation import count_stale
    from ficha.parts import build_parts

    console = rich_console(stderr=True)
    parts = build_parts(migrated_settings())
    if parts.keyring.file is None:
        console.print("[red]The keys come from FICHA_MASTER_KEYS: remove the old ones there.[/red]")
        raise typer.Exit(1)
    stale = count_stale(parts.database, parts.keyring)
    parts.database.close()
    if stale:
        console.print("[red]Some data keys still need an older master key. Run `ficha keys rotate` first.[/red]")
        raise typer.Exit(1)
    old = set(parts.keyring.ids[1:])
    if older_than is not None:
        old &= keys_replaced_before(parts.keyring.file, parts.clock.now() - timedelta(days=older_than))
    drop_keys(parts.keyring.file, old)
    console.print(f"Forgot {len(old)} older key(s).")


@app.command()
def add_signing() -> None:
    """Make a new key for what stickers say without a network. It is published at once and signs after a week.

    Phones that keep the list of keys have it by then. Stickers that older keys signed go on being good.

    Example: ficha keys add-signing
    """
    from ficha.fmd.offline.keys import LEAD, add_signing_key, signing_key

    with writing_parts() as (parts, tx):
        now = parts.clock.now()
        new = add_signing_key(tx, parts.keyring, now)
        signs = signing_key(tx, parts.keyring, now)
    # The first of all has nobody to wait for.
    since = "now on" if signs.id == new.id else f"{now + LEAD:%Y-%m-%d} on; until then {signs.id} does"
    rich_console(stderr=True).print(f"New signing key {new.id}, published now. It signs from {since}.", highlight=False)


@app.command()
def forget_signing(
    key_id: Annotated[str, typer.Argument(help="Its `kid` at /.well-known/ficha-keys.json.")],
) -> None:
    """For a key that was stolen: it is published no more, and every sticker it signed is refused without a network.

    Those stickers still open with a network, and must be printed again.

    Example: ficha keys forget-signing 1f2e3d4c
    """
    from ficha.fmd.offline.keys import forget_signing_key, signing_keys

    console = rich_console(stderr=True)
    with writing_parts() as (parts, tx):
        if key_id not in {key.id for key in signing_keys(tx, parts.keyring)}:
            console.print(f"[red]No signing key {key_id} is published.[/red]", highlight=False)
            raise typer.Exit(1)
        forget_signing_key(tx, key_id)
    console.print(f"Forgot {key_id}. A phone learns of it when it next has a network.", highlight=False)
