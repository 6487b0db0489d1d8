"""ficha codes: codes for stickers, in batches, and decoys."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ficha.cli.opened_parts import opened_database, opened_parts, writing_parts
from ficha.cli.rich_console import MAX_ID, AsJson, print_json, print_rows, progress_bars, rich_console, tell
from ficha.cli.signals import Interrupted

app = typer.Typer(help="Codes for stickers.", no_args_is_help=True)

BatchNumber = Annotated[int, typer.Argument(min=1, help="The batch's number.")]
# Who does it, in the ledger.
CLI = "cli"


@app.command()
def create(
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many.")] = 1,
    label: Annotated[str, typer.Option(help="What the batch is for.")] = "",
    batch: Annotated[int | None, typer.Option(min=1, max=MAX_ID, help="Go on with an interrupted batch.")] = None,
    as_json: AsJson = False,
) -> None:
    """Issue a batch of new codes, to be printed and claimed later: a code and the link of its QR a line.

    The link holds the sticker's secret tag. It is sealed until the batch's sheets are confirmed, at most seven days.

    Example: ficha codes create --count 24 --label "Colegio San José"
    """
    from ficha.cards.qr import link_of
    from ficha.products.batches import add_codes, batch_with, open_batch

    rows = []
    with opened_parts() as parts:
        now, days = parts.clock.now(), parts.settings.tag_days
        with parts.database.writing() as tx:
            if batch is None:
                opened = open_batch(tx, parts.keyring, count, now, by=CLI, tag_days=days, label=label[:80])
            else:
                opened = batch_with(tx, batch)
            number, wanted, left = opened.id, opened.count, opened.count - opened.made
        try:
            with progress_bars() as show:
                while left:
                    with parts.database.letting_others_write(), parts.database.writing() as tx:
                        new, left = add_codes(tx, parts.keyring, number, now)
                    links = {code: link_of(parts.settings.public_url, code, tag) for code, tag in new.items()}
                    if as_json:
                        rows += [{"code": code, "link": link, "batch": number} for code, link in links.items()]
                    else:
                        sys.stdout.writelines(f"{code}\t{link}\n" for code, link in links.items())
                    show("Issuing", wanted - left, wanted)
        except Interrupted:
            tell(f"Batch {number} lacks {left} of {wanted} codes. Go on with: ficha codes create --batch {number}")
            raise
    if as_json:
        print_json(rows)


@app.command()
def batches(as_json: AsJson = False) -> None:
    """List the last 200 batches, newest first.

    Example: ficha codes batches
    """
    from ficha.products.inventory import count_by_state, list_batches

    with opened_database() as database, database.reading() as tx:
        rows = [
            {
                "batch": batch.id,
                "label": batch.label,
                "count": batch.count,
                "made": batch.made,
                "made_at": batch.made_at.isoformat(timespec="seconds"),
                "has_tags": batch.has_tags,
                **{state.value: number for state, number in count_by_state(tx, batch.id).items()},
            }
            for batch in list_batches(tx, before=2**62, limit=200)
        ]
    print_rows(rows, tuple(rows[0]) if rows else ("batch",), as_json=as_json)


@app.command()
def sheet(
    batch: BatchNumber,
    out: Annotated[Path, typer.Option(help="The PDF to write; a large batch gets one for each thousand.")],
    format: Annotated[str, typer.Option(help="round, band, bike, helmet or wallet.")] = "round",
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
) -> None:
    """Write the sheets of a batch, as long as its tags are kept. Look at them, then confirm the batch.

    Example: ficha codes sheet 3 --out lote-3.pdf
    """
    from ficha.cards.batch_files import batch_sheet
    from ficha.cards.stickers import Paper, StickerFormat
    from ficha.products.batches import parts_of

    with opened_parts() as parts:
        with parts.database.reading() as tx:
            count = max(1, len(parts_of(tx, batch)))
        with progress_bars() as show:
            for part in range(1, count + 1):
                drawn = batch_sheet(
                    parts.database,
                    parts.keyring,
                    parts.settings.public_url,
                    batch,
                    parts.clock.now(),
                    part=part,
                    format=StickerFormat(format),
                    paper=Paper(paper),
                )
                file = out if count == 1 else out.with_stem(f"{out.stem}-{part}")
                file.touch(mode=0o600)
                file.write_bytes(drawn)
                show("Drawing", part, count)


@app.command()
def confirm(batch: BatchNumber) -> None:
    """The sheets of a batch are printed and good: destroy its tags.

    Example: ficha codes confirm 3
    """
    from ficha.products.inventory import confirm_sheet

    with writing_parts() as (parts, tx):
        confirm_sheet(tx, batch, parts.clock.now(), CLI)


@app.command()
def ship(batch: BatchNumber) -> None:
    """Write into the ledger that a batch was sent out.

    Example: ficha codes ship 3
    """
    from ficha.products.inventory import ship_batch

    with writing_parts() as (parts, tx):
        ship_batch(tx, batch, parts.clock.now(), CLI)


@app.command()
def void(
    batch: BatchNumber,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: this cannot be undone.")] = False,
) -> None:
    """Void what nobody has claimed of a batch: it can never be claimed, and its tags are destroyed.

    Example: ficha codes void 3
    """
    from ficha.products.inventory import void_batch

    if not yes:
        typer.confirm(f"Void batch {batch}? This cannot be undone", abort=True, err=True)
    with writing_parts() as (parts, tx):
        void_batch(tx, batch, parts.clock.now(), CLI)


@app.command()
def decoys(count: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 100) -> None:
    """Make codes that nobody is ever given: whoever types one is guessing, and staff hears of it at once.

    About nine for each live code let a guesser meet one before the second person.

    Example: ficha codes decoys --count 900
    """
    from rich.progress import track

    from ficha.products.decoys import make_decoys

    console = rich_console(stderr=True)
    with writing_parts() as (parts, tx):
        made = sum(1 for _ in track(make_decoys(tx, parts.clock.now(), count), "Making", count, console=console))
    tell(f"{made} decoys were made.")
