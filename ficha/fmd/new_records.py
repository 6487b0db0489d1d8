"""Opening records: one with a code for somebody who registers, for a family or who hands hers over; and many at once,
which an institution fills before anybody owns them, each with a key, a log and its entries."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ficha.accounts.accounts import lock_account
from ficha.accounts.tokens import Unauthenticated
from ficha.audit import log as audit
from ficha.audit.chain import CHAIN_START, LoggedFact
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import insert_new
from ficha.core.errors import FichaError
from ficha.core.ids import random_number
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
from ficha.fmd.entries import seal_document
from ficha.fmd.records import Record, RecordRow, record_key_bound_to, records_of
from ficha.fmd.statements import insert_record
from ficha.fmd.stored_documents import save_first_versions
from ficha.products.codes import claim_code, issue_bare_code


class TooManyRecords(FichaError):
    status = 409
    code = "demasiadas_fichas"
    message = "Su cuenta llegó al máximo de fichas. Borre o entregue una, o pida otro plan."


def check_room_for_record(tx: Transaction, account_id: int, most: int) -> None:
    """Locks the account: records are added to it by one at a time. Raises TooManyRecords, or Unauthenticated if it was
    erased meanwhile."""
    if not lock_account(tx, account_id):
        raise Unauthenticated
    if len(records_of(tx, account_id)) >= most:
        raise TooManyRecords


def open_record(
    tx: Transaction,
    account_id: int,
    relacion: str,
    keyring: Keyring,
    now: datetime,
    *,
    product_code: str | None = None,
    product_tag: str | None = None,
) -> RecordRow:
    """An empty record of this account with the printed code, or with a new one. Raises CodeNotFree."""
    record = _create_record(tx, account_id, relacion, keyring, now)
    if product_code is None:
        issue_bare_code(tx, now, record.id)
    else:
        claim_code(tx, product_code, record.id, now, tag=product_tag)
    return record


def _create_record(tx: Transaction, account_id: int, relacion: str, keyring: Keyring, now: datetime) -> RecordRow:
    """Empty, with a key of its own."""
    while True:
        number = random_number()
        wrapped = keyring.wrap(new_key(), record_key_bound_to(number))
        record = RecordRow(number, account_id, relacion, "general", 0, 0, now, None, wrapped.key_id, wrapped.sealed)
        if insert_record(tx, record):  # Else the number is taken: one in two thousand million.
            audit.note(tx, record.id, audit.Actor("account", account_id), "record.created", [], now, after=CHAIN_START)
            return record


VIA = "institution"


class UnclaimedRecord(NamedTuple):
    id: int
    key: bytes


def create_unclaimed_records(
    tx: Transaction, keyring: Keyring, contents: Sequence[Mapping[str, Document]], actor: Actor, now: datetime
) -> list[UnclaimedRecord]:
    """A record without an owner for each of these contents, which are ready to be stored. A statement for each table,
    however many they are."""
    made: dict[int, UnclaimedRecord] = {}
    entries: list[tuple[int, str, Document, bytes]] = []
    while len(made) < len(contents):  # Among many records a random number is taken now and then: then another is tried.
        tried = {random_number(): index for index in range(len(contents)) if index not in made}
        rows, sealed, keys = [], {}, {}
        for number, index in tried.items():
            key = keys[number] = new_key()
            documents = contents[index].items()
            sealed[number] = [(model, each, seal_document(key, number, model, 1, each)) for model, each in documents]
            wrapped = keyring.wrap(key, record_key_bound_to(number))
            rows.append(
                {
                    "id": number,
                    "account_id": None,
                    "relacion": "",
                    "template_type": "general",
                    "version": 1 if contents[index] else 0,
                    "stored_bytes": sum(len(bytes_) for _, _, bytes_ in sealed[number]),
                    "created_at": now,
                    "key_id": wrapped.key_id,
                    "wrapped_key": wrapped.sealed,
                }
            )
        for row in insert_new(tx, Record, rows, Record.id):
            made[tried[row.id]] = UnclaimedRecord(row.id, keys[row.id])
            entries += [(row.id, *entry) for entry in sealed[row.id]]
    save_first_versions(tx, entries, str(actor), now)
    records = [made[index] for index in range(len(contents))]
    _note(tx, records, contents, actor, now)
    return records


def _note(
    tx: Transaction,
    records: Sequence[UnclaimedRecord],
    contents: Sequence[Mapping[str, Document]],
    actor: Actor,
    now: datetime,
) -> None:
    facts = []
    for record, content in zip(records, contents, strict=True):
        facts.append(LoggedFact(record.id, now, str(actor), "record.created", [], VIA, "", None))
        if content:
            facts.append(LoggedFact(record.id, now, str(actor), "record.changed", sorted(content), VIA, "", None))
    audit.note_all(tx, facts)
