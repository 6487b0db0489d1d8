"""The stored entries: one encrypted document per record and model, and every version it ever had."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic_core import from_json, to_json
from sqlalchemy import ForeignKey, LargeBinary, String, delete
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, Utc
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
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


def document_bound_to(record_id: int, model: str, version: int) -> str:
    """Part of the encryption: a document moved to another record, model or version does not open."""
    return f"record:{record_id}:{model}:{version}"


def seal_document(key: bytes, record_id: int, model: str, version: int, document: Mapping[str, Any]) -> bytes:
    return seal(key, to_json(document), document_bound_to(record_id, model, version))


def open_document(key: bytes | AESGCM, record_id: int, model: str, version: int, sealed: bytes) -> Document:
    plain = unseal(key, sealed, document_bound_to(record_id, model, version))
    # Its cache outlives the request: names of fields may stay there, what a person wrote may not.
    document: Document = from_json(plain, cache_strings="keys")
    return document


def erase_entries(tx: Transaction, record_id: int) -> None:
    """Frees the space. The key was destroyed before, so the content is lost already."""
    tx.orm.execute(delete(Entry).where(Entry.record_id == record_id))
    tx.orm.execute(delete(EntryVersion).where(EntryVersion.record_id == record_id))
