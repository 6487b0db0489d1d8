"""ficha settings: every setting and its value."""

import sys
from typing import Annotated

import typer

from ficha import __version__
from ficha.cli.rich_console import rich_console


def settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print every setting, where it can be set, and its value; secrets are masked.

    Example: ficha settings --json
    """
    from rich.table import Table

    from ficha.core.settings import Settings
    from ficha.core.settings_table import setting_rows

    found = setting_rows(Settings())
    if as_json:
        import json

        sys.stdout.write(json.dumps([row._asdict() for row in found], indent=2, ensure_ascii=False) + "\n")
        return
    table = Table("Setting", "Value", "What it is", title=f"Ficha {__version__}", title_justify="left")
    for row in found:
        table.add_row(row.variable, row.value, row.help)
    rich_console().print(table)
