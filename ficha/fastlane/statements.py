"""One statement for each read: token, permission and data in one round trip, built once and run on the driver itself.

No row at all means that the token is not good; a row without a record, that there is none to see.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Dialect, Select, and_, bindparam, case, literal_column, null, or_, select
from sqlalchemy.dialects.sqlite import dialect as SQLiteDialect  # noqa: N812
from sqlalchemy.orm import aliased
from sqlalchemy.sql.compiler import SQLCompiler

from ficha.accounts.accounts import Account
from ficha.accounts.browser import BrowserSession
from ficha.accounts.tokens import Token
from ficha.core.db import Utc
from ficha.emergencies.emergency import LIVE as UNDER_WAY
from ficha.emergencies.emergency import Emergency
from ficha.fastlane.paths import Read
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT
from ficha.fmd.entries import Entry
from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from ficha.products.product import LIVE, Product

# The values of a statement, in this order; `token` is a token's id, or the hash of a browser's secret.
Values = tuple[Any, ...]
Query = Select[*tuple[Any, ...]]
VALUES = ("token", "now", "code")
NAMES = tuple(f"name{number}" for number in range(len(CATALOG)))

NOW = bindparam("now", type_=Utc())
Consent = aliased(Entry)
IS_CONSENT: ColumnElement[str] = literal_column(f"'{CONSENT}'")
IS_OWNER = Record.account_id == Token.account_id
IS_OTHER = Record.account_id.is_distinct_from(Token.account_id)

# Every statement begins with these columns: see ways.py.
WAY = (
    Token.id,
    Token.hash,
    Token.account_id,
    Record.id,
    Record.account_id,
    Grant.kind,
    Grant.edits,
    Record.key_id,
    Record.wrapped_key,
)
DOCUMENT = (Entry.model, Entry.version, Entry.updated_at, Entry.sealed)
# The owner's existence check needs no document, so none is carried.
SEALED_FOR_OTHERS = case((IS_OWNER, null()), else_=Entry.sealed)


class Statement(NamedTuple):
    sql: str
    # Puts the values in the order in which the text names them, as often as it does.
    ordered: Callable[[Values], Values]


class Statements(NamedTuple):
    """The same read for the two kinds of caller."""

    bearer: Statement
    browser: Statement


def statements_for(*, is_sqlite: bool) -> dict[Read, Statements]:
    dialect = _dialect(is_sqlite=is_sqlite)
    return {
        read: Statements(*(_compiled(build(_way_in(who)), dialect, values) for who in (_bearer(), _browser())))
        for read, (build, values) in READS.items()
    }


def _dialect(*, is_sqlite: bool) -> Dialect:
    if is_sqlite:
        return SQLiteDialect()
    from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg  # noqa: PLC0415  Stays out of SQLite's start.

    return PGDialect_asyncpg()  # type: ignore[no-untyped-call]


def scan_statement(*, is_sqlite: bool) -> Statement:
    """The rules of fmd.access.scan: the tag's hash is compared by us, in constant time. One row for each entry."""
    dialect = _dialect(is_sqlite=is_sqlite)
    live: list[ColumnElement[str]] = [literal_column(f"'{state}'") for state in LIVE]
    going_on: list[ColumnElement[str]] = [literal_column(f"'{state}'") for state in UNDER_WAY]
    alert = select(Emergency.id).where(Emergency.current_record_id == Record.id, Emergency.state.in_(going_on))
    query: Query = (
        select(
            Product.tag_hash,
            Record.id,
            Record.key_id,
            Record.wrapped_key,
            Account.idioma,
            alert.scalar_subquery(),
            *DOCUMENT,
        )
        .select_from(Product)
        .join(Record, and_(Record.id == Product.record_id, Record.erased_at.is_(None)))
        .outerjoin(Account, Account.id == Record.account_id)
        .outerjoin(Entry, Entry.record_id == Record.id)
        .where(Product.code == bindparam("code"), Product.state.in_(live))
    )
    compiled = query.compile(dialect=dialect)
    return Statement(str(compiled), tuple)


