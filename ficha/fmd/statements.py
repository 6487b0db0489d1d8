"""The prepared statements of records: their rows, their entries, who may open them, and their codes."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, bindparam, exists, insert, or_, select, update
from sqlalchemy.orm import aliased

from ficha.accounts.accounts import Account
from ficha.accounts.caller_selects import NOW
from ficha.audit.chain import CHAIN_END_COLUMNS, RECORDS, WITH_CHAIN_END, ChainEnd, chain_end_of
from ficha.core.db import Base, BigId, Utc
from ficha.core.list_parameters import one_of
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.transaction import Transaction
from ficha.fmd.access_selects import (
    ACCESS_COLUMNS,
    IS_RECORD_OF_PRODUCT,
    RECORD_BY_CODE,
    grant_of,
    with_access,
)
from ficha.fmd.entries import Entry, EntryVersion, SealedEntry
from ficha.fmd.grants import (
    CONFIRMED_WITHIN,
    GUARDIANS,
    KEPT_WITHIN,
    OWNER_AND_GUARDIANS,
    Grant,
    GrantKind,
    GrantState,
    OwnedRecord,
    grant_is_live,
    held_since,
    waits_since,
)
from ficha.fmd.records import OLDEST_FIRST, RECORD_COLUMNS, Record, RecordRow
from ficha.products.product import HAS_LIVE_CODE, IS_LIVE, Product, ProductState

_records, _entries, _versions, _grants = (
    Base.metadata.tables[table.__tablename__] for table in (Record, Entry, EntryVersion, Grant)
)

# Rows of records

_RECORD: Select[*tuple[Any, ...]] = select(*RECORD_COLUMNS)
_LOCK_RECORD = Prepared(_RECORD.where(Record.id == bindparam("record_id")).with_for_update(), row=RecordRow)
_CHANGED = ("relacion", "template_type", "version", "stored_bytes")
_UPDATE_RECORD = Prepared(
    update(_records).where(_records.c.id == bindparam("record_id")).values({name: bindparam(name) for name in _CHANGED})
)
_first = (
    _RECORD.where(Record.account_id == bindparam("account_id"), Record.erased_at.is_(None))
    .order_by(*OLDEST_FIRST, Record.id)
    .limit(1)
)
_READ_FIRST, _LOCK_FIRST = Prepared(_first, row=RecordRow), Prepared(_first.with_for_update(), row=RecordRow)
_LIVING_RECORDS = Prepared(
    select(_records.c.id, _records.c.account_id).where(one_of(_records.c.id, "records"), _records.c.erased_at.is_(None))
)
_BY_CODE = Prepared(RECORD_BY_CODE.add_columns(*RECORD_COLUMNS))


def insert_record(tx: Transaction, record: RecordRow) -> bool:
    """False if the number is taken."""
    return bool(tx.changed(insert_if_new(tx.dialect.name, _records, RecordRow._fields), **record._asdict()))


def lock_record_row(tx: Transaction, record_id: int) -> RecordRow | None:
    """None if there is no such record."""
    record: RecordRow | None = tx.first(_LOCK_RECORD, record_id=record_id)
    return record


def update_record(tx: Transaction, record: RecordRow) -> None:
    tx.run(_UPDATE_RECORD, record_id=record.id, **{name: getattr(record, name) for name in _CHANGED})


def first_record(tx: Transaction, account_id: int, *, locks: bool) -> RecordRow | None:
    """The oldest of an account that was not erased."""
    record: RecordRow | None = tx.first(_LOCK_FIRST if locks else _READ_FIRST, account_id=account_id)
    return record


def record_by_code(tx: Transaction, code: str) -> tuple[RecordRow, bytes | None] | None:
    """The record behind a live code, and the hash of its sticker's tag."""
    row = tx.first(_BY_CODE, code=code.upper())
    return None if row is None else (RecordRow._make(row[1:]), row.tag_hash)


# Who may open them


class AccessRow(NamedTuple):
    """The values of ACCESS_COLUMNS: the record, its owner and key, and the grant of whoever asks. What is not there is
    None."""

    id: int | None
    account_id: int | None
    kind: str | None
    edits: bool | None
    key_id: str | None
    wrapped_key: bytes | None


_ACCESS = Prepared(
    with_access(select().select_from(Account).where(Account.id == bindparam("account_id")), Account.id), row=AccessRow
)
# The row of a record that an account may open, with its access, in one statement, which locks no other's record.
_account_id = bindparam("account_id", type_=BigId)
_claimed = aliased(Product)
_has_claimed_codes = exists().where(_claimed.record_id == Record.id, _claimed.state == ProductState.CLAIMED)
_to_open = (
    select(*RECORD_COLUMNS, Grant.kind, Grant.edits, _has_claimed_codes.label("has_claimed_codes"))
    .select_from(Product)
    .join(Record, IS_RECORD_OF_PRODUCT)
    .outerjoin(Grant, grant_of(_account_id))
    .where(HAS_LIVE_CODE, or_(Record.account_id == _account_id, Grant.id.is_not(None)))
)
_READ_TO_OPEN = Prepared(_to_open)
# Whoever held the row before us may have erased it: PostgreSQL looks again at what it waited for.
_LOCK_TO_OPEN = Prepared(_to_open.with_for_update(of=Record))
_OWNER_AND_GUARDIANS = Prepared(OWNER_AND_GUARDIANS)
_GUARDIANS_OF_MANY = Prepared(
    GUARDIANS.add_columns(Grant.record_id, Grant.ends_at).where(one_of(_grants.c.record_id, "records"))
)


