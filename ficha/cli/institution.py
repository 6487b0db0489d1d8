"""ficha institution: institutions, the tokens of their service accounts, and the people who work there."""

from typing import Annotated

import typer

from ficha.cli.admin import OfAccount, account_id_of
from ficha.cli.opened_parts import opened_database, writing_parts
from ficha.cli.rich_console import MAX_ID, AsJson, print_result, print_rows

app = typer.Typer(help="Institutions, their tokens and the people who work there.", no_args_is_help=True)
Slug = Annotated[str, typer.Argument(help="The institution's short name, as in /v1/NAME/user.")]


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
    with writing_parts() as (parts, tx):
        made = create_institution(tx, slug, name, OPERATOR, parts.keyring, parts.clock.now())
    print_result(
        made._asdict(), as_json, f"Institution {made.slug} was made. Its token: ficha institution token {made.slug}"
    )


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the institutions, open and closed.

    Example: ficha institution list
    """
    from ficha.institutions.institution import institutions

    with opened_database() as database, database.reading() as tx:
        found = institutions(tx, limit=10_000)
    names = ("id", "slug", "name", "is_active", "created_at")
    rows = [{name: getattr(each, name) for name in names} for each in found]
    print_rows(rows, ("Id", "Short name", "Name", "Open", "Since"), as_json=as_json)


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
    from ficha.institutions.institution import institution_with

    with writing_parts() as (parts, tx):
        issued = issue_service_token(tx, institution_with(tx, slug), OPERATOR, parts.clock.now(), days=days)
    told = {"id": issued.id, "token": issued.text, "expires_at": issued.expires_at.isoformat()}
    print_result(told, as_json, issued.text)


@app.command()
def revoke(
    slug: Slug,
    token_id: Annotated[int, typer.Argument(max=MAX_ID, help="The number before the bar of the token.")],
    as_json: AsJson = False,
) -> None:
    """End a token of the service account at once.

    Example: ficha institution revoke colegio-san-luis 42
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.enrolment.new_institution import revoke_service_token
    from ficha.institutions.institution import institution_with

    with writing_parts() as (parts, tx):
        revoke_service_token(tx, institution_with(tx, slug), token_id, OPERATOR, parts.clock.now())
    print_result({"revoked": token_id}, as_json, f"Token {token_id} is dead.")


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
    from ficha.institutions.institution import InstitutionRole, give_institution_role, institution_with

    if role not in list(InstitutionRole):
        raise typer.BadParameter(f"There is no role called {role}. Use admin, staff or medical.")
    with writing_parts() as (parts, tx):
        account_id = account_id_of(tx, correo)
        give_institution_role(
            tx, institution_with(tx, slug), account_id, InstitutionRole(role), OPERATOR, parts.clock.now()
        )
    print_result({"institution": slug, "correo": correo, "role": role}, as_json, f"{correo} is {role} of {slug}.")


@app.command()
def withdraw(slug: Slug, correo: OfAccount, as_json: AsJson = False) -> None:
    """Take somebody's role within an institution.

    Example: ficha institution withdraw colegio-san-luis --correo luis@ejemplo.com
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.institutions.institution import institution_with, take_institution_role

    with writing_parts() as (parts, tx):
        take_institution_role(tx, institution_with(tx, slug), account_id_of(tx, correo), OPERATOR, parts.clock.now())
    print_result({"institution": slug, "correo": correo, "role": None}, as_json, f"{correo} has no role of {slug}.")


def _set_open(slug: str, as_json: bool, *, is_active: bool) -> None:
    from ficha.administration.admin_changes import OPERATOR
    from ficha.enrolment.new_institution import change_institution

    with writing_parts() as (parts, tx):
        change_institution(tx, slug, OPERATOR, parts.clock.now(), is_active=is_active)
    print_result({"slug": slug, "is_active": is_active}, as_json, f"{slug} is {'open' if is_active else 'closed'}.")