def _bearer() -> Query:
    """The rules of accounts.tokens.caller_with; the hash is compared by us, in constant time."""
    stays = or_(Account.vanishes_at.is_(None), Account.vanishes_at > NOW)
    return (
        select(*WAY)
        .select_from(Token)
        .join(Account, Account.id == Token.account_id)
        .where(Token.id == bindparam("token"), Token.expires_at > NOW, stays)
    )


def _browser() -> Query:
    """The rules of accounts.browser.caller_of_session."""
    return (
        select(*WAY)
        .select_from(BrowserSession)
        .join(Token, Token.id == BrowserSession.token_id)
        .join(Account, Account.id == Token.account_id)
        .where(BrowserSession.hash == bindparam("token"), BrowserSession.expires_at > NOW)
    )


def _way_in(who: Query) -> Query:
    """The rules of fmd.access.open_fmd."""
    live: list[ColumnElement[str]] = [literal_column(f"'{state}'") for state in LIVE]
    grant = and_(Grant.record_id == Record.id, Grant.account_id == Token.account_id, Grant.ends_at > NOW)
    return (
        who.outerjoin(Product, and_(Product.code == bindparam("code"), Product.state.in_(live)))
        .outerjoin(Record, and_(Record.id == Product.record_id, Record.erased_at.is_(None)))
        .outerjoin(Grant, grant)
    )


def _one_model(query: Query) -> Query:
    """One row. Whoever is not the owner sees what `consentimiento` allows, so it comes along for them."""
    consents = and_(IS_OTHER, Consent.record_id == Record.id, Consent.model == IS_CONSENT)
    return (
        query.add_columns(Consent.version, Consent.sealed)
        .outerjoin(Entry, and_(Entry.record_id == Record.id, Entry.model == bindparam("model")))
        .outerjoin(Consent, consents)
    )


def _model(query: Query) -> Query:
    return _one_model(query.add_columns(Entry.version, Entry.updated_at, Entry.sealed))


def _model_exists(query: Query) -> Query:
    return _one_model(query.add_columns(Entry.has_data, Entry.version, SEALED_FOR_OTHERS))


def _record_exists(query: Query) -> Query:
    """From here on, a row for each entry, or one row without."""
    columns = (Entry.model, Entry.has_data, Entry.version, SEALED_FOR_OTHERS)
    return query.add_columns(*columns).outerjoin(Entry, Entry.record_id == Record.id)


def _record(query: Query) -> Query:
    about = (Record.relacion, Record.template_type, Record.version)
    return query.add_columns(*DOCUMENT, *about).outerjoin(Entry, Entry.record_id == Record.id)


def _models(query: Query) -> Query:
    # As many places as there are models: a list of another length would be another statement.
    named = Entry.model.in_([bindparam(name, type_=Entry.model.type) for name in NAMES])
    wanted = or_(named, and_(IS_OTHER, Entry.model == IS_CONSENT))
    return query.add_columns(*DOCUMENT).outerjoin(Entry, and_(Entry.record_id == Record.id, wanted))


# How each read goes on from the way in, and which values it needs beside those that all need.
READS: dict[Read, tuple[Callable[[Query], Query], tuple[str, ...]]] = {
    Read.RECORD_EXISTS: (_record_exists, ()),
    Read.MODEL_EXISTS: (_model_exists, ("model",)),
    Read.MODEL: (_model, ("model",)),
    Read.MODELS: (_models, NAMES),
    Read.RECORD: (_record, ()),
}


def _compiled(query: Query, dialect: Dialect, more: tuple[str, ...]) -> Statement:
    compiled = query.compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler) and compiled.positiontup is not None
    names = VALUES + more
    return Statement(str(compiled), itemgetter(*(names.index(name) for name in compiled.positiontup)))
