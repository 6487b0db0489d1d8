"""The stored entries: one encrypted document per record and model, and every version it ever had."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, Utc
from ficha.fmd.base import Document, has_data
from ficha.fmd.records import Record


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
    plain = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    return seal(key, plain, document_place(record_id, model, version))


def open_document(key: bytes, record_id: int, model: str, version: int, sealed: bytes) -> Document:
    document: Document = json.loads(unseal(key, sealed, document_place(record_id, model, version)))
    return document


def stored_documents(
    session: Session, record_id: int, key: bytes, models: Iterable[str] | None = None
) -> dict[str, StoredDocument]:
    """The documents of a record by model: all, or those of `models`."""
    query = select(Entry).where(Entry.record_id == record_id)
    if models is not None:
        query = query.where(Entry.model.in_(list(models)))
    return {
        entry.model: StoredDocument(
            open_document(key, record_id, entry.model, entry.version, entry.sealed), entry.version, entry.updated_at
        )
        for entry in session.scalars(query)
    }


def save_version(
    session: Session, record: Record, key: bytes, model: str, document: Document, actor: str, now: datetime
) -> int:
    """Stores the next version of a model. The caller has locked the record's row and counted the change."""
    entry = session.get(Entry, (record.id, model))
    version = entry.version + 1 if entry else 1
    sealed = seal_document(key, record.id, model, version, document)
    if entry is None:
        entry = Entry(record_id=record.id, model=model)
        session.add(entry)
    entry.version, entry.sealed, entry.updated_at = version, sealed, now
    entry.has_data = has_data(document)
    session.add(
        EntryVersion(
            record_id=record.id,
            model=model,
            version=version,
            change=record.version,
            at=now,
            actor=actor,
            sealed=sealed,
        )
    )
    return version


def erase_entries(session: Session, record_id: int) -> None:
    """Frees the space. The key was destroyed before, so the content is lost already."""
    session.execute(delete(Entry).where(Entry.record_id == record_id))
    session.execute(delete(EntryVersion).where(EntryVersion.record_id == record_id))
