"""The documents of a record, decrypted: reading them, and storing new versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ficha.audit.chain import ChainEnd
from ficha.core.crypto import cipher_of
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document, has_data
from ficha.fmd.entries import SealedEntry, open_document, seal_document
from ficha.fmd.statements import entries_to_change, insert_first_versions, sealed_entries, write_version


@dataclass(frozen=True)
class StoredDocument:
    """A decrypted document of a record."""

    document: Document
    version: int
    updated_at: datetime


def stored_documents(
    tx: Transaction, record_id: int, key: bytes, models: Iterable[str] | None = None
) -> dict[str, StoredDocument]:
    """The documents of a record by model: all, or those of `models`."""
    return _opened(record_id, key, sealed_entries(tx, record_id, None if models is None else list(models)))


def _opened(record_id: int, key: bytes, entries: Iterable[SealedEntry]) -> dict[str, StoredDocument]:
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
    entries, log_end = entries_to_change(tx, record_id, models)
    documents = DocumentsToChange(_opened(record_id, key, entries))
    documents.log_end = log_end
    return documents


def save_version(
    tx: Transaction,
    record_id: int,
    change: int,
    key: bytes,
    model: str,
    last: int,
    document: Document,
    actor: str,
    now: datetime,
) -> int:
    """Stores the version after `last` of a model, as part of this change of the record. The caller has locked the
    record's row, and adds the returned size to the record's."""
    sealed = seal_document(key, record_id, model, last + 1, document)
    write_version(tx, record_id, model, last + 1, sealed, has_data(document), change, actor, now)
    return len(sealed)


def save_first_versions(
    tx: Transaction, entries: Iterable[tuple[int, str, Document, bytes]], actor: str, now: datetime
) -> None:
    """Of new records, in their first change: the number of each, the model, the document, and that sealed."""
    rows = [(record_id, model, sealed, has_data(document)) for record_id, model, document, sealed in entries]
    insert_first_versions(tx, rows, actor, now)
