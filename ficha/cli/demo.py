"""ficha demo: the demo people."""

import sys
from typing import Annotated

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import AsJson, print_json, rich_console
from ficha.core.settings import Settings


def demo(
    as_json: AsJson = False,
    remove: Annotated[bool, typer.Option("--remove", help="Erase the demo people instead.")] = False,
) -> None:
    """Print the demo people, and make them first.

    How to log in as them, and what their stickers open. Never in production.

    Example: ficha demo --json
    """
    from ficha.demo.people import ensure_demo, erase_demo
    from ficha.migrations import migrate
    from ficha.parts import build_parts

    settings = Settings()
    if remove:
        parts = build_parts(migrated_settings())
        parts.secrets.ensure_root()
        count = erase_demo(parts)
        parts.database.close()
        rich_console(stderr=True).print(f"Erased {count} demo people.")
        return
    if settings.in_production:
        rich_console(stderr=True).print("[red]There are no demo people in production.[/red]")
        raise typer.Exit(1)
    parts = build_parts(settings)
    migrate(parts.database)
    people = ensure_demo(parts)
    if as_json:
        print_json([person.as_json() for person in people])
        return
    # Plain lines: a table is wider than a terminal, and what wraps an address also cuts it.
    lines = [f"Everybody's clave is {people[0].clave}\n"]
    widest = max(len(person.correo) for person in people)
    for person in people:
        lines.append(f"{person.nombre:<16} {person.correo:<{widest}} {' '.join(person.roles)}")
    lines.append("\nTheir stickers, as a stranger opens them:\n")
    for person in people:
        lines += [f"{person.nombre} ({', '.join(person.codes)})", f"  {person.responder_url}"]
    sys.stdout.write("\n".join(lines) + "\n")
