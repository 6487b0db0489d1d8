"""The lane's SQL: the domain's selects for caller, record and sticker, joined with what each read shows.

No row at all means that the credential is not good; a row without a record, that there is none to see.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from itertools import zip_longest
from typing import Any

from sqlalchemy import and_, bindparam, case, null, or_
from sqlalchemy.orm import aliased

from ficha.accounts.accounts import Account, Token
from ficha.accounts.caller_selects import Query
from ficha.core.prepared import Prepared
from ficha.emergencies.alert_progress import select_current_emergency
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.reachability import has_closed_way
from ficha.fastlane.paths import Read
from ficha.fmd.access_selects import ACCESS_COLUMNS, RECORD_BY_CODE, with_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from ficha.fmd.rules.withdrawn_rules import NEWEST_CHANGE, SELECT_CHANGES

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


@cache
def read_statement(read: Read, caller: Query) -> Prepared:
    """The same read for each kind of credential, by the select that finds its caller. Each is made when it is first
    asked for, in a millisecond or two: all ten would be a hundredth of a start."""
    return Prepared(READS[read](_access_of(caller)))


def read_values(read: Read, key: Any, now: datetime, code: str, models: Sequence[str]) -> dict[str, Any]:
    """`key` is a token's id, or the hash of a browser's secret."""
    values = {"key": key, "now": now, "code": code}
    if read is Read.MODELS:
        return values | dict(zip_longest(NAMES, models))
    return values | {"model": models[0]} if read in (Read.MODEL, Read.MODEL_EXISTS) else values


def _scan() -> Query:
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
    return query


SCAN = Prepared(_scan())
CHANGES = Prepared(SELECT_CHANGES)


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


# How each read goes on from the access.
READS: dict[Read, Callable[[Query], Query]] = {
    Read.RECORD_EXISTS: _record_exists,
    Read.MODEL_EXISTS: _model_exists,
    Read.MODEL: _model,
    Read.MODELS: _models,
    Read.RECORD: _record,
}
