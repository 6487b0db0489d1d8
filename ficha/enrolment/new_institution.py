"""Making an institution with its service account, and the tokens of that account."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from ficha.accounts.accounts import CorreoTaken, Role
from ficha.accounts.statements import read_account
from ficha.accounts.tokens import IssuedToken, issue_token, revoke_token
from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.enrolment.registration import NewPerson, register
from ficha.institutions.institution import Institution, InstitutionFacts, InstitutionUnknown, institution_values

KIND, TOKEN = "institution", "institution_token"
# Nobody can have an address there: the ending is reserved (RFC 2606).
DOMAIN = "@instituciones.invalid"
# No clave hashes to this, so nobody logs in: the account is used by its tokens alone.
NO_CLAVE = "!"
# Names that stand in the same place of an address of ours.
TAKEN = frozenset({"accounts", "inboxes", "local", "navigation-buttons", "push", "services", "welcome"})
MINUTES_OF_DAY = 24 * 60


class InstitutionExists(FichaError):
    status = 409
    code = "institucion_existente"
    message = "Ya hay una institución con ese nombre corto, o no se puede usar. Elija otro."


def create_institution(
    tx: Transaction, slug: str, name: str, actor: Actor, keyring: Keyring, now: datetime
) -> InstitutionFacts:
    """`slug` is a Slug and `name` a Nombre, checked by the caller. Raises InstitutionExists."""
    if slug in TAKEN or tx.orm.scalar(select(Institution.id).where(Institution.slug == slug)) is not None:
        raise InstitutionExists
    person = NewPerson(correo=f"{slug}{DOMAIN}", clave_hash=NO_CLAVE, nombre=name, roles=(Role.INSTITUTION,))
    try:
        account = register(tx, person, keyring, now)
        row = Institution(slug=slug, name=name, account_id=account.id, is_active=True, created_at=now)
        tx.orm.add(row)
        tx.orm.flush()
    except (CorreoTaken, IntegrityError):
        raise InstitutionExists from None
    note_change(tx, actor, KIND, slug, "created", now, after=institution_values(row))
    return InstitutionFacts(row.id, row.slug, row.name, row.account_id, row.is_active)


def change_institution(
    tx: Transaction, slug: str, actor: Actor, now: datetime, *, name: str | None = None, is_active: bool | None = None
) -> Institution:
    """Renames, closes or opens it. A closed one is let in nowhere. Raises InstitutionUnknown."""
    row = tx.orm.scalars(select(Institution).where(Institution.slug == slug).with_for_update()).one_or_none()
    if row is None:
        raise InstitutionUnknown
    before = institution_values(row)
    row.name = row.name if name is None else name
    row.is_active = row.is_active if is_active is None else is_active
    tx.orm.flush()
    after = institution_values(row)
    if after != before:
        note_change(tx, actor, KIND, slug, "changed", now, before=before, after=after)
    return row


def issue_service_token(
    tx: Transaction, institution: InstitutionFacts, actor: Actor, now: datetime, *, days: int
) -> IssuedToken:
    """Its text is known only now. Raises InstitutionUnknown if the service account was erased."""
    if institution.account_id is None:
        raise InstitutionUnknown
    issued = issue_token(tx, read_account(tx, institution.account_id), now, days * MINUTES_OF_DAY)
    after = {"institution": institution.slug, "expires_at": issued.expires_at.isoformat()}
    note_change(tx, actor, TOKEN, issued.id, "created", now, after=after)
    return issued


def revoke_service_token(
    tx: Transaction, institution: InstitutionFacts, token_id: int, actor: Actor, now: datetime
) -> None:
    """Raises NotFound, also for a token of somebody else."""
    revoke_token(tx, institution.account_id or 0, token_id)
    note_change(tx, actor, TOKEN, token_id, "revoked", now, before={"institution": institution.slug})
