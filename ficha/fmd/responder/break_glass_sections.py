"""What is usually seen only after the glass is broken: vaccines, identity, school."""

from ficha.fmd.responder import phrases
from ficha.fmd.responder.clinical import lost, section
from ficha.fmd.responder.dates_and_amounts import day_said
from ficha.fmd.responder.emergency_numbers import number_of
from ficha.fmd.responder.record_reader import Item, Reading, texts, written
from ficha.fmd.responder.view import Line, Section, Text
from ficha.fmd.translations import Translated


def vaccines(reading: Reading) -> Section:
    lines = [_dose(reading, item) for item in reading.items("vacuna", "vacunas")]
    says = [
        reading.say(phrases.NOT_READABLE) if "vacuna" in reading.unreadable else None,
        lost(reading, "vacuna", "vacunas", lines),
    ]
    return section("vaccines", reading.say(phrases.VACCINES), lines, says)


def _dose(reading: Reading, item: Item) -> Line | None:
    title, also = reading.named(item.get("vacuna"), "vacuna")
    if title is None:
        return None
    count, day = item.get("dosis_numero"), day_said(item.get("fecha"), reading.language)
    is_count = isinstance(count, int) and not isinstance(count, bool)
    details = texts(
        also,
        Text(reading.say(phrases.DOSE_NUMBER).format(count)) if is_count else None,
        Text(day) if day else None,
        _labelled(reading, phrases.LOT, item, "lote"),
        reading.own(item, "lugar"),
    )
    return Line(title, details, confirmed=reading.confirmed(item, "vacuna"))


def identity(reading: Reading) -> Section:
    personal = reading.document("personal")
    number, document = number_of(personal), written(personal, "documento_numero")
    lines = [
        _plain(reading, phrases.DOCUMENT, f"{written(personal, 'documento_tipo')} {document}") if document else None,
        _plain(reading, phrases.ADDRESS, _address(personal.get("direccion"))),
        Line(Text(reading.say(phrases.PHONE)), number=number) if number else None,
        _plain(reading, phrases.MAIL, written(personal, "correo")),
    ]
    return section("identity", reading.say(phrases.IDENTITY), lines)


def _address(found: object) -> str:
    address: Item = found if isinstance(found, dict) else {}
    names = ("calle", "ciudad", "estado", "codigo_postal", "pais")
    return ", ".join(part for name in names if (part := written(address, name)))


def school(reading: Reading) -> Section:
    student = reading.document("estudiante")
    place = written(student, "institucion")
    details = texts(
        reading.own(student, "grado"),
        _labelled(reading, phrases.CLASS, student, "seccion"),
        reading.own(student, "turno"),
        _labelled(reading, phrases.ENROLLED, student, "matricula"),
    )
    collectors = [_collector(reading, item) for item in reading.items("estudiante", "autorizados_retirar")]
    lines = [
        Line(Text(place or reading.say(phrases.SCHOOL)), details) if place or details else None,
        _plain(reading, phrases.TRANSPORT, written(student, "transporte")),
        *collectors,
    ]
    says = [
        reading.say(phrases.NOT_READABLE) if "estudiante" in reading.unreadable else None,
        lost(reading, "estudiante", "autorizados_retirar", collectors),
    ]
    return section("school", reading.say(phrases.SCHOOL), lines, says)


def _collector(reading: Reading, item: Item) -> Line | None:
    name = written(item, "nombre")
    if not name:
        return None
    document = written(item, "documento")
    details = texts(
        Text(reading.say(phrases.MAY_COLLECT)),
        reading.relation(item),
        Text(document) if document else None,
    )
    return Line(Text(name), details, confirmed=reading.confirmed(item, "estudiante"), number=number_of(item))


def _plain(reading: Reading, title: Translated, value: str) -> Line | None:
    return Line(Text(reading.say(title)), (Text(value.strip(), own=True),)) if value.strip() else None


def _labelled(reading: Reading, label: Translated, item: Item, name: str) -> Text | None:
    value = written(item, name)
    return Text(f"{reading.say(label)} {value}") if value else None
