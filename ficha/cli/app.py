"""The `ficha` command and its groups. Heavy parts are imported by the command that needs them."""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ficha import __version__
from ficha.cli import accounts, audit, data, jobs, keys, sandbox, serving

app = typer.Typer(
    help="Ficha: the emergency medical record behind a QR code.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
serving.add_to(app)
data.add_to(app)
sandbox.add_to(app)
app.add_typer(accounts.app, name="admin")
app.add_typer(keys.app, name="keys")
app.add_typer(audit.app, name="audit")
app.add_typer(jobs.app, name="jobs")


@app.command()
def settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Print every setting, where it can be set, and its value; secrets are masked.

    Example: ficha settings --json
    """
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
    Console().print(table)


def main() -> None:
    from ficha.core.key_file import BadKeys
    from ficha.core.settings import InsecureSettings

    try:
        app()
    except (BadKeys, InsecureSettings) as fault:
        Console(stderr=True).print(f"[red]{fault}[/red]", highlight=False)
        sys.exit(2)
