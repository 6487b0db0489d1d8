"""The lane's SQL: the domain's selects for caller, record and sticker, joined with what each read shows. And what each
of its statements finds, by name."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cache
from itertools import zip_longest
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    null,
    or_,
    select,
)

from ficha.accounts.accounts import Account, Token
from ficha.accounts.caller_selects import Query
from ficha.accounts.tokens import PresentedCredential, Unauthenticated
from ficha.core.prepared import Prepared
from ficha.emergencies.alert_progress import select_current_emergency
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.reachability import has_closed_way
from ficha.fastlane.paths import EXISTENCE, Read
from ficha.fastlane.store import Store
from ficha.fmd.access_selects import ACCESS_COLUMNS, RECORD_BY_CODE, with_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT
from ficha.fmd.entries import Entry, SealedEntry
from ficha.fmd.records import Record
from ficha.fmd.rules.withdrawn_rules import NEWEST_CHANGE, SELECT_CHANGES, WithdrawnRules, withdrawn_in
from ficha.fmd.scanning import TaggedRecord

# The row of a read: first the columns for the caller, then those for the access, then an entry, then the record.
# Of a caller, the hash to compare, the token and the account are enough here.
CALLER_END = 3
ACCESS_END = CALLER_END + len(ACCESS_COLUMNS)

IS_OWNER = Record.account_id == Token.account_id
IS_OTHER = Record.account_id.is_distinct_from(Token.account_id)
DOCUMENT = (Entry.model, Entry.version, Entry.updated_at, Entry.sealed)
ABOUT = (Record.relacion, Record.template_type, Record.version)
# As many as there are models: a list of another length would be another statement.
NAMES = {Read.MODEL: ["name0"], Read.MODEL_EXISTS: ["name0"], Read.MODELS: [f"name{n}" for n in range(len(CATALOG))]}


class FoundEntry(NamedTuple):
    """An existence check carries no time, and to the owner no document: `has_data` says enough."""

    model: str
    has_data: bool
    version: int
    updated_at: Any
    sealed: bytes


ENTRY_END = ACCESS_END + len(FoundEntry._fields)


class RecordAbout(NamedTuple):
    relacion: str
    template_type: str
    version: int


class FoundRead(NamedTuple):
    """What a read finds: the credential that is good and whose it is, the values of ACCESS_COLUMNS, the entries that
    were asked for, with `consentimiento` for whoever is not the owner, and what a whole record has beside them."""

    credential: PresentedCredential
    token_id: int
    account_id: int
    access: Sequence[Any]
    entries: list[FoundEntry]
    about: RecordAbout | None


async def find_read(
    store: Store,
    read: Read,
    credentials: Iterable[PresentedCredential],
    now: datetime,
    code: str,
    models: Sequence[str],
) -> FoundRead:
    """By the first credential that is good; raises Unauthenticated if none is, or Unavailable.

    Only who shows a session that ended beside a bearer token costs a second statement.
    """
    for credential in credentials:
        values = {"key": credential.key, "now": now, "code": code}
        if read is Read.MODELS:
            values.update(zip_longest(NAMES[read], models))
        elif models:
            values["name0"] = models[0]
        rows = await store.rows(read_statement(read, credential.query), values)
        # No row at all means that there is no such caller; a row without a record, that there is none to see.
        if rows and credential.matches(rows[0][0]):
            _, token_id, account_id = (first := rows[0])[:CALLER_END]
            entries = [FoundEntry._make(row[ACCESS_END:ENTRY_END]) for row in rows if row[ACCESS_END] is not None]
            about = RecordAbout._make(first[ENTRY_END:]) if read is Read.RECORD else None
            return FoundRead(credential, token_id, account_id, first[CALLER_END:ACCESS_END], entries, about)
    raise Unauthenticated


@cache
def read_statement(read: Read, caller: Query) -> Prepared:
    """The same read for each kind of credential, by the select that finds its caller. Each is made when it is first
    asked for, in a millisecond or two: all ten would be a hundredth of a start."""
    columns = list(caller.selected_columns)[:CALLER_END]
    query = with_access(caller.with_only_columns(*columns), Token.account_id)
    query = query.add_columns(Entry.model, Entry.has_data, Entry.version)
    if read in EXISTENCE:
        query = query.add_columns(null(), case((IS_OWNER, null()), else_=Entry.sealed))
    else:
        query = query.add_columns(Entry.updated_at, Entry.sealed)
    if read is Read.RECORD:
        query = query.add_columns(*ABOUT)
    wanted = Entry.record_id == Record.id
    if read in NAMES:
        names = [bindparam(name, type_=Entry.model.type) for name in NAMES[read]]
        named = Entry.model.in_(names) if read is Read.MODELS else Entry.model == names[0]
        wanted &= or_(named, and_(IS_OTHER, Entry.model == CONSENT))
    return Prepared(query.outerjoin(Entry, wanted))


class Scanned(NamedTuple):
    """What a scan finds: the record with its entries, the language in which its owner writes, and what keeps the lane
    from showing it. `rule_change` is the number of the newest."""

    record: TaggedRecord
    entries: list[SealedEntry]
    idioma: str | None
    emergency_id: int | None
    has_closed_way: bool
    rule_change: int | None


async def find_scanned(store: Store, code: str) -> Scanned | None:
    """None if there is no such live code; whether the tag is right is not asked here. Raises Unavailable."""
    rows = await store.rows(_SCAN, {"code": code})
    if not rows:
        return None
    utc = store.utc
    entries = [
        SealedEntry(model, version, utc(updated_at), sealed)
        for model, version, updated_at, sealed in (row[-len(DOCUMENT) :] for row in rows)
        if model is not None
    ]
    tag_hash, record_id, key_id, wrapped_key, *about = rows[0][: -len(DOCUMENT)]
    return Scanned(TaggedRecord(tag_hash, record_id, key_id, wrapped_key), entries, *about)


async def find_withdrawn(store: Store) -> WithdrawnRules:
    return withdrawn_in(await store.rows(_CHANGES, {}))


class ReplayedLog(NamedTuple):
    """How far a replica came in the primary's log, and how old the newest transaction in it is."""

    is_replica: bool
    bytes: int | None
    seconds: float | None


async def log_position(store: Store) -> int:
    """How far the primary's log went."""
    position: int = (await store.rows(_POSITION, {}))[0][0]
    return position


async def replayed_log(store: Store) -> ReplayedLog:
    return ReplayedLog._make((await store.rows(_REPLAYED, {}))[0])


def _scan() -> Query:
    """One row for each entry. The value is the code; whether the tag matches is for us to compare."""
    # Joined, because a subquery would be asked again for each entry. A record has at most one current emergency.
    alert = select_current_emergency(Record.id).whereclause
    assert alert is not None
    return (
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


def _bytes(position: str) -> ColumnElement[int]:
    return cast(func.pg_wal_lsn_diff(literal_column(position), literal_column("'0/0'")), BigInteger)


_SCAN = Prepared(_scan())
_CHANGES = Prepared(SELECT_CHANGES)
_POSITION = Prepared(select(_bytes("pg_current_wal_flush_lsn()").label("position")), only="postgresql")
_REPLAYED = Prepared(
    select(
        literal_column("pg_is_in_recovery()").label("is_replica"),
        _bytes("pg_last_wal_replay_lsn()").label("position"),
        cast(func.extract("epoch", literal_column("clock_timestamp() - pg_last_xact_replay_timestamp()")), Float).label(
            "seconds"
        ),
    ),
    only="postgresql",
)
