"""ficha admin: accounts that an operator makes, the roles of accounts, and what administrators changed."""

from contextlib import closing
from typing import Annotated

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import AsJson, print_json, rich_console

app = typer.Typer(help="Administrators and staff: their accounts, roles and changes.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Administrators and staff: their accounts, roles and changes."""


@app.command()
def create(
    correo: Annotated[str, typer.Option(help="E-mail address to log in with.")],
    clave: Annotated[
        str, typer.Option(help="10 to 128 characters.", prompt=True, hide_input=True, confirmation_prompt=True)
    ],
    nombre: Annotated[str, typer.Option(help="Full name.")] = "Administración",
    role: Annotated[str, typer.Option(help="admin, staff or medical.")] = "admin",
) -> None:
    """Make an administrator (or another role). `ficha institution create` makes the account of an institution.

    Example: ficha admin create --correo ana@ejemplo.com --clave 'una clave larga'
    """
    from pydantic import TypeAdapter, ValidationError

    from ficha.accounts.accounts import Role
    from ficha.accounts.login import hash_clave
    from ficha.administration.admin_changes import OPERATOR
    from ficha.administration.roles import grant_role
    from ficha.core.errors import FichaError
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
            roles=(Role.OWNER,),
        )
        with parts.database.writing() as tx:
            account = register(tx, person, parts.keyring, parts.clock.now())
            grant_role(tx, account.id, Role(role), OPERATOR, parts.clock.now())
    except ValidationError:
        console.print("[red]The correo must be an e-mail address, and the clave 10 to 128 characters long.[/red]")
        raise typer.Exit(1) from None
    except ValueError:
        console.print(f"[red]There is no role called {role}. Use admin, staff or medical.[/red]")
        raise typer.Exit(1) from None
    except FichaError as error:
        console.print(f"[red]{error.message}[/red]")
        raise typer.Exit(1) from None
    finally:
        parts.database.close()
    console.print(f"Account {account.id} ({role}) was made.")


OfAccount = Annotated[str, typer.Option("--correo", help="Whose: the correo of an account.")]
GivenRole = Annotated[str, typer.Option(help="admin, staff or medical.")]


@app.command()
def grant(correo: OfAccount, role: GivenRole, as_json: AsJson = False) -> None:
    """Give an account a role. It counts from its next request, and is noted.

    Example: ficha admin grant --correo luis@ejemplo.com --role staff
    """
    _change_role(correo, role, as_json=as_json, withdraws=False)


@app.command()
def withdraw(correo: OfAccount, role: GivenRole, as_json: AsJson = False) -> None:
    """Take a role from an account. The last administrator keeps hers.

    Example: ficha admin withdraw --correo luis@ejemplo.com --role staff
    """
    _change_role(correo, role, as_json=as_json, withdraws=True)


@app.command()
def changes(
    kind: Annotated[str | None, typer.Option(help="Only of this kind: service, project, role, institution…")] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many, newest first.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show what administrators changed: who, when, what, before and after.

    Example: ficha admin changes --kind role
    """
    from rich.markup import escape
    from rich.table import Table

    from ficha.accounts.tokens import MAX_ID
    from ficha.administration.admin_changes import admin_changes
    from ficha.core.db import Database

    with closing(Database(migrated_settings().database)) as database, database.reading() as tx:
        found = admin_changes(tx, before_id=MAX_ID, limit=count, kind=kind)
    names = ("at", "actor", "kind", "target", "action", "before", "after")
    rows = [{name: getattr(each, name) for name in names} for each in found]
    if as_json:
        print_json(rows)
        return
    table = Table("When", "Who", "What", "Which", "Action", "Before", "After")
    for row in rows:
        table.add_row(row["at"].isoformat(timespec="seconds"), *(escape(str(row[name])) for name in names[1:]))
    rich_console().print(table)


def _change_role(correo: str, name: str, *, as_json: bool, withdraws: bool) -> None:
    from ficha.accounts.accounts import Role, account_with
    from ficha.administration.admin_changes import OPERATOR
    from ficha.administration.roles import grant_role, withdraw_role
    from ficha.core.errors import FichaError
    from ficha.parts import build_parts

    parts = build_parts(migrated_settings())
    try:
        with parts.database.writing() as tx:
            account = account_with(tx, correo)
            if account is None:
                raise typer.BadParameter(f"There is no account with the correo {correo}.")
            change = withdraw_role if withdraws else grant_role
            roles = change(tx, account.id, Role(name), OPERATOR, parts.clock.now())
    except ValueError:
        raise typer.BadParameter(f"There is no role called {name}. Use admin, staff or medical.") from None
    except FichaError as error:
        rich_console(stderr=True).print(f"[red]{error.message}[/red]")
        raise typer.Exit(1) from None
    finally:
        parts.database.close()
    if as_json:
        print_json({"account": account.id, "roles": roles})
    else:
        rich_console().print(f"Account {account.id} has the roles {', '.join(roles) or 'none'}.")