class RecordToOpen(NamedTuple):
    """A record and the live grant by which an account may open it, if it has one. `has_claimed_codes`: there are some
    that become active when the record has data."""

    record: RecordRow
    kind: str | None
    edits: bool
    has_claimed_codes: bool


def access_row(tx: Transaction, account_id: int, code: str, now: datetime) -> AccessRow | None:
    """None if there is no such account."""
    row: AccessRow | None = tx.first(_ACCESS, account_id=account_id, code=code.upper(), now=now)
    return row


def record_to_open(tx: Transaction, account_id: int, code: str, now: datetime, *, locks: bool) -> RecordToOpen | None:
    """None if this account may not open the record behind the code."""
    row = tx.first(_LOCK_TO_OPEN if locks else _READ_TO_OPEN, account_id=account_id, code=code.upper(), now=now)
    return None if row is None else RecordToOpen(RecordRow._make(row[:-3]), *row[-3:])


def living_records(tx: Transaction, ids: Collection[int]) -> dict[int, OwnedRecord]:
    """By number, those that were not erased, each with its owner."""
    return {row.id: row for row in tx.all(_LIVING_RECORDS, records=ids)} if ids else {}


def owner_and_guardians(tx: Transaction, record: OwnedRecord, now: datetime) -> list[int]:
    found = tx.all(_OWNER_AND_GUARDIANS, owner_id=record.account_id, record_id=record.id, now=now)
    return [row.account_id for row in found]


def guardians_since(
    tx: Transaction, record_ids: Iterable[int], since: datetime
) -> dict[int, list[tuple[int, datetime]]]:
    """By record: the accounts that guard it after this moment, and until when."""
    guardians: dict[int, list[tuple[int, datetime]]] = {}
    for row in tx.all(_GUARDIANS_OF_MANY, records=sorted(set(record_ids)), now=since):
        guardians.setdefault(row.record_id, []).append((row.account_id, row.ends_at))
    return guardians


# Lists of records

_MINE = bindparam("account_id", type_=Record.id.type)
_OPENED = (GrantKind.GUARDIAN, GrantKind.DELEGATE)
_granted = select(Grant.record_id).where(Grant.account_id == _MINE, grant_is_live(NOW), Grant.kind.in_(_OPENED))
_ROWS_OF_ACCOUNT = Prepared(
    select(*ACCESS_COLUMNS, Record.relacion, Record.template_type, Record.created_at, Grant.ends_at)
    .outerjoin(Grant, grant_of(_MINE))
    .where(
        Record.id.in_(select(Record.id).where(Record.account_id == _MINE).union(_granted)),
        Record.erased_at.is_(None),
        Record.id > bindparam("after"),
    )
    .order_by(Record.id)
    .limit(bindparam("most"))
)
_DUE_DECISIONS = Prepared(
    select(Grant.record_id, Grant.held_until)
    .where(
        one_of(_grants.c.record_id, "records"),
        or_(
            waits_since(bindparam("waits_since", type_=Utc()), NOW),
            held_since(bindparam("held_since", type_=Utc()), NOW),
        ),
    )
    .order_by(Grant.id.desc())
)


class RecordOfAccount(NamedTuple):
    """A record that an account may open. `ends_at` is the end of its grant."""

    access: AccessRow
    relacion: str
    template_type: str
    created_at: datetime
    ends_at: datetime | None


def records_of_account(
    tx: Transaction, account_id: int, now: datetime, after: int, most: int
) -> dict[int, RecordOfAccount]:
    """By number, above `after`: what the account owns, guards or was let into."""
    rows = tx.all(_ROWS_OF_ACCOUNT, account_id=account_id, now=now, after=after, most=most)
    count = len(ACCESS_COLUMNS)
    return {row.id: RecordOfAccount(AccessRow(*row[:count]), *row[count:]) for row in rows}


def due_decisions(tx: Transaction, record_ids: Sequence[int], now: datetime) -> dict[int, GrantState]:
    """The records of which the owner has something to decide: who gets it (`waiting`), or who stays (`held`)."""
    since = {"waits_since": now - CONFIRMED_WITHIN, "held_since": now - KEPT_WITHIN}
    found = tx.all(_DUE_DECISIONS, records=record_ids, now=now, **since)
    return {row.record_id: GrantState.WAITING if row.held_until is None else GrantState.HELD for row in found}


# Entries

