"""Whose devices are meant: those of the person with a document number. Numbers are stored encrypted, so they are found
by hashes with a key of ours, made when somebody first asks after a record was changed."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, and_, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.crypto import Keyring
from ficha.core.db import Base
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.devices.people import HAS_DEVICE
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, text_in

MODEL = "personal"


class DocumentLookup(Base):
    """Of a record whose owner has a device."""

    __tablename__ = "document_lookups"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True, autoincrement=False)
    # Of the model that has the number: a hash of an older version counts for nothing.
    version: Mapped[int]
    number_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32), index=True)


class FoundPeople(NamedTuple):
    """`unknown`: what had to be opened for the answer, to be kept for the next."""

    accounts: Sequence[int]
    unknown: Sequence[DocumentLookup]


def people_with_document(tx: Transaction, keyring: Keyring, secrets: Secrets, digits: str) -> FoundPeople:
    """Accounts with a device whose own record has this document number, whatever letters and dots are in it."""
    wanted = _number_hash(secrets, digits)
    has_model = and_(Entry.record_id == Record.id, Entry.model == MODEL)
    is_current = and_(DocumentLookup.record_id == Record.id, DocumentLookup.version == Entry.version)
    owned = select(Record, Entry.version).join(Account, Account.id == Record.account_id).join(Entry, has_model)
    owned = owned.where(HAS_DEVICE)
    known = owned.join(DocumentLookup, is_current).where(DocumentLookup.number_hash == wanted)
    found = {record.account_id for record, _version in tx.orm.execute(known)}
    unknown = []
    for record, version in tx.orm.execute(
        owned.outerjoin(DocumentLookup, is_current).where(DocumentLookup.record_id.is_(None))
    ):
        documents = documents_of(tx, record.id, record.open_key(keyring), (MODEL,))
        number = "".join(filter(str.isdigit, text_in(documents.get(MODEL, {}), "documento_numero")))
        hashed = _number_hash(secrets, number) if number else None
        unknown.append(DocumentLookup(record_id=record.id, version=version, number_hash=hashed))
        if hashed == wanted:
            found.add(record.account_id)
    return FoundPeople(sorted(account for account in found if account is not None), unknown)


def keep_lookups(tx: Transaction, lookups: Sequence[DocumentLookup]) -> None:
    """Whoever asks at the same time keeps the same: then these are not needed."""
    try:
        with tx.savepoint():
            tx.orm.execute(
                delete(DocumentLookup).where(DocumentLookup.record_id.in_([each.record_id for each in lookups]))
            )
            tx.orm.add_all(lookups)
    except IntegrityError:
        return


def erase_lookup(tx: Transaction, record_id: int) -> None:
    """With its record."""
    tx.orm.execute(delete(DocumentLookup).where(DocumentLookup.record_id == record_id))


def _number_hash(secrets: Secrets, digits: str) -> bytes:
    return secrets.keyed_hash("devices.document", digits)
