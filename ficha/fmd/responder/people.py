"""Insurance, guardian, doctors and the preferred hospital."""

from ficha.fmd.models.people import Custodia
from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import helpline, number_of
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, unreadable_sentence
from ficha.fmd.responder.view import FactLine, Section, ShownText
from ficha.fmd.values import last_day


def people(record: RecordReader) -> Section:
    """Insurance, guardian, doctors, and the hospital that she prefers."""
    policies = [_policy(record, item) for item in record.items("poliza", "polizas")]
    doctors = [_doctor(record, item) for item in record.items("personalsermed", "medicos")]
    sentences = [
        *(record.translate(phrases.NOT_READABLE) for wire in ("poliza", "representante", "personalsermed")
          if wire in record.unreadable),
        record.reserved_sentence("poliza", "representante", "personalsermed"),
        unreadable_sentence(record, policies, ("poliza", "polizas")),
        unreadable_sentence(record, doctors, ("personalsermed", "medicos")),
    ]  # fmt: skip
    lines = [*policies, _guardian(record), *doctors, _cardiologist(record), _hospital(record)]
    return section("people", record.translate(phrases.PEOPLE), lines, dict.fromkeys(sentences))


def _policy(record: RecordReader, item: Item) -> FactLine | None:
    insurer, number = stripped_text(item, "aseguradora"), stripped_text(item, "numero")
    holder, until = stripped_text(item, "titular"), stripped_text(item, "vigente_hasta")
    if not insurer and not number:
        return None
    end = last_day(until) if until else None
    ends = phrases.EXPIRED if end and end < record.today else phrases.UNTIL
    details = present(
        ShownText(f"{record.translate(phrases.POLICY)} {number}") if number and insurer else None,
        record.owner_text(item, "plan"),
        ShownText(f"{record.translate(phrases.HOLDER)} {holder}") if holder else None,
        record.labelled_date(phrases.SINCE, item.get("vigente_desde")),
        record.labelled_date(ends, item.get("vigente_hasta")),
    )
    help_ = helpline(item.get("telefono_asistencia"), record.translate(phrases.HELPLINE))
    return FactLine(ShownText(insurer or number), details, confirmed=record.confirmation(item, "poliza"), number=help_)


def _guardian(record: RecordReader) -> FactLine | None:
    item = record.document("representante")
    name = stripped_text(item, "nombre")
    if not name:
        return None
    custody = record.choice_text(Custodia, item.get("custodia"))
    document, mail = stripped_text(item, "documento"), stripped_text(item, "correo")
    details = present(
        record.phrase(phrases.GUARDIAN),
        record.relation_text(item),
        ShownText(f"{record.translate(phrases.CUSTODY)} {custody.words}") if custody else None,
        ShownText(document) if document else None,
        ShownText(mail) if mail else None,
    )
    return FactLine(ShownText(name), details, confirmed=record.last_saved("representante"), number=number_of(item))


def _doctor(record: RecordReader, item: Item) -> FactLine | None:
    name = stripped_text(item, "nombre")
    if not name:
        return None
    institution, licence = stripped_text(item, "institucion"), stripped_text(item, "registro")
    details = present(
        record.owner_text(item, "especialidad"),
        ShownText(institution) if institution else None,
        ShownText(f"{record.translate(phrases.LICENCE)} {licence}") if licence else None,
    )
    return FactLine(
        ShownText(name), details, confirmed=record.confirmation(item, "personalsermed"), number=number_of(item)
    )


def _cardiologist(record: RecordReader) -> FactLine | None:
    name = stripped_text(record.document("cardiologico"), "cardiologo")
    if not name:
        return None
    return FactLine(
        ShownText(name), (record.phrase(phrases.CARDIOLOGIST),), confirmed=record.last_saved("cardiologico")
    )


def _hospital(record: RecordReader) -> FactLine | None:
    name = stripped_text(record.document("emergencia"), "hospital_preferido")
    if not name:
        return None
    return FactLine(ShownText(name), (record.phrase(phrases.HOSPITAL),), confirmed=record.last_saved("emergencia"))
