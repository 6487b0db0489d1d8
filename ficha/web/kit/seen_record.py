"""A record as somebody whom its owner let in reads it: what to know first, whom to call, and then section by section.
The owner's preview shows the same."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ficha.core.transaction import Transaction
from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.responder.build_view import ALWAYS_SHOWN, responder_view
from ficha.fmd.responder.generic import model_section
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.responder.view import ContactToCall, Section, StopSign
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "seen_record")


class RecordToRead(NamedTuple):
    signs: Sequence[StopSign]
    # Of signs for which there is no room, and what no rule has judged.
    more_signs: Sequence[str]
    unjudged: Sequence[str]
    contacts: Sequence[ContactToCall]
    # Allergies, medicines and conditions of which no fact is seen, each with why: silence would read as none.
    factless: Sequence[Section]
    sections: Sequence[Section]
    # What the owner hides is not known then, and so nothing is shown.
    consent_unreadable: bool


def seen_record(
    tx: Transaction, documents: Mapping[str, Any], door: Door, now: datetime, language: str
) -> RecordToRead:
    """`documents` are all of the record: its owner's rules say which of them `door` sees."""
    view = responder_view(documents, door, now, language, withdrawn=withdrawn_rules(tx))
    reader = RecordReader(documents, door, now.date(), language)
    sections = [model_section(reader, model) for model in CATALOG if reader.document(model.about.wire)]
    signs = [*view.signs, *([view.unknown_allergies] if view.unknown_allergies else [])]
    factless = [part for part in view.sections if part.key in ALWAYS_SHOWN and not part.lines]
    return RecordToRead(
        signs, view.more_signs, view.unjudged, view.contacts, factless, sections, view.consent_unreadable
    )
