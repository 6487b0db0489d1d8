"""ficha demo: the demo people."""

import json
import sys
from typing import Annotated

import typer

from ficha.cli.rich_console import rich_console
from ficha.core.settings import Settings


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Make the demo people if they are not there, and print how to log in as them and what their stickers open.

    Example: ficha demo --json
    """
    from rich.table import Table

    from ficha.demo.people import ensure_demo
    from ficha.migrations import migrate
    from ficha.parts import build_parts

    settings = Settings()
    if settings.in_production:
        rich_console(stderr=True).print("[red]There are no demo people in production.[/red]")
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
    console = rich_console()
    console.print(table)
    console.print("Their stickers, as a stranger opens them:")
    for person in people:
        console.print(f"  {person.nombre}: {person.responder_url}", soft_wrap=True, highlight=False)
