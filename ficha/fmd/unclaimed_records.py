"""Records that an institution fills before anybody owns them: many at once, each with a key, a log and its entries."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from ficha.audit import log as audit
from ficha.audit.chain import LoggedFact
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import insert_new
from ficha.core.ids import random_number
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
from ficha.fmd.entries import seal_document
from ficha.fmd.records import Record, key_place_of
from ficha.fmd.stored_documents import save_first_versions

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
        tried = {random_number(): place for place in range(len(contents)) if place not in made}
        rows, sealed, keys = [], {}, {}
        for number, place in tried.items():
            key = keys[number] = new_key()
            documents = contents[place].items()
            sealed[number] = [(model, each, seal_document(key, number, model, 1, each)) for model, each in documents]
            wrapped = keyring.wrap(key, key_place_of(number))
            rows.append(
                {
                    "id": number,
                    "account_id": None,
                    "relacion": "",
                    "template_type": "general",
                    "version": 1 if contents[place] else 0,
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
    records = [made[place] for place in range(len(contents))]
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
