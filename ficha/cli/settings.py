"""ficha settings: every setting and its value."""

from ficha import __version__
from ficha.cli.rich_console import AsJson, print_json, rich_console


def settings(
    as_json: AsJson = False,
) -> None:
    """Print every setting and its value.

    With the variable that sets it. Secrets are masked.

    Example: ficha settings --json
    """
    from rich.table import Table

    from ficha.core.settings import Settings, setting_rows

    found = setting_rows(Settings())
    if as_json:
        print_json([row._asdict() for row in found])
        return
    table = Table("Setting", "Value", "What it is", title=f"Ficha {__version__}", title_justify="left")
    for row in found:
        table.add_row(row.variable, row.value, row.help)
    rich_console().print(table)
