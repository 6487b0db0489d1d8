"""The records that an account may open: its own, those it guards, those it was let into. Three statements in all."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from ficha.audit.read_log import ReadLog
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.access import RecordAccess, access_in
from ficha.fmd.base import Document, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES
from ficha.fmd.consent import visible_documents
from ficha.fmd.freshness import Level, freshness
from ficha.fmd.grants import end_of
from ficha.fmd.statements import entries_by_record, records_of_account
from ficha.fmd.stored_documents import readable, text_in
from ficha.products.product import LiveCode
from ficha.products.statements import live_codes

# Sections that say how the record is used, nothing about the person.
NOT_ASKED = frozenset({"consentimiento", "preferencia", "modulo"})
LEVELS = list(Level)


@dataclass(frozen=True)
class ListedRecord:
    """A record as its card shows it. `documents` are what this account may see of it."""

    access: RecordAccess
    relacion: str
    template_type: str
    created_at: datetime
    ends_at: datetime | None
    products: list[LiveCode]
    documents: Mapping[str, Document]
    completeness: int
    freshness: Level | None

    @property
    def id(self) -> int:
        return self.access.record_id

    @property
    def nombre(self) -> str:
        personal = self.documents.get("personal", {})
        return " ".join(filter(None, (text_in(personal, "nombres"), text_in(personal, "apellidos"))))


def records_for(
    tx: Transaction, keyring: Keyring, account_id: int, now: datetime, *, after: int = 0, most: int = 200
) -> list[ListedRecord]:
    """By their numbers, above `after`. An institution's people are not among them: it has lists of its own."""
    records = records_of_account(tx, account_id, now, after, most)
    products: dict[int, list[LiveCode]] = {record_id: [] for record_id in records}
    for product in live_codes(tx, list(records)):
        products[product.record_id].append(product)
    sealed = entries_by_record(tx, records)
    listed = []
    for record_id, record in records.items():
        access = access_in(account_id, record.access)
        seen = visible_documents(readable(record_id, access.key(keyring), sealed[record_id]), access.rights.door)
        listed.append(
            ListedRecord(
                access,
                record.relacion,
                record.template_type,
                record.created_at,
                None if access.via == "owner" else end_of(record.ends_at),
                products[record_id],
                seen,
                completeness(record.template_type, seen),
                worst_freshness(seen, now.date()),
            )
        )
    return listed


# What of a contact holds for whoever else of the family has the same. Who may decide for one may not for all.
COPIED = ("nombre", "relacion", "cod_telefono", "telefono", "correo", "canales", "idioma")


class ContactsElsewhere(NamedTuple):
    record: ListedRecord
    contacts: list[Document]


def contacts_elsewhere(
    tx: Transaction, keyring: Keyring, account_id: int, record_id: int, now: datetime
) -> list[ContactsElsewhere]:
    """The contacts of the other records that this account manages, to be copied. Of records with the same contacts only
    the first is told."""
    found: dict[frozenset[tuple[str, str]], ContactsElsewhere] = {}
    for record in records_for(tx, keyring, account_id, now):
        listed = record.documents.get("emergencia", {}).get("contactos")
        contacts = [contact for contact in listed if isinstance(contact, dict)] if isinstance(listed, list) else []
        if contacts and record.access.rights.manages and record.id != record_id:
            copies = [{name: one[name] for name in COPIED if name in one} for one in contacts]
            found.setdefault(frozenset(map(dialled, copies)), ContactsElsewhere(record, copies))
    return list(found.values())


def dialled(contact: Mapping[str, Any]) -> tuple[str, str]:
    """By which two contacts are the same."""
    return text_in(contact, "cod_telefono"), text_in(contact, "telefono").lstrip("0")


def completeness(template_type: str, documents: Mapping[str, Document]) -> int:
    """Of the sections that the record uses, how many of a hundred say something: "none known" does."""
    switches = documents.get("modulo", {}).get("modulos", {})
    asked = [
        name for name in TEMPLATES[template_type].modules if name not in NOT_ASKED and switches.get(name) is not False
    ]
    filled = sum(has_data(documents.get(name)) for name in asked)
    return 100 * filled // len(asked) if asked else 0


def worst_freshness(documents: Mapping[str, Document], today: date) -> Level | None:
    """Of the fact that is least to be trusted; None where there is no fact."""
    found = [level for _, _, level in facts_with_freshness(documents, today)]
    return max(found, key=LEVELS.index, default=None)


def facts_with_freshness(
    documents: Mapping[str, Document], today: date
) -> Iterator[tuple[str, Mapping[str, Any], Level]]:
    """Each fact with its model's name."""
    for model in CATALOG:
        document = documents.get(model.about.wire)
        for items in document.values() if isinstance(document, dict) else ():
            for item in items if isinstance(items, list) else ():
                if isinstance(item, dict) and "id" in item:
                    level = freshness(item.get("confirmado_en"), model.about.fresh_days, today).level
                    yield model.about.wire, item, level


def note_listed(
    read_log: ReadLog, records: Iterable[ListedRecord], account_id: int, now: datetime, *, origin: str
) -> None:
    """That the account saw of each who it is, on a page that lists them."""
    for record in records:
        via = record.access.via
        read_log.note(record.id, f"account:{account_id}", "record.listed", ["personal"], now, via=via, origin=origin)
