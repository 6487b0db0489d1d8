"""ficha admin: accounts that an operator makes."""

from typing import Annotated

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import rich_console

app = typer.Typer(help="Administrators and staff.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Administrators and staff."""


@app.command()
def create(
    correo: Annotated[str, typer.Option(help="E-mail address to log in with.")],
    clave: Annotated[
        str, typer.Option(help="10 to 128 characters.", prompt=True, hide_input=True, confirmation_prompt=True)
    ],
    nombre: Annotated[str, typer.Option(help="Full name.")] = "Administración",
    role: Annotated[str, typer.Option(help="admin, staff, institution or medical.")] = "admin",
) -> None:
    """Make an administrator (or another role).

    Example: ficha admin create --correo ana@ejemplo.com --clave 'una clave larga'
    """
    from pydantic import TypeAdapter, ValidationError

    from ficha.accounts.accounts import CorreoTaken, Role
    from ficha.accounts.clave import hash_clave
    from ficha.core.text_types import Clave, Correo
    from ficha.enrolment.registration import NewPerson, register
    from ficha.parts import build_parts

    console = rich_console(stderr=True)
    parts = build_parts(migrated_settings())
    parts.secrets.ensure_root()
    try:
        person = NewPerson(
            correo=TypeAdapter(Correo).validate_python(correo),
            clave_hash=hash_clave(TypeAdapter(Clave).validate_python(clave)),
            nombre=nombre,
            roles=(Role.OWNER, Role(role)),
        )
        with parts.database.writing() as session:
            account = register(session, person, parts.keyring, parts.clock.now())
    except ValidationError:
        console.print("[red]The correo must be an e-mail address, and the clave 10 to 128 characters long.[/red]")
        raise typer.Exit(1) from None
    except ValueError:
        console.print(f"[red]There is no role called {role}. Use admin, staff, institution or medical.[/red]")
        raise typer.Exit(1) from None
    except CorreoTaken as error:
        console.print(f"[red]{error.message}[/red]")
        raise typer.Exit(1) from None
    console.print(f"Account {account.id} ({role}) was made.")
