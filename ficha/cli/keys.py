"""ficha keys: the master key that closes every data key, and the keys that sign stickers and Health Cards."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NoReturn

import typer

from ficha.cli.opened_parts import opened_parts, working_settings, writing_parts
from ficha.cli.rich_console import AsJson, Counter, print_json, print_rows, progress_bars, refuse, tell

# A process that says nothing for half a minute is not counted as alive any more.
SWITCH_SECONDS = 60
ASK_SECONDS = 0.2

app = typer.Typer(help="Master keys, and the keys that sign stickers and Health Cards.", no_args_is_help=True)


@app.command()
def create() -> None:
    """Make the key file that production needs. Back it up: without it nothing opens again.

    Example: FICHA_ENV=production ficha keys create
    """
    from ficha.core.key_sources import create_key_file

    settings = working_settings()
    if settings.key_path.exists():
        refuse(f"{settings.key_path} exists already. Use `ficha keys rotate` for a new key.")
    create_key_file(settings.key_path, made_for=settings.env.value)
    tell(f"Made {settings.key_path} (mode 0600). Back it up now, away from the database.")


@app.command()
def announce() -> None:
    """First half of a rotation on several machines: a new master key is announced, and wraps nothing yet.

    With a key file, the key is made and put into the file of this machine: copy that to the others. With
    FICHA_MASTER_KEYS or its command, put the key there first. Every process says when it has it: `ficha keys status`.

    Example: ficha keys announce
    """
    from ficha.core.key_rotation import next_key

    with opened_parts() as parts, _no_new_key_is_said():
        key_id = next_key(parts.database, parts.keyring, parts.clock.now())
        tell(f"Master key {key_id} is announced, and wraps nothing yet.")
        if parts.keyring.file is not None:
            tell(f"It is in {parts.keyring.file}: copy that file to every other machine.")
    tell("`ficha keys status` says who has it; then run `ficha keys rotate`.")


@app.command()
def status(as_json: AsJson = False) -> None:
    """The master keys, what each wraps, and the live processes that lack one. Exit code 1 if any does.

    Example: ficha keys status
    """
    import ficha.tables  # noqa: F401  Every table with keys must be known.
    from ficha.core.key_rotation import key_rows

    with opened_parts() as parts, parts.database.reading() as tx:
        rows = key_rows(tx, parts.keyring)
    if as_json:
        print_json([row._asdict() for row in rows])
    else:
        shown = [row._asdict() | {"missing_on": "\n".join(row.missing_on)} for row in rows]
        print_rows(shown, ("Key", "State", "Since", "Data keys", "Missing on"), as_json=False)
    raise typer.Exit(1 if any(row.missing_on for row in rows) else 0)


@app.command()
def rotate(
    wait: Annotated[int, typer.Option(min=0, help="Seconds for the processes to say that they have the key.")] = 60,
) -> None:
    """Replace the master key while the service runs: when every process has the new one, it wraps every data key.

    The key is the one that was announced; without any, a new one is made and announced, which is enough where all
    processes share one key file. Interrupted or refused, run it again: it goes on.

    Example: ficha keys rotate
    """
    import ficha.tables  # noqa: F401
    from ficha.core.key_rotation import (
        count_stale,
        is_under_way,
        next_key,
        rewrap_all,
        switch_to,
        wrapping_otherwise,
    )

    with opened_parts() as parts:
        database, keyring, clock = parts.database, parts.keyring, parts.clock
        if is_under_way(database, keyring, clock.now()):
            tell(f"Going on with the rotation to {keyring.current}.")
        else:
            with _no_new_key_is_said():
                key_id = next_key(database, keyring, clock.now())
            tell(f"New master key {key_id}.")
            lacking = _wait(lambda: switch_to(database, keyring, key_id, clock.now()), wait, "has it")
            if lacking:
                _refuse_for(
                    f"These processes do not have master key {key_id} yet:",
                    lacking,
                    f"Nothing was wrapped with it. Bring it there (from {keyring.source.name} on this machine), or stop"
                    " those processes; then run `ficha keys rotate` again.",
                )

        def wrap_otherwise() -> list[str]:
            with database.reading() as tx:
                return wrapping_otherwise(tx, keyring.current)

        others = _wait(wrap_otherwise, max(wait, SWITCH_SECONDS), "uses it")
        if others:
            _refuse_for("These processes still use an older key:", others, "Run `ficha keys rotate` again.")
        with progress_bars() as show:
            left = rewrap_all(database, keyring, Counter("Wrapping", count_stale(database, keyring), show).add)
    if left:
        _refuse_for(f"{left} data keys were being changed by others.", [], "Run `ficha keys rotate` again.")
    tell("Done. Older keys are kept for backups; `ficha keys drop` forgets them.")


@app.command()
def withdraw(key_id: Annotated[str, typer.Argument(help="As `ficha keys status` shows it.")]) -> None:
    """Take back a master key that was announced and wraps nothing yet. It is removed from the key file too.

    Example: ficha keys withdraw 1f2e3d4c
    """
    from ficha.core.key_sources import drop_keys
    from ficha.core.master_keys import announced_key, forget_keys

    with writing_parts() as (parts, tx):
        announced = announced_key(tx)
        if announced is None or announced.id != key_id:
            refuse(f"No key {key_id} is announced.")
        forget_keys(tx, {key_id})
        file, source = parts.keyring.file, parts.keyring.source.name
    if file is not None:
        drop_keys(file, {key_id})
    where = "the key files of other machines" if file is not None else source
    tell(f"Withdrew {key_id}. Remove it from {where} too.")


@app.command()
def drop(
    older_than: Annotated[
        int | None, typer.Option(min=0, max=9999, help="Only those replaced so many days ago.")
    ] = None,
) -> None:
    """Forget every master key that was replaced. Backups made under them cannot be opened any more.

    Run it each month after `ficha keys rotate`: who was erased is then erased in backups too, after that many days.

    Example: ficha keys drop --older-than 30
    """
    from datetime import timedelta

    import ficha.tables  # noqa: F401
    from ficha.core.key_rotation import count_stale, replaced_keys, wrapping_otherwise
    from ficha.core.key_sources import drop_keys
    from ficha.core.master_keys import forget_keys

    with writing_parts() as (parts, tx):
        keyring = parts.keyring
        if count_stale(parts.database, keyring) or wrapping_otherwise(tx, keyring.current):
            refuse("Some data still need an older master key. Run `ficha keys rotate` first.")
        before = None if older_than is None else parts.clock.now() - timedelta(days=older_than)
        old = replaced_keys(tx, keyring, before)
        forget_keys(tx, old)
    if keyring.file is not None:
        drop_keys(keyring.file, old)
        tell(f"Forgot {len(old)} older key(s). Copy {keyring.file} to the other machines.")
    else:
        named = ", ".join(sorted(old))
        tell(f"Forgot {len(old)} older key(s). Remove them from {keyring.source.name}: {named}")


@contextmanager
def _no_new_key_is_said() -> Iterator[None]:
    from ficha.core.key_rotation import NoNewKey

    try:
        yield
    except NoNewKey as refusal:
        refuse(str(refusal))


def _wait(ask: Callable[[], list[str]], seconds: float, what: str) -> list[str]:
    """Until nobody is left, and no longer than this. Who is left then."""
    deadline, is_told = time.monotonic() + seconds, False
    while (left := ask()) and time.monotonic() < deadline:
        if not is_told:
            tell(f"Waiting until every process says that it {what}.")
            is_told = True
        time.sleep(ASK_SECONDS)
    return left


def _refuse_for(title: str, names: list[str], advice: str) -> NoReturn:
    tell("\n".join([f"[red]{title}[/red]", *(f"  {name}" for name in names), advice]))
    raise typer.Exit(1)


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
    tell(f"New signing key {new.id}, published now. It signs from {since}.")


@app.command()
def forget_signing(
    key_id: Annotated[str, typer.Argument(help="Its `kid` at /.well-known/ficha-keys.json.")],
) -> None:
    """For a key that was stolen: it is published no more, and every sticker it signed is refused without a network.

    Those stickers still open with a network, and must be printed again.

    Example: ficha keys forget-signing 1f2e3d4c
    """
    from ficha.fmd.offline.keys import forget_signing_key, signing_keys

    with writing_parts() as (parts, tx):
        if key_id not in {key.id for key in signing_keys(tx, parts.keyring)}:
            refuse(f"No signing key {key_id} is published.")
        forget_signing_key(tx, key_id)
    tell(f"Forgot {key_id}. A phone learns of it when it next has a network.")


@app.command()
def add_issuer() -> None:
    """Make a new key for Health Cards, published at once; it signs after a day. What older ones signed stays good.

    A new one is made by itself each year. The private half of an older key is destroyed when the new one signs.

    Example: ficha keys add-issuer
    """
    from ficha.exchange.issuer_keys import LEAD, add_issuer_key, name_of_signing_key

    with writing_parts() as (parts, tx):
        now = parts.clock.now()
        new = add_issuer_key(tx, parts.keyring, now).kid
        signs = name_of_signing_key(tx, now)
    since = "now on" if signs == new else f"{now + LEAD:%Y-%m-%d %H:%M} on; until then {signs} does"
    said = f"New issuer key {new}, published now. It signs from {since}."
    tell(said)


@app.command()
def withdraw_issuer(kid: Annotated[str, typer.Argument(help="Its `kid` at /.well-known/jwks.json.")]) -> None:
    """For a key that somebody else has: it is published no more, and no Health Card that it signed counts any longer.

    The next card is signed with another key; who had one gets a new one in the same place.

    Example: ficha keys withdraw-issuer 3Kfdg-XwP-7gXyywtUfUADwBumDOPKMQx-iELL11W9s
    """
    from ficha.exchange.issuer_keys import NoSuchIssuerKey, withdraw_issuer_key

    try:
        with writing_parts() as (parts, tx):
            withdraw_issuer_key(tx, kid, parts.clock.now())
    except NoSuchIssuerKey:
        refuse(f"No issuer key {kid} is published.")
    tell(f"Withdrew {kid}: it is at /.well-known/jwks.json no more.")
