"""The roles of an account in the whole service: granting and withdrawing them, each time with before and after."""

from datetime import datetime

from sqlalchemy import ColumnElement, String, cast, select

from ficha.accounts.accounts import Account, Role
from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction

KIND = "role"
# Everybody is an owner, and an institution's service account is made with its role: neither is given or taken.
GIVEN_ROLES = (Role.ADMIN, Role.STAFF, Role.MEDICAL)


class RoleNotGiven(FichaError):
    status = 422
    code = "rol_no_asignable"
    message = "Ese rol no se da ni se retira a esta cuenta. Los roles son admin, staff y medical."


class LastAdmin(FichaError):
    status = 409
    code = "ultimo_administrador"
    message = "Es la única cuenta que administra el servicio. Dé antes el rol admin a otra."


def grant_role(tx: Transaction, account_id: int, role: Role, actor: Actor, now: datetime) -> list[str]:
    """Returns the roles that the account has then; it counts from its next request. The same again changes nothing.
    Raises NotFound or RoleNotGiven."""
    account = _locked(tx, account_id, role)
    if role in account.roles:
        return list(account.roles)
    return _change(tx, account, [*account.roles, str(role)], "granted", actor, now)


def withdraw_role(tx: Transaction, account_id: int, role: Role, actor: Actor, now: datetime) -> list[str]:
    """Returns the roles that are left. Raises NotFound, also if the account has not that role, RoleNotGiven, or
    LastAdmin."""
    if role is Role.ADMIN:
        # All of them are locked: of two who take it from each other at once, one fails.
        admins = tx.orm.scalars(select(Account.id).where(_has(role)).order_by(Account.id).with_for_update()).all()
        if list(admins) == [account_id]:
            raise LastAdmin
    account = _locked(tx, account_id, role)
    if role not in account.roles:
        raise NotFound
    return _change(tx, account, [each for each in account.roles if each != role], "withdrawn", actor, now)


def _locked(tx: Transaction, account_id: int, role: Role) -> Account:
    account = tx.orm.get(Account, account_id, with_for_update=True, populate_existing=True)
    if account is None:
        raise NotFound
    if role not in GIVEN_ROLES or Role.INSTITUTION in account.roles:
        raise RoleNotGiven
    return account


def _change(tx: Transaction, account: Account, roles: list[str], action: str, actor: Actor, now: datetime) -> list[str]:
    before, account.roles = list(account.roles), roles
    tx.orm.flush()
    target = f"account:{account.id}"
    note_change(tx, actor, KIND, target, action, now, before={"roles": before}, after={"roles": roles})
    return roles


def _has(role: Role) -> ColumnElement[bool]:
    """Both databases write the list with each name in quotes."""
    return cast(Account.roles, String).like(f'%"{role}"%')
