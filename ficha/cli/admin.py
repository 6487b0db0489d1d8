"""ficha admin: accounts that an operator makes, the roles of accounts, and what administrators changed."""

from typing import TYPE_CHECKING, Annotated

import typer

from ficha.cli.opened_parts import opened_database, writing_parts
from ficha.cli.rich_console import AsJson, print_result, print_rows, refuse, tell

if TYPE_CHECKING:
    from ficha.core.transaction import Transaction

app = typer.Typer(help="Administrators and staff: their accounts, roles and changes.", no_args_is_help=True)


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

    Example: ficha admin create --correo luis@ejemplo.com --clave 'una clave larga'
    """
    from pydantic import TypeAdapter, ValidationError

    from ficha.accounts.accounts import Role
    from ficha.accounts.login import hash_clave
    from ficha.administration.admin_changes import OPERATOR
    from ficha.administration.roles import grant_role
    from ficha.core.text_types import Clave, Correo
    from ficha.enrolment.registration import NewPerson, register

    if role not in set(Role):
        refuse(f"There is no role called {role}. Use admin, staff or medical.")
    try:
        correo, clave = TypeAdapter(Correo).validate_python(correo), TypeAdapter(Clave).validate_python(clave)
    except ValidationError:
        refuse("The correo must be an e-mail address, and the clave 10 to 128 characters long.")
    person = NewPerson(correo=correo, clave_hash=hash_clave(clave), nombre=nombre, roles=(Role.OWNER,))
    with writing_parts() as (parts, tx):
        account = register(tx, person, parts.keyring, parts.clock.now())
        grant_role(tx, account.id, Role(role), OPERATOR, parts.clock.now())
    tell(f"Account {account.id} ({role}) was made.")


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
    from ficha.accounts.tokens import MAX_ID
    from ficha.administration.admin_changes import admin_changes

    with opened_database() as database, database.reading() as tx:
        found = admin_changes(tx, before_id=MAX_ID, limit=count, kind=kind)
    names = ("at", "actor", "kind", "target", "action", "before", "after")
    rows = [{name: getattr(each, name) for name in names} for each in found]
    print_rows(rows, ("When", "Who", "What", "Which", "Action", "Before", "After"), as_json=as_json)


def _change_role(correo: str, name: str, *, as_json: bool, withdraws: bool) -> None:
    from ficha.accounts.accounts import Role
    from ficha.administration.admin_changes import OPERATOR
    from ficha.administration.roles import grant_role, withdraw_role

    if name not in set(Role):
        raise typer.BadParameter(f"There is no role called {name}. Use admin, staff or medical.")
    change = withdraw_role if withdraws else grant_role
    with writing_parts() as (parts, tx):
        account_id = account_id_of(tx, correo)
        roles = change(tx, account_id, Role(name), OPERATOR, parts.clock.now())
    told = {"account": account_id, "roles": roles}
    print_result(told, as_json, f"Account {account_id} has the roles {', '.join(roles) or 'none'}.")


def account_id_of(tx: "Transaction", correo: str) -> int:
    from ficha.accounts.accounts import account_with

    account = account_with(tx, correo)
    if account is None:
        raise typer.BadParameter(f"There is no account with the correo {correo}.")
    return account.id
