"""The sections that are usually seen only after breaking the glass: vaccines, identity, school."""

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import number_of
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, unreadable_sentence
from ficha.fmd.responder.view import FactLine, Section, ShownText
from ficha.fmd.translations import Translated


def vaccines(record: RecordReader) -> Section:
    lines = [_dose(record, item) for item in record.items("vacuna", "vacunas")]
    sentences = [
        record.translate(phrases.NOT_READABLE) if "vacuna" in record.unreadable else None,
        unreadable_sentence(record, lines, ("vacuna", "vacunas")),
    ]
    return section("vaccines", record.translate(phrases.VACCINES), lines, sentences)


def _dose(record: RecordReader, item: Item) -> FactLine | None:
    title, note = record.term_and_note(item.get("vacuna"), "vacuna")
    if title is None:
        return None
    count, day = item.get("dosis_numero"), date_text(item.get("fecha"), record.language)
    is_count = isinstance(count, int) and not isinstance(count, bool)
    details = present(
        note,
        ShownText(record.translate(phrases.DOSE_NUMBER).format(count)) if is_count else None,
        ShownText(day) if day else None,
        _labelled(record, phrases.LOT, item, "lote"),
        record.owner_text(item, "lugar"),
    )
    return FactLine(title, details, confirmed=record.confirmation(item, "vacuna"))


def identity(record: RecordReader) -> Section:
    personal = record.document("personal")
    kind, document = stripped_text(personal, "documento_tipo"), stripped_text(personal, "documento_numero")
    number = number_of(personal)
    lines = [
        _plain(record, phrases.DOCUMENT, f"{kind} {document}" if document else ""),
        _plain(record, phrases.ADDRESS, _address(personal.get("direccion"))),
        FactLine(record.phrase(phrases.PHONE), number=number) if number else None,
        _plain(record, phrases.MAIL, stripped_text(personal, "correo")),
    ]
    return section("identity", record.translate(phrases.IDENTITY), lines)


def _address(found: object) -> str:
    address: Item = found if isinstance(found, dict) else {}
    names = ("calle", "ciudad", "estado", "codigo_postal", "pais")
    return ", ".join(part for name in names if (part := stripped_text(address, name)))


def school(record: RecordReader) -> Section:
    student = record.document("estudiante")
    institution = stripped_text(student, "institucion")
    details = present(
        record.owner_text(student, "grado"),
        _labelled(record, phrases.CLASS, student, "seccion"),
        record.owner_text(student, "turno"),
        _labelled(record, phrases.ENROLLED, student, "matricula"),
    )
    collectors = [_collector(record, item) for item in record.items("estudiante", "autorizados_retirar")]
    lines = [
        FactLine(ShownText(institution or record.translate(phrases.SCHOOL)), details)
        if institution or details
        else None,
        _plain(record, phrases.TRANSPORT, stripped_text(student, "transporte")),
        *collectors,
    ]
    sentences = [
        record.translate(phrases.NOT_READABLE) if "estudiante" in record.unreadable else None,
        unreadable_sentence(record, collectors, ("estudiante", "autorizados_retirar")),
    ]
    return section("school", record.translate(phrases.SCHOOL), lines, sentences)


def _collector(record: RecordReader, item: Item) -> FactLine | None:
    name = stripped_text(item, "nombre")
    if not name:
        return None
    document = stripped_text(item, "documento")
    details = present(
        record.phrase(phrases.MAY_COLLECT),
        record.relation_text(item),
        ShownText(document) if document else None,
    )
    return FactLine(ShownText(name), details, confirmed=record.confirmation(item, "estudiante"), number=number_of(item))


def _plain(record: RecordReader, title: Translated, value: str) -> FactLine | None:
    return FactLine(record.phrase(title), (ShownText(value.strip(), own=True),)) if value.strip() else None


def _labelled(record: RecordReader, label: Translated, item: Item, name: str) -> ShownText | None:
    value = stripped_text(item, name)
    return ShownText(f"{record.translate(label)} {value}") if value else None