_OF_ENTRY = [_entries.c[name] for name in SealedEntry._fields]
_OF_RECORDS = Prepared(select(_entries.c.record_id, *_OF_ENTRY).where(one_of(_entries.c.record_id, "records")))
_stored = select(*_OF_ENTRY).where(_entries.c.record_id == bindparam("record_id"))
_ALL_ENTRIES = Prepared(_stored, row=SealedEntry)
_ONE_ENTRY = Prepared(_stored.where(_entries.c.model == bindparam("model")), row=SealedEntry)
_SOME_ENTRIES = Prepared(_stored.where(one_of(_entries.c.model, "models")), row=SealedEntry)
# The end of the log comes along, which the entry about a change follows.
_to_change = select(*_OF_ENTRY, *CHAIN_END_COLUMNS).where(RECORDS.c.id == bindparam("record_id"))
_of_record = _entries.c.record_id == RECORDS.c.id
_ALL_TO_CHANGE = Prepared(_to_change.select_from(WITH_CHAIN_END.outerjoin(_entries, _of_record)))
_ONE_TO_CHANGE = Prepared(
    _to_change.select_from(WITH_CHAIN_END.outerjoin(_entries, and_(_of_record, _entries.c.model == bindparam("model"))))
)
_INSERT_ENTRY = Prepared(insert(_entries), columns=_entries.c.keys())
_UPDATE_ENTRY = Prepared(
    update(_entries)
    .where(_entries.c.record_id == bindparam("record_id"), _entries.c.model == bindparam("model"))
    .values({name: bindparam(name) for name in ("version", "has_data", "sealed", "updated_at")})
)
_INSERT_VERSION = Prepared(insert(_versions), columns=_versions.c.keys())


def entries_by_record(tx: Transaction, record_ids: Collection[int]) -> dict[int, list[SealedEntry]]:
    found: dict[int, list[SealedEntry]] = {record_id: [] for record_id in record_ids}
    for record_id, *entry in tx.all(_OF_RECORDS, records=record_ids):
        found[record_id].append(SealedEntry._make(entry))
    return found


def sealed_entries(tx: Transaction, record_id: int, models: Collection[str] | None = None) -> list[SealedEntry]:
    """The entries of a record: all, or those of `models`."""
    if models is None:
        return tx.all(_ALL_ENTRIES, record_id=record_id)
    if len(models) == 1:
        return tx.all(_ONE_ENTRY, record_id=record_id, model=next(iter(models)))
    return tx.all(_SOME_ENTRIES, record_id=record_id, models=list(models))


def entries_to_change(
    tx: Transaction, record_id: int, models: Sequence[str] | None
) -> tuple[list[SealedEntry], ChainEnd]:
    """The same of a record that is locked, and where its log ends."""
    if models is not None and len(models) == 1:
        found = tx.all(_ONE_TO_CHANGE, record_id=record_id, model=models[0])
    else:
        found = tx.all(_ALL_TO_CHANGE, record_id=record_id)
    stored = [row for row in found if row.model is not None and (models is None or row.model in models)]
    return [SealedEntry._make(row[:-2]) for row in stored], chain_end_of(found[0].seq, found[0].hash)


def write_version(
    tx: Transaction,
    record_id: int,
    model: str,
    version: int,
    sealed: bytes,
    has_data: bool,
    change: int,
    actor: str,
    now: datetime,
) -> None:
    """As the entry of its model, and among its versions."""
    values = {"record_id": record_id, "model": model, "version": version, "sealed": sealed}
    tx.run(_INSERT_ENTRY if version == 1 else _UPDATE_ENTRY, **values, has_data=has_data, updated_at=now)
    tx.run(_INSERT_VERSION, **values, change=change, at=now, actor=actor)


def insert_first_versions(
    tx: Transaction, entries: Iterable[tuple[int, str, bytes, bool]], actor: str, now: datetime
) -> None:
    """Of new records: the number of each, the model, the sealed document, and whether it has data."""
    rows, versions = [], []
    for record_id, model, sealed, has_data in entries:
        values = {"record_id": record_id, "model": model, "version": 1, "sealed": sealed}
        rows.append(values | {"has_data": has_data, "updated_at": now})
        versions.append(values | {"change": 1, "at": now, "actor": actor})
    if rows:
        tx.run_many(_INSERT_ENTRY, rows)
        tx.run_many(_INSERT_VERSION, versions)


# Codes


class CodeOfAccount(NamedTuple):
    """A live code of one of an account's records, and whether it is an institution's; a record without has one row."""

    record_id: int
    relacion: str
    code: str | None
    is_bp: bool | None


_CODES_OF_ACCOUNT = Prepared(
    select(Record.id.label("record_id"), Record.relacion, Product.code, Product.is_bp)
    .outerjoin(Product, and_(Product.record_id == Record.id, IS_LIVE))
    .where(Record.account_id == bindparam("account_id"))
    .order_by(*OLDEST_FIRST, Product.claimed_at, Product.code),
    row=CodeOfAccount,
)


def live_codes_of_account(tx: Transaction, account_id: int) -> list[CodeOfAccount]:
    """By the age of its records."""
    return tx.all(_CODES_OF_ACCOUNT, account_id=account_id)
