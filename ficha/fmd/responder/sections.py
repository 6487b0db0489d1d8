"""What the sections of the responder's view share: why a list is empty, and how much of it could not be read."""

from collections.abc import Iterable, Sequence

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.model_parts import Absence
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present
from ficha.fmd.responder.view import FactLine, Section, ShownText
from ficha.fmd.translations import Translated


def section(key: str, title: str, lines: Iterable[FactLine | None], sentences: Iterable[str | None] = ()) -> Section:
    return Section(key, title, tuple(filter(None, lines)), tuple(filter(None, sentences)))


def why_empty(record: RecordReader, wire: str, field: str) -> str | None:
    """Why a list is empty: none known, not asked, not recorded, or not readable. None if it is not empty."""
    if wire in record.unreadable:
        return record.translate(phrases.NOT_READABLE)
    if record.items(wire, field) or record.unreadable_count(wire, field):
        return None
    reserved = record.reserved_sentence(wire)
    if reserved:
        return reserved
    absence = record.document(wire).get("ausencia")
    if absence == Absence.NINGUNA_CONOCIDA:
        return record.translate(phrases.NONE_KNOWN)
    return record.translate(phrases.NOT_ASKED if absence == Absence.NO_PREGUNTADO else phrases.NOT_RECORDED)


def unreadable_sentence(record: RecordReader, lines: Sequence[FactLine | None], *lists: tuple[str, str]) -> str | None:
    """How many items of these lists (model, field) could not be read. `lines` has None for each that made no line."""
    count = lines.count(None)
    for wire, field in lists:
        count += record.unreadable_count(wire, field)
    if not count:
        return None
    return record.translate(phrases.ONE_LOST) if count == 1 else record.translate(phrases.SOME_LOST).format(count)


def term_line(record: RecordReader, item: Item, wire: str, kind: Translated) -> FactLine | None:
    """An item that is only a term: an implant, a surgery, a condition of the heart."""
    title, note = record.term_and_note(item, wire)
    if title is None:
        return None
    day = date_text(item.get("fecha"), record.language)
    details = present(record.phrase(kind), note, ShownText(day) if day else None)
    return FactLine(title, details, confirmed=record.confirmation(item, wire))
