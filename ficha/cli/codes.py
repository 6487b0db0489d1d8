"""ficha codes: codes for stickers, and decoys."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ficha.cli.json_output import AsJson, print_json
from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import rich_console

if TYPE_CHECKING:
    from ficha.products.codes import IssuedCode

app = typer.Typer(help="Codes for stickers.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Codes for stickers."""


@app.command()
def create(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 1, as_json: AsJson = False
) -> None:
    """Issue new codes, to be printed and claimed later: a code and the link of its QR a line.

    The link holds the sticker's secret tag and is shown this once.

    Example: ficha codes create --count 24
    """
    from rich.progress import track

    from ficha.parts import build_parts
    from ficha.products.codes import issue_codes

    parts = build_parts(migrated_settings())
    with parts.database.writing() as session:
        new = track(
            issue_codes(session, parts.clock.now(), count), "Issuing", total=count, console=rich_console(stderr=True)
        )
        made = [(issued.code, _link(issued, parts.settings.public_url)) for issued in new]
    if as_json:
        print_json([{"code": code, "link": link} for code, link in made])
    else:
        sys.stdout.writelines(f"{code}\t{link}\n" for code, link in made)


@app.command()
def decoys(count: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 100) -> None:
    """Make codes that nobody is ever given: whoever types one is guessing, and staff hears of it at once.

    About nine for each live code let a guesser meet one before the second person.

    Example: ficha codes decoys --count 900
    """
    from rich.progress import track

    from ficha.parts import build_parts
    from ficha.products.decoys import make_decoys

    parts = build_parts(migrated_settings())
    console = rich_console(stderr=True)
    with parts.database.writing() as session:
        made = sum(1 for _ in track(make_decoys(session, parts.clock.now(), count), "Making", count, console=console))
    console.print(f"{made} decoys were made.")


def _link(issued: "IssuedCode", base_url: str) -> str:
    """What its QR holds: in capitals, so that the QR stays small."""
    return f"{base_url.upper()}/E/{issued.code}/{issued.tag}"
