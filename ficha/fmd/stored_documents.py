"""The documents of a record, decrypted: reading them, storing new versions, and reading them for our own use, where
damaged ones are logged and left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ficha.audit.chain import ChainEnd
from ficha.core.crypto import Tampered, cipher_of
from ficha.core.log import log
from ficha.core.plain_names import first_name
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document, has_data
from ficha.fmd.consent import CONSENT, UNREADABLE_CONSENT
from ficha.fmd.entries import Entry, SealedEntry, open_document, seal_document
from ficha.fmd.statements import entries_to_change, insert_first_versions, sealed_entries, write_version


@dataclass(frozen=True)
class StoredDocument:
    """A decrypted document of a record. `is_new`: the change that returns it wrote it."""

    document: Document
    version: int
    updated_at: datetime
    is_new: bool = False


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


Documents = Mapping[str, Mapping[str, Any]]


def documents_of(tx: Transaction, record_id: int, key: bytes, models: Iterable[str]) -> dict[str, Document]:
    """The documents of these models, decrypted. One that does not open is logged and left out, but for the consent,
    without which the defaults would show what the owner hid."""
    return readable(record_id, key, sealed_entries(tx, record_id, list(models)))


def readable(record_id: int, key: bytes, entries: Iterable[Entry | SealedEntry]) -> dict[str, Document]:
    """The same of entries that were read already."""
    found = {}
    for entry in entries:
        document: Any = None
        try:
            document = open_document(key, record_id, entry.model, entry.version, entry.sealed)
        except (Tampered, ValueError) as error:
            log().error("records.unreadable", record_id=record_id, model=entry.model, error=type(error).__name__)
        if isinstance(document, dict):
            found[entry.model] = document
        elif entry.model == CONSENT:
            found[entry.model] = UNREADABLE_CONSENT
    return found


def unfiltered_first_name(documents: Documents) -> str:
    """Also where the owner hides it from strangers: for the contacts whom she chose, and for herself. Empty if what
    she wrote there is no name: it goes into messages in our name."""
    return first_name(text_in(documents.get("personal", {}), "nombres"))


def zone_of(documents: Documents) -> str:
    return text_in(documents.get("preferencia", {}), "zona_horaria")


def text_in(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
