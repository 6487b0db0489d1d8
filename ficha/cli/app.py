"""The `ficha` command: a file for each of its commands and groups, which import their heavy parts when they run."""

import os
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ficha import __version__
from ficha.cli import (
    admin,
    audit,
    backup,
    codes,
    development,
    institution,
    jobs,
    keys,
    messages,
    roster,
    serve,
    service,
)
from ficha.cli.faults import faults_as_sentences
from ficha.cli.signals import EXIT_CODE, SENTENCE, raise_interrupted_on_ctrl_c, was_interrupted


class InOrder(TyperGroup):
    """Commands and groups in the order of GROUPS: the library lists all groups first."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for members in GROUPS.values() for name in members]


app = typer.Typer(
    cls=InOrder,
    help="Ficha: the emergency medical record behind a QR code.\n\n"
    "First steps on a laptop: `ficha serve --demo`, then `ficha demo` for people to log in as. For production: "
    "`ficha keys create`, `ficha migrate`, `ficha admin create`, `ficha serve`. Settings are FICHA_* variables: "
    "`ficha settings` prints them all.",
    epilog="`ficha COMMAND --help` explains each command with an example. Commands that print data take --json; bars "
    "and remarks go to standard error.\n\n"
    "Ctrl-C leaves nothing half done: run the command again. Exit codes: 0 done; 1 refused, or something is wrong; "
    "2 the command or the settings are wrong; 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"ficha {__version__}")
        raise typer.Exit


@app.callback()
def global_options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """The option of the command itself; its help is the app's."""
    # As whom PostgreSQL shows the connections of this command and of its children.
    os.environ.setdefault("PGAPPNAME", f"ficha {context.invoked_subcommand}")


# In the order of `ficha --help`. What is a Typer has commands of its own.
GROUPS: dict[str, dict[str, typer.Typer | Callable[..., None]]] = {
    "Run the service": {
        "serve": serve.serve,
        "worker": service.worker,
        "migrate": service.migrate,
        "settings": service.settings,
        "error-page": service.error_page,
    },
    "People and stickers": {
        "admin": admin.app,
        "codes": codes.app,
        "institution": institution.app,
        "roster": roster.app,
    },
    "Keep it safe": {"backup": backup.app, "restore": backup.restore, "keys": keys.app, "audit": audit.app},
    "Look after it": {"jobs": jobs.app, "messages": messages.app},
    "Try it and build on it": {
        "demo": development.demo,
        "sandbox": development.sandbox,
        "openapi": development.openapi,
    },
}
for title, members in GROUPS.items():
    for name, member in members.items():
        if isinstance(member, typer.Typer):
            app.add_typer(member, name=name, rich_help_panel=title)
        else:
            app.command(name, rich_help_panel=title)(member)


def main() -> None:
    """Runs the command. What keeps it from its work is said in a sentence, with the exit codes of the epilog above."""
    raise_interrupted_on_ctrl_c()
    try:
        with faults_as_sentences():
            app()
    except BaseException as ended:
        is_done = isinstance(ended, SystemExit) and not ended.code
        if is_done or not was_interrupted():
            raise
        typer.secho(SENTENCE, fg="yellow", err=True)
        sys.exit(EXIT_CODE)
