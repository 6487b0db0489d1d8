"""The lane's SQL: the domain's selects for caller, record and sticker, joined with what each read shows, compiled once.

No row at all means that the credential is not good; a row without a record, that there is none to see.
"""

from collections.abc import Callable, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Dialect, and_, bindparam, case, null, or_
from sqlalchemy.orm import aliased
from sqlalchemy.sql.compiler import SQLCompiler

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Query, Token
from ficha.emergencies.alert_progress import select_current_emergency
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.reachability import has_closed_way
from ficha.fastlane.paths import Read
from ficha.fmd.access_selects import ACCESS_COLUMNS, RECORD_BY_CODE, with_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from ficha.fmd.withdrawn_rules import NEWEST_CHANGE, SELECT_CHANGES

# The values of a statement, in this order; `key` is a token's id, or the hash of a browser's secret.
Values = tuple[Any, ...]
VALUES = ("key", "now", "code")
NAMES = tuple(f"name{number}" for number in range(len(CATALOG)))

# The row of a read: first the columns for the caller, then those for the access, then the data.
# Of a caller, the hash to compare, the token and the account are enough here.
CALLER_END = 3
ACCESS_END = CALLER_END + len(ACCESS_COLUMNS)

Consent = aliased(Entry)
IS_OWNER = Record.account_id == Token.account_id
IS_OTHER = Record.account_id.is_distinct_from(Token.account_id)
DOCUMENT = (Entry.model, Entry.version, Entry.updated_at, Entry.sealed)
# The owner's existence check needs no document, so none is carried.
SEALED_FOR_OTHERS = case((IS_OWNER, null()), else_=Entry.sealed)


class Statement(NamedTuple):
    sql: str
    # Puts the values in the order in which the text names them, as often as it does.
    ordered: Callable[[Values], Values]


# The same read for each kind of credential, by the select that finds its caller.
Statements = Mapping[Query, Statement]


class ReadStatements(dict[Query, Statement]):
    """Of one read, each compiled when it is first asked for, in a millisecond or two: all ten would be a hundredth of a
    start."""

    def __init__(self, read: Read, dialect: Dialect) -> None:
        super().__init__()
        self._read, self._dialect = read, dialect

    def __missing__(self, caller: Query) -> Statement:
        add_data, names = READS[self._read]
        self[caller] = made = compiled(add_data(_access_of(caller)), self._dialect, VALUES + names)
        return made


@cache
def read_statements(dialect: Dialect) -> dict[Read, Statements]:
    return {read: ReadStatements(read, dialect) for read in READS}


@cache
def scan_statement(dialect: Dialect) -> Statement:
    """One row for each entry. The value is the code; whether the tag matches is for us to compare."""
    # Joined, because a subquery would be asked again for each entry. A record has at most one current emergency.
    alert = select_current_emergency(Record.id).whereclause
    assert alert is not None
    query = (
        RECORD_BY_CODE.add_columns(
            Record.id,
            Record.key_id,
            Record.wrapped_key,
            Account.idioma,
            Emergency.id,
            has_closed_way().label("has_closed_way"),
            NEWEST_CHANGE,
            *DOCUMENT,
        )
        .outerjoin(Account, Account.id == Record.account_id)
        .outerjoin(Emergency, alert)
        .outerjoin(Entry, Entry.record_id == Record.id)
    )
    return compiled(query, dialect, ("code",))


@cache
def changes_statement(dialect: Dialect) -> Statement:
    """Takes no values."""
    return Statement(str(SELECT_CHANGES.compile(dialect=dialect)), lambda values: values)


def _access_of(caller: Query) -> Query:
    columns = list(caller.selected_columns)[:CALLER_END]
    return with_access(caller.with_only_columns(*columns), Token.account_id)


def _one_model(query: Query) -> Query:
    """One row. Whoever is not the owner sees what `consentimiento` allows, so it comes along for them."""
    consents = and_(IS_OTHER, Consent.record_id == Record.id, Consent.model == CONSENT)
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
    wanted = or_(named, and_(IS_OTHER, Entry.model == CONSENT))
    return query.add_columns(*DOCUMENT).outerjoin(Entry, and_(Entry.record_id == Record.id, wanted))


# How each read goes on from the access, and which values it needs beside those that all need.
READS: dict[Read, tuple[Callable[[Query], Query], tuple[str, ...]]] = {
    Read.RECORD_EXISTS: (_record_exists, ()),
    Read.MODEL_EXISTS: (_model_exists, ("model",)),
    Read.MODEL: (_model, ("model",)),
    Read.MODELS: (_models, NAMES),
    Read.RECORD: (_record, ()),
}


def compiled(query: Query, dialect: Dialect, names: tuple[str, ...]) -> Statement:
    """The select's text, with places for the values that `names` names. What it holds itself, such as the states of a
    live code, is given to the driver with them."""
    compiler = query.compile(dialect=dialect)
    assert isinstance(compiler, SQLCompiler)
    made = compiler.construct_expanded_state(dict.fromkeys(names))
    assert made.positiontup is not None and len(made.positiontup) > 1  # Of one, itemgetter makes no tuple.
    own = {name: value for name, value in made.parameters.items() if name not in names}
    # A driver takes them as they are, so only text will do; a plain str binds faster than an enumeration's member.
    assert all(isinstance(value, str) for value in own.values()), own
    constants = tuple(str(value) for value in own.values())
    order = itemgetter(*((names + tuple(own)).index(name) for name in made.positiontup))
    return Statement(made.statement, lambda values: order(values + constants))
