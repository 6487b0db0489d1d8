"""What is in a Health Link: what its record says now, to whoever gives a name, in the words of FHIR."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from pydantic_core import to_json

from ficha.core.transaction import Transaction
from ficha.exchange.health_cards.issued import CardContents, valid_card
from ficha.exchange.ips.definitions import FHIR_JSON, FHIR_VERSION
from ficha.exchange.ips.document import RecordToTell, patient_summary
from ficha.exchange.ips.insurance import insurance_bundle
from ficha.fmd.base import Door
from ficha.fmd.entries import SealedEntry
from ficha.fmd.records import RecordRow
from ficha.fmd.responder.record_reader import opened_entries
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.statements import sealed_entries

CARD_TYPE = "application/smart-health-card"


class FileKind(StrEnum):
    SUMMARY = "s"
    INSURANCE = "i"
    CARD = "c"

    @property
    def content_type(self) -> str:
        return CARD_TYPE if self is FileKind.CARD else FHIR_JSON

    @property
    def fhir_version(self) -> str | None:
        return None if self is FileKind.CARD else FHIR_VERSION


class LinkFile(NamedTuple):
    """`models` are those of the record that are in it."""

    kind: FileKind
    content: bytes
    models: Sequence[str]


class SharedRecord(NamedTuple):
    """A record as it was read for a link, to be told without the database. `updated_at` is None for an empty one."""

    record: RecordToTell
    updated_at: datetime | None
    card: CardContents | None


def shared_record(
    tx: Transaction, record: RecordRow, record_key: bytes, language: str, base: str, now: datetime
) -> SharedRecord:
    """What a professional sees who gives her name: what the owner keeps to herself is in no link."""
    entries: Sequence[SealedEntry] = sealed_entries(tx, record.id, None)
    documents = opened_entries(record.id, record_key, entries)
    told = RecordToTell(record.id, documents, Door.B, language, base, withdrawn_rules(tx))
    card = valid_card(tx, record.id, record_key, documents, now, base_url=base)
    return SharedRecord(told, max((entry.updated_at for entry in entries), default=None), card)


def link_file(shared: SharedRecord, kind: FileKind, now: datetime) -> LinkFile | None:
    """None if the record has nothing for it."""
    return MAKERS[kind](shared, now)


def link_kinds(shared: SharedRecord, now: datetime) -> Iterator[FileKind]:
    """Which files there are. The summary, which every record has and which takes longest, is not made for that."""
    return (kind for kind in FileKind if kind is FileKind.SUMMARY or link_file(shared, kind, now) is not None)


def link_files(shared: SharedRecord, now: datetime, kinds: Iterable[FileKind] = FileKind) -> Iterator[LinkFile]:
    """Those of these kinds that there are, the summary first."""
    return (found for kind in kinds if (found := link_file(shared, kind, now)) is not None)


def _summary(shared: SharedRecord, now: datetime) -> LinkFile:
    made = patient_summary(shared.record, now)
    return LinkFile(FileKind.SUMMARY, to_json(made.bundle), made.models)


def _insurance(shared: SharedRecord, now: datetime) -> LinkFile | None:
    bundle = insurance_bundle(shared.record, now)
    if bundle is None:
        return None
    return LinkFile(FileKind.INSURANCE, to_json(bundle), ["personal", "poliza"])


def _card(shared: SharedRecord, _now: datetime) -> LinkFile | None:
    """Only one that the owner has issued: opening a link signs nothing."""
    if shared.card is None:
        return None
    content = to_json({"verifiableCredential": [shared.card.signed]})
    return LinkFile(FileKind.CARD, content, shared.card.models)


MAKERS: Mapping[FileKind, Callable[[SharedRecord, datetime], LinkFile | None]] = {
    FileKind.SUMMARY: _summary,
    FileKind.INSURANCE: _insurance,
    FileKind.CARD: _card,
}
