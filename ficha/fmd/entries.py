"""The stored entries: one encrypted document per record and model, and every version it ever had."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic_core import from_json, to_json
from sqlalchemy import ForeignKey, LargeBinary, String, and_, bindparam, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit.log import CHAIN_END_COLUMNS, RECORDS, WITH_CHAIN_END, ChainEnd, chain_end_of
from ficha.core.crypto import cipher_of, seal, unseal
from ficha.core.db import Base, Utc
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document, has_data
from ficha.fmd.records import AnyRecord, Record


class Entry(Base):
    """The current document of a model. `has_data` is not encrypted: the existence check needs no key."""

    __tablename__ = "entries"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True)
    model: Mapped[str] = mapped_column(String(40), primary_key=True)
    version: Mapped[int]
    has_data: Mapped[bool]
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    updated_at: Mapped[datetime] = mapped_column(Utc)


class EntryVersion(Base):
    """Every version of an entry. The newest equals the entry."""

    __tablename__ = "entry_versions"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True)
    model: Mapped[str] = mapped_column(String(40), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    # Which change of the whole record made it: a patch of several models is one change.
    change: Mapped[int]
    at: Mapped[datetime] = mapped_column(Utc)
    actor: Mapped[str] = mapped_column(String(60))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)


_entries = Base.metadata.tables[Entry.__tablename__]
_versions = Base.metadata.tables[EntryVersion.__tablename__]
_ENTRIES = select(_entries.c.model, _entries.c.version, _entries.c.updated_at, _entries.c.sealed).where(
    _entries.c.record_id == bindparam("record_id")
)
_ENTRIES_OF_RECORD = Prepared(_ENTRIES)
_ENTRY_OF_MODEL = Prepared(_ENTRIES.where(_entries.c.model == bindparam("model")))
# The end of the log comes along, which the entry about a change follows.
_to_change = select(
    _entries.c.model, _entries.c.version, _entries.c.updated_at, _entries.c.sealed, *CHAIN_END_COLUMNS
).where(RECORDS.c.id == bindparam("record_id"))
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


class SealedEntry(NamedTuple):
    """An entry as the database holds it: encrypted."""

    model: str
    version: int
    updated_at: Any
    sealed: bytes


@dataclass(frozen=True)
class StoredDocument:
    """A decrypted document of a record."""

    document: Document
    version: int
    updated_at: datetime


def document_place(record_id: int, model: str, version: int) -> str:
    """Part of the encryption: a document moved to another record, model or version does not open."""
    return f"record:{record_id}:{model}:{version}"


def seal_document(key: bytes, record_id: int, model: str, version: int, document: Mapping[str, Any]) -> bytes:
    return seal(key, to_json(document), document_place(record_id, model, version))


def open_document(key: bytes | AESGCM, record_id: int, model: str, version: int, sealed: bytes) -> Document:
    plain = unseal(key, sealed, document_place(record_id, model, version))
    # Its cache outlives the request: names of fields may stay there, what a person wrote may not.
    document: Document = from_json(plain, cache_strings="keys")
    return document


def stored_documents(
    tx: Transaction, record_id: int, key: bytes, models: Iterable[str] | None = None
) -> dict[str, StoredDocument]:
    """The documents of a record by model: all, or those of `models`."""
    wanted = None if models is None else list(models)
    if wanted is not None and len(wanted) == 1:
        found = tx.all(_ENTRY_OF_MODEL, record_id=record_id, model=wanted[0])
    else:
        found = tx.all(_ENTRIES_OF_RECORD, record_id=record_id)
    return _opened(record_id, key, [entry for entry in found if wanted is None or entry.model in wanted])


def _opened(record_id: int, key: bytes, entries: Iterable[Any]) -> dict[str, StoredDocument]:
    cipher = cipher_of(key)
    return {
        entry.model: StoredDocument(
            open_document(cipher, record_id, entry.model, entry.version, entry.sealed), entry.version, entry.updated_at
        )
        for entry in entries
    }


class DocumentsToChange(dict[str, StoredDocument]):
    """Of a record that is locked: documents by model, and where its log ends."""

    log_end: ChainEnd


def documents_to_change(
    tx: Transaction, record_id: int, key: bytes, models: Sequence[str] | None = None
) -> DocumentsToChange:
    """All, or those of `models`. The caller has locked the record's row."""
    if models is not None and len(models) == 1:
        found = tx.all(_ONE_TO_CHANGE, record_id=record_id, model=models[0])
    else:
        found = tx.all(_ALL_TO_CHANGE, record_id=record_id)
    stored = [entry for entry in found if entry.model is not None and (models is None or entry.model in models)]
    documents = DocumentsToChange(_opened(record_id, key, stored))
    documents.log_end = chain_end_of(found[0].seq, found[0].hash)
    return documents


def save_version(
    tx: Transaction,
    record: AnyRecord,
    key: bytes,
    model: str,
    last: int,
    document: Document,
    actor: str,
    now: datetime,
) -> int:
    """Stores the version after `last` of a model. The caller has locked the record's row and counted the change, and
    saves the record afterwards: its size has grown."""
    version = last + 1
    sealed = seal_document(key, record.id, model, version, document)
    write = _INSERT_ENTRY if last == 0 else _UPDATE_ENTRY
    values = {"record_id": record.id, "model": model, "version": version, "sealed": sealed}
    tx.run(write, **values, has_data=has_data(document), updated_at=now)
    tx.run(_INSERT_VERSION, **values, change=record.version, at=now, actor=actor)
    record.stored_bytes += len(sealed)
    return version


def save_first_versions(
    tx: Transaction, entries: Iterable[tuple[int, str, Document, bytes]], actor: str, now: datetime
) -> None:
    """Of new records, in their first change: the number of each, the model, the document, and that sealed."""
    rows = [
        {"record_id": record_id, "model": model, "version": 1, "sealed": sealed, "has_data": has_data(document)}
        for record_id, model, document, sealed in entries
    ]
    if not rows:
        return
    tx.run_many(_INSERT_ENTRY, [row | {"updated_at": now} for row in rows])
    versions = [{name: value for name, value in row.items() if name != "has_data"} for row in rows]
    tx.run_many(_INSERT_VERSION, [row | {"change": 1, "at": now, "actor": actor} for row in versions])


def erase_entries(tx: Transaction, record_id: int) -> None:
    """Frees the space. The key was destroyed before, so the content is lost already."""
    tx.orm.execute(delete(Entry).where(Entry.record_id == record_id))
    tx.orm.execute(delete(EntryVersion).where(EntryVersion.record_id == record_id))
