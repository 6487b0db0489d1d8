"""Documents of a record for our own use: damaged ones are logged and left out."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sqlalchemy import Table, bindparam, select

from ficha.core.crypto import Tampered
from ficha.core.given_lists import one_of
from ficha.core.log import log
from ficha.core.plain_names import first_name
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.fmd.entries import Entry, open_document

Documents = Mapping[str, Mapping[str, Any]]

entries = cast(Table, Entry.__table__)
FIND = Prepared(
    select(entries.c.model, entries.c.version, entries.c.sealed).where(
        entries.c.record_id == bindparam("record"), one_of(entries.c.model, "models")
    )
)


def documents_of(tx: Transaction, record_id: int, key: bytes, models: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The documents of these models, decrypted. One that does not open is logged and left out."""
    found = {}
    for entry in tx.all(FIND, record=record_id, models=list(models)):
        try:
            document = open_document(key, record_id, entry.model, entry.version, entry.sealed)
        except (Tampered, ValueError) as error:
            log().error("emergency.unreadable", record_id=record_id, model=entry.model, error=type(error).__name__)
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
