"""ficha institution: institutions, the tokens of their service accounts, and the people who work there."""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ficha.cli.migrated import migrated_settings
from ficha.cli.rich_console import AsJson, print_json, rich_console

if TYPE_CHECKING:
    from ficha.core.transaction import Transaction
    from ficha.institutions.institution import InstitutionFacts
    from ficha.parts import Parts

app = typer.Typer(help="Institutions, their tokens and the people who work there.", no_args_is_help=True)
Slug = Annotated[str, typer.Argument(help="The institution's short name, as in /v1/NAME/user.")]
OfAccount = Annotated[str, typer.Option("--correo", help="Whose: the correo of an account.")]


@app.command()
def create(
    slug: Slug, name: Annotated[str, typer.Option(help="What people call it.")], as_json: AsJson = False
) -> None:
    """Make an institution with its service account. Then give it a token: `ficha institution token`.

    Example: ficha institution create colegio-san-luis --name 'Colegio San Luis'
    """
    from pydantic import TypeAdapter, ValidationError

    from ficha.administration.admin_changes import OPERATOR
    from ficha.core.text_types import Nombre
    from ficha.core.text_types import Slug as SlugText
    from ficha.enrolment.new_institution import create_institution

    try:
        slug, name = TypeAdapter(SlugText).validate_python(slug), TypeAdapter(Nombre).validate_python(name)
    except ValidationError:
        raise typer.BadParameter(
            "The short name takes small letters, digits and hyphens and begins with a letter; the name is one line."
        ) from None
    made = _write(lambda parts, tx: create_institution(tx, slug, name, OPERATOR, parts.keyring, parts.clock.now()))
    _tell(made._asdict(), as_json, f"Institution {made.slug} was made. Its token: ficha institution token {made.slug}")


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the institutions, open and closed.

    Example: ficha institution list
    """
    from rich.markup import escape
    from rich.table import Table

    from ficha.core.db import Database
    from ficha.institutions.institution import institutions

    with closing(Database(migrated_settings().database)) as database, database.reading() as tx:
        found = institutions(tx, limit=10_000)
    names = ("id", "slug", "name", "is_active", "created_at")
    rows = [{name: getattr(each, name) for name in names} for each in found]
    if as_json:
        print_json(rows)
        return
    table = Table("Id", "Short name", "Name", "Open", "Since")
    for row in rows:
        table.add_row(
            str(row["id"]), row["slug"], escape(row["name"]), str(row["is_active"]), f"{row['created_at']:%Y-%m-%d}"
        )
    rich_console().print(table)


@app.command("close")
def close_one(slug: Slug, as_json: AsJson = False) -> None:
    """Close an institution: its tokens are let in nowhere, and its invitations are dead. `open` ends that.

    Example: ficha institution close colegio-san-luis
    """
    _set_open(slug, as_json, is_active=False)


@app.command("open")
def open_one(slug: Slug, as_json: AsJson = False) -> None:
    """Open an institution that was closed.

    Example: ficha institution open colegio-san-luis
    """
    _set_open(slug, as_json, is_active=True)


@app.command()
def token(
    slug: Slug,
    days: Annotated[int, typer.Option(min=1, max=730, help="How long it is good.")] = 90,
    as_json: AsJson = False,
) -> None:
    """Issue a token of the service account. It is shown this once: only its hash is stored.

    Example: ficha institution token colegio-san-luis --days 365
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.enrolment.new_institution import issue_service_token

    issued = _write(lambda parts, tx: issue_service_token(tx, _facts(tx, slug), OPERATOR, parts.clock.now(), days=days))
    told = {"id": issued.id, "token": issued.text, "expires_at": issued.expires_at.isoformat()}
    _tell(told, as_json, issued.text)


@app.command()
def revoke(
    slug: Slug,
    token_id: Annotated[int, typer.Argument(help="The number before the bar of the token.")],
    as_json: AsJson = False,
) -> None:
    """End a token of the service account at once.

    Example: ficha institution revoke colegio-san-luis 42
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.enrolment.new_institution import revoke_service_token

    _write(lambda parts, tx: revoke_service_token(tx, _facts(tx, slug), token_id, OPERATOR, parts.clock.now()))
    _tell({"revoked": token_id}, as_json, f"Token {token_id} is dead.")


@app.command()
def grant(
    slug: Slug,
    correo: OfAccount,
    role: Annotated[str, typer.Option(help="admin, staff or medical.")],
    as_json: AsJson = False,
) -> None:
    """Give somebody a role within an institution, in the place of the one she had there.

    Example: ficha institution grant colegio-san-luis --correo luis@ejemplo.com --role staff
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.institutions.institution import InstitutionRole, give_institution_role

    if role not in list(InstitutionRole):
        raise typer.BadParameter(f"There is no role called {role}. Use admin, staff or medical.")
    _write(
        lambda parts, tx: give_institution_role(
            tx,
            _facts(tx, slug),
            _account_id(tx, correo),
            InstitutionRole(role),
            OPERATOR,
            parts.clock.now(),
        )
    )
    _tell({"institution": slug, "correo": correo, "role": role}, as_json, f"{correo} is {role} of {slug}.")


@app.command()
def withdraw(slug: Slug, correo: OfAccount, as_json: AsJson = False) -> None:
    """Take somebody's role within an institution.

    Example: ficha institution withdraw colegio-san-luis --correo luis@ejemplo.com
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.institutions.institution import take_institution_role

    _write(
        lambda parts, tx: take_institution_role(
            tx, _facts(tx, slug), _account_id(tx, correo), OPERATOR, parts.clock.now()
        )
    )
    _tell({"institution": slug, "correo": correo, "role": None}, as_json, f"{correo} has no role of {slug}.")


def _set_open(slug: str, as_json: bool, *, is_active: bool) -> None:
    from ficha.administration.admin_changes import OPERATOR
    from ficha.enrolment.new_institution import change_institution

    _write(lambda parts, tx: change_institution(tx, slug, OPERATOR, parts.clock.now(), is_active=is_active))
    _tell({"slug": slug, "is_active": is_active}, as_json, f"{slug} is {'open' if is_active else 'closed'}.")


def _write(change: "Callable[[Parts, Transaction], Any]") -> Any:
    """In one transaction. What is refused is said in one line, with exit code 1."""
    from ficha.core.errors import FichaError
    from ficha.parts import build_parts

    parts = build_parts(migrated_settings())
    parts.secrets.ensure_root()
    try:
        with parts.database.writing() as tx:
            return change(parts, tx)
    except FichaError as error:
        rich_console(stderr=True).print(f"[red]{error.message}[/red]")
        raise typer.Exit(1) from None
    finally:
        parts.database.close()


def _facts(tx: "Transaction", slug: str) -> "InstitutionFacts":
    from ficha.institutions.institution import institution_with

    return institution_with(tx, slug)


def _account_id(tx: "Transaction", correo: str) -> int:
    from ficha.accounts.accounts import account_with

    account = account_with(tx, correo)
    if account is None:
        raise typer.BadParameter(f"There is no account with the correo {correo}.")
    return account.id


def _tell(data: dict[str, Any], as_json: bool, sentence: str) -> None:
    if as_json:
        print_json(data)
    else:
        rich_console().print(sentence, markup=False, soft_wrap=True)
