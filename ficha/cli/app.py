"""The `ficha` command: a file for each of its commands and groups, which import their heavy parts when they run."""

import sys

import typer

from ficha.cli import admin, audit, codes, demo, jobs, keys, migrate, openapi, sandbox, serve, settings, worker
from ficha.cli.migrated import NotMigrated

app = typer.Typer(
    help="Ficha: the emergency medical record behind a QR code.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# In the order of `ficha --help`.
for command in (
    serve.serve,
    worker.worker,
    migrate.migrate,
    demo.demo,
    openapi.openapi,
    sandbox.sandbox,
    settings.settings,
):
    app.command()(command)
app.add_typer(codes.app, name="codes")
app.add_typer(admin.app, name="admin")
app.add_typer(keys.app, name="keys")
app.add_typer(audit.app, name="audit")
app.add_typer(jobs.app, name="jobs")


def main() -> None:
    """Runs the command. What is wrong with keys, settings or the database is said in one line, with exit code 2."""
    from pydantic import ValidationError

    from ficha.core.key_file import BadKeys
    from ficha.core.production import InsecureSettings
    from ficha.core.settings import Settings

    try:
        app()
    except (BadKeys, InsecureSettings, NotMigrated) as fault:
        typer.secho(fault, fg="red", err=True)
        sys.exit(2)
    except ValidationError as wrong:
        if wrong.title != Settings.__name__:
            raise
        for error in wrong.errors(include_input=False, include_url=False):
            name = f"FICHA_{'_'.join(map(str, error['loc'][:1])).upper()}"
            typer.secho(f"{name}: {error['msg']}.", fg="red", err=True)
        sys.exit(2)
