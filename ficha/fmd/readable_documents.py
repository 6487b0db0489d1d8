"""Documents of a record for our own use: damaged ones are logged and left out."""

from collections.abc import Iterable, Mapping
from typing import Any

from ficha.core.crypto import Tampered
from ficha.core.log import log
from ficha.core.plain_names import first_name
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
from ficha.fmd.entries import Entry, SealedEntry, open_document
from ficha.fmd.statements import sealed_entries

Documents = Mapping[str, Mapping[str, Any]]


def documents_of(tx: Transaction, record_id: int, key: bytes, models: Iterable[str]) -> dict[str, Document]:
    """The documents of these models, decrypted. One that does not open is logged and left out."""
    return readable(record_id, key, sealed_entries(tx, record_id, list(models)))


def readable(record_id: int, key: bytes, entries: Iterable[Entry | SealedEntry]) -> dict[str, Document]:
    """The same of entries that were read already."""
    found = {}
    for entry in entries:
        try:
            document = open_document(key, record_id, entry.model, entry.version, entry.sealed)
        except (Tampered, ValueError) as error:
            log().error("records.unreadable", record_id=record_id, model=entry.model, error=type(error).__name__)
            continue
        if isinstance(document, dict):
            found[entry.model] = document
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
