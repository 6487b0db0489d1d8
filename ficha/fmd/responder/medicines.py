"""The medicines that the person takes."""

from collections.abc import Sequence
from datetime import date

from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, unreadable_sentence, why_empty
from ficha.fmd.responder.view import FactLine, Section
from ficha.fmd.values import last_day

# The ATC group of medicines against blood clots.
ANTITHROMBOTIC = "B01A"


def medicines(record: RecordReader) -> Section:
    """Those that must not stop come first, those that ended last."""
    items = record.items("medicacion", "medicamentos")
    ordered = sorted(items, key=lambda item: (_has_ended(item, record.today), item.get("critico") is not True))
    lines = [_medicine(record, item) for item in ordered]
    field = ("medicacion", "medicamentos")
    sentences = [
        why_empty(record, *field) or record.reserved_sentence("medicacion"),
        unreadable_sentence(record, lines, field),
    ]
    lines.append(_anticoagulant(record, items))
    return section("medicines", record.translate(phrases.MEDICINES), lines, sentences)


def _medicine(record: RecordReader, item: Item) -> FactLine | None:
    title, note = record.term_and_note(item.get("medicamento"), "medicacion")
    if title is None:
        return None
    ends = phrases.ENDED if _has_ended(item, record.today) else phrases.UNTIL
    details = present(
        record.phrase(phrases.KEEP_TAKING, strong=True) if item.get("critico") is True else None,
        note,
        record.owner_text(item, "dosis"),
        record.owner_text(item, "frecuencia"),
        record.owner_text(item, "via"),
        record.owner_text(item, "motivo"),
        record.labelled_text(phrases.KEPT_IN, item, "guardado_en"),
        record.labelled_date(phrases.SINCE, item.get("desde")),
        record.labelled_date(ends, item.get("hasta")),
    )
    return FactLine(title, details, confirmed=record.confirmation(item, "medicacion"))


def _anticoagulant(record: RecordReader, medicines: Sequence[Item]) -> FactLine | None:
    """The flag, unless the list already names such a medicine."""
    flag = record.document("cardiologico").get("anticoagulado")
    if not isinstance(flag, bool) or any(_is_antithrombotic(item.get("medicamento")) for item in medicines):
        return None
    words = phrases.TAKES_ANTICOAGULANT if flag else phrases.NO_ANTICOAGULANT
    return FactLine(record.phrase(words, strong=flag), confirmed=record.last_saved("cardiologico"))


def _is_antithrombotic(term: object) -> bool:
    return isinstance(term, dict) and stripped_text(term, "codigo").startswith(ANTITHROMBOTIC)


def _has_ended(item: Item, today: date) -> bool:
    until = stripped_text(item, "hasta")
    end = last_day(until) if until else None
    return end is not None and end < today
