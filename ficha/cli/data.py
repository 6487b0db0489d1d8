"""demo, codes, openapi: what fills a database or describes the service."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ficha.core.settings import Settings

if TYPE_CHECKING:
    from ficha.products.codes import Issued

codes = typer.Typer(help="Codes for stickers.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    app.command()(demo)
    app.command()(openapi)
    app.add_typer(codes, name="codes")


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Make the demo people if they are not there, and print how to log in as them and what their stickers open.

    Example: ficha demo --json
    """
    from ficha.demo import ensure_demo
    from ficha.migrations import migrate
    from ficha.parts import build_parts

    settings = Settings()
    if settings.in_production:
        Console(stderr=True).print("[red]There are no demo people in production.[/red]")
        raise typer.Exit(1)
    parts = build_parts(settings)
    migrate(parts.database)
    people = ensure_demo(parts)
    if as_json:
        sys.stdout.write(json.dumps([person.as_json() for person in people], indent=2, ensure_ascii=False) + "\n")
        return
    table = Table("Who", "correo", "clave", "Codes", "Roles")
    for person in people:
        table.add_row(person.nombre, person.correo, person.clave, " ".join(person.codes), " ".join(person.roles))
    console = Console()
    console.print(table)
    console.print("Their stickers, as a stranger opens them:")
    for person in people:
        console.print(f"  {person.nombre}: {person.responder_url}", soft_wrap=True, highlight=False)


def openapi() -> None:
    """Print the OpenAPI document.

    Example: ficha openapi > openapi.json
    """
    from ficha.describe import openapi_json

    sys.stdout.write(openapi_json())


@codes.callback()
def group() -> None:
    """Codes for stickers."""


@codes.command()
def create(count: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 1) -> None:
    """Issue new codes, to be printed and claimed later: a code and the link of its QR a line.

    The link holds the sticker's secret tag and is shown this once.

    Example: ficha codes create --count 24
    """
    from rich.progress import track

    from ficha.parts import build_parts
    from ficha.products.codes import issue_codes

    parts = build_parts(Settings())
    with parts.database.writing() as session:
        new = track(
            issue_codes(session, parts.clock.now(), count), "Issuing", total=count, console=Console(stderr=True)
        )
        made = [_printed(issued, parts.settings.public_url) for issued in new]
    sys.stdout.write("\n".join(made) + "\n")


@codes.command()
def decoys(count: Annotated[int, typer.Option(min=1, max=100_000, help="How many.")] = 100) -> None:
    """Make codes that nobody is ever given: whoever types one is guessing, and staff hears of it at once.

    About nine for each live code let a guesser meet one before the second person.

    Example: ficha codes decoys --count 900
    """
    from rich.progress import track

    from ficha.parts import build_parts
    from ficha.products.decoys import make_decoys

    parts = build_parts(Settings())
    console = Console(stderr=True)
    with parts.database.writing() as session:
        made = sum(1 for _ in track(make_decoys(session, parts.clock.now(), count), "Making", count, console=console))
    console.print(f"{made} decoys were made.")


def _printed(issued: "Issued", base_url: str) -> str:
    """The code, and what its QR holds: in capitals, so that the QR stays small."""
    return f"{issued.code}\t{base_url.upper()}/E/{issued.code}/{issued.tag}"
