"""The list of people for staff: who has an account, with which roles. Nothing of a record is in it."""

import unicodedata
from collections.abc import Collection
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, String, cast, func, or_, select

from ficha.accounts.accounts import Account, Role, Token
from ficha.accounts.caller_selects import account_exists
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction

# Letters that have no accent in any name here.
CERTAIN = frozenset("bdfghjklmpqrtvwx0123456789 .")


class ListedPerson(NamedTuple):
    """`sessions`: how many live tokens the account has, browser sessions among them."""

    id: int
    nombre: str
    correo: str
    roles: list[str]
    created_at: datetime
    sessions: int


def find_people(
    tx: Transaction, now: datetime, *, search: str = "", role: Role | None = None, before: int, limit: int
) -> list[ListedPerson]:
    """Newest first, below the id `before`. `search` is a part of the name, with accents or without, or of the correo,
    or the number of the account."""
    query = _listed(now).where(Account.id < before)
    if role is not None:
        # A list in JSON, which both databases write with its texts in quotes.
        query = query.where(cast(Account.roles, String).contains(f'"{role.value}"'))
    if search:
        found: list[ColumnElement[bool]] = [Account.id.in_(_named(tx, query, search, limit))]
        found.append(Account.correo_key.contains(correo_key(search), autoescape=True))
        if search.isascii() and search.isdigit() and len(search) < 19:
            found.append(Account.id == int(search))
        query = query.where(or_(*found))
    return [ListedPerson(*row) for row in tx.orm.execute(query.order_by(Account.id.desc()).limit(limit))]


def listed_person(tx: Transaction, account_id: int, now: datetime) -> ListedPerson | None:
    row = tx.orm.execute(_listed(now).where(Account.id == account_id)).one_or_none()
    return None if row is None else ListedPerson(*row)


def _named(tx: Transaction, query: Select[*tuple[Any, ...]], search: str, limit: int) -> list[int]:
    """The newest of these accounts whose name has these letters, with accents or without. No database folds accents
    by itself: it leaves open every letter that may have one, and the rest is decided here."""
    wanted = _plain(search)
    letters = "".join(letter if letter in CERTAIN else "_" for letter in wanted)
    may_be = query.with_only_columns(Account.id, Account.nombre, maintain_column_froms=True)
    rows = tx.orm.execute(may_be.where(func.lower(Account.nombre).like(f"%{letters}%")).order_by(Account.id.desc()))
    return list(islice((row.id for row in rows if wanted in _plain(row.nombre)), limit))


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _listed(now: datetime) -> Select[int, str, str, list[str], datetime, int]:
    live = (
        select(func.count())
        .select_from(Token)
        .where(Token.account_id == Account.id, Token.expires_at > now)
        .scalar_subquery()
    )
    return select(
        Account.id,
        Account.nombre,
        Account.correo,
        Account.roles,
        Account.created_at,
        live,
    ).where(account_exists(now))


def names_of(tx: Transaction, account_ids: Collection[int]) -> dict[int, str]:
    """Of accounts that are still there."""
    if not account_ids:
        return {}
    found = tx.orm.execute(select(Account.id, Account.nombre).where(Account.id.in_(account_ids)))
    return {row.id: row.nombre for row in found}
