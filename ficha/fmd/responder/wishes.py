"""What the person wants done or left undone, and whether a signed document says so."""

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.models.choices import TipoVoluntad
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section
from ficha.fmd.responder.view import FactLine, Section, ShownText


def wishes(record: RecordReader) -> Section:
    """A wish is a stated preference unless a signed document is attached. Where one is said to be somewhere else, that
    is said, and not that there is none."""
    consent = record.document("consentimiento")
    found = consent.get("voluntad_anticipada")
    directive: Item = found if isinstance(found, dict) else {}
    worth = _worth(record, directive)
    of_flags = _worth_of_flags(record, directive, worth)
    lines = [_directive(record, directive, worth)]
    flags = (
        ("rechaza_transfusion", phrases.REFUSES_BLOOD, phrases.ACCEPTS_BLOOD),
        ("donante_organos", phrases.DONOR, phrases.NO_DONOR),
    )
    for name, is_so, is_not in flags:
        value = consent.get(name)
        if isinstance(value, bool):
            lines.append(FactLine(record.phrase(is_so if value else is_not), (of_flags,)))
    return section("wishes", record.translate(phrases.WISHES), lines)


def _worth(record: RecordReader, directive: Item) -> ShownText:
    where = stripped_text(directive, "lugar")
    if where and not stripped_text(directive, "documento_id"):
        return ShownText(record.translate(phrases.DECLARED).format(where=where))
    return record.phrase(phrases.SIGNED if stripped_text(directive, "documento_id") else phrases.STATED)


def _worth_of_flags(record: RecordReader, directive: Item, worth: ShownText) -> ShownText:
    """A document is that of the directive whose kind is named: whether it speaks of transfusions or organs too, the
    record does not say."""
    has_document = stripped_text(directive, "documento_id") or stripped_text(directive, "lugar")
    return record.phrase(phrases.STATED_APART) if has_document and stripped_text(directive, "tipo") else worth


def _directive(record: RecordReader, directive: Item, worth: ShownText) -> FactLine | None:
    kind = record.choice_of(TipoVoluntad, directive.get("tipo"))
    where, day = stripped_text(directive, "lugar"), date_text(directive.get("fecha"), record.language)
    summary = present(record.owner_text(directive, "resumen"))
    if not (kind or where or day or summary or stripped_text(directive, "documento_id")):
        return None
    is_attached = bool(stripped_text(directive, "documento_id"))
    title = kind.words if kind and kind is not TipoVoluntad.OTRA else phrases.DIRECTIVE
    details = present(
        worth,
        ShownText(f"{record.translate(phrases.KEPT_AT)} {where}") if where and is_attached else None,
        ShownText(day) if day else None,
    )
    return FactLine(record.phrase(title), details, summary)
