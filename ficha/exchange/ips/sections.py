"""The sections of the International Patient Summary, in their order: which lists of the record each tells of, and what
it says where there is nothing to list."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from ficha.fmd import fhir_codes as codes
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, hl7, moment, resource, snomed
from ficha.fmd.model_parts import Absence
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.translations import Translated


class RecordList(NamedTuple):
    """A list of a model, the field that says why it is empty, and the codes of SNOMED CT for "none known" where only
    this list of the section says so."""

    wire: str
    field: str
    absence: str = "ausencia"
    none_known: tuple[str, ...] = ()


class SummarySection(NamedTuple):
    """`none_known` is the code for "none known" of the whole section; without one, the section's `emptyReason` says
    it. Required sections are always there, the others where there is something to say."""

    code: str
    title: Translated
    lists: tuple[RecordList, ...] = ()
    none_known: str = ""
    required: bool = False


SECTIONS = (
    SummarySection(
        codes.ALERTS,
        Translated("Alertas", "Alerts", "Alertas"),
        (RecordList("consideracion", "consideraciones"),),
    ),
    SummarySection(
        codes.ALLERGIES,
        Translated("Alergias e intolerancias", "Allergies and intolerances", "Alergias e intolerâncias"),
        (
            RecordList("alergiasm", "alergias", none_known=(codes.NO_DRUG_ALLERGY,)),
            RecordList("alergiasa", "alergias", none_known=(codes.NO_FOOD_ALLERGY, codes.NO_ENVIRONMENT_ALLERGY)),
        ),
        codes.NO_ALLERGY,
        required=True,
    ),
    SummarySection(
        codes.MEDICINES,
        Translated("Medicinas", "Medicines", "Medicamentos"),
        (RecordList("medicacion", "medicamentos"),),
        codes.NO_MEDICINE,
        required=True,
    ),
    SummarySection(
        codes.PROBLEMS,
        Translated("Problemas de salud", "Health problems", "Problemas de saúde"),
        (RecordList("salud", "condiciones"), RecordList("cardiologico", "antecedentes", "ausencia_antecedentes")),
        codes.NO_PROBLEM,
        required=True,
    ),
    SummarySection(
        codes.DIRECTIVES_SECTION,
        Translated("Voluntad anticipada", "Advance directives", "Diretivas antecipadas"),
    ),
    SummarySection(
        codes.DEVICES,
        Translated("Dispositivos e implantes", "Devices and implants", "Dispositivos e implantes"),
        (
            RecordList("cardiologico", "dispositivos"),
            RecordList("cuerpo", "implantes"),
            RecordList("cuerpo", "protesis", "ausencia_protesis"),
        ),
    ),
    SummarySection(codes.PREGNANCY_SECTION, Translated("Embarazo", "Pregnancy", "Gravidez")),
    SummarySection(
        codes.PROCEDURES,
        Translated("Cirugías", "Procedures", "Cirurgias"),
        (RecordList("salud", "cirugias", "ausencia_cirugias"),),
    ),
    SummarySection(
        codes.IMMUNIZATIONS,
        Translated("Vacunas", "Immunisations", "Vacinas"),
        (RecordList("vacuna", "vacunas"),),
    ),
    SummarySection(codes.PAST_PROBLEMS, Translated("Problemas pasados", "Past problems", "Problemas passados")),
    SummarySection(codes.VITAL_SIGNS, Translated("Medidas habituales", "Vital signs", "Medidas habituais")),
    SummarySection(codes.RESULTS, Translated("Resultados", "Results", "Resultados")),
    SummarySection(
        codes.STORY,
        Translated("Lo que cuenta la persona", "The patient's story", "O que a pessoa conta"),
    ),
)


class Emptiness(StrEnum):
    """Why a list has nothing: the code of HL7's `list-empty-reason`, from what hides most to what says least."""

    WITHHELD = "withheld"
    UNREADABLE = "unavailable"
    NOT_ASKED = "notasked"
    NONE_KNOWN = "nilknown"
    NOT_RECORDED = "notstarted"


SENTENCES = {
    Emptiness.WITHHELD: phrases.RESERVED_PRIVATE,
    Emptiness.UNREADABLE: phrases.NOT_READABLE,
    Emptiness.NOT_ASKED: phrases.NOT_ASKED,
    Emptiness.NONE_KNOWN: phrases.NONE_KNOWN,
    Emptiness.NOT_RECORDED: phrases.NOT_RECORDED,
}
# By its code: of a section that denies a part, the rest may not be read as denied too.
DENIED = {
    codes.NO_ALLERGY: Translated("Ninguna alergia conocida", "No known allergy", "Nenhuma alergia conhecida"),
    codes.NO_DRUG_ALLERGY: Translated(
        "Ninguna alergia conocida a medicinas", "No known drug allergy", "Nenhuma alergia conhecida a medicamentos"
    ),
    codes.NO_FOOD_ALLERGY: Translated(
        "Ninguna alergia conocida a alimentos", "No known food allergy", "Nenhuma alergia conhecida a alimentos"
    ),
    codes.NO_ENVIRONMENT_ALLERGY: Translated(
        "Ninguna alergia conocida del ambiente",
        "No known environmental allergy",
        "Nenhuma alergia conhecida do ambiente",
    ),
    codes.NO_MEDICINE: Translated("Ninguna medicina conocida", "No known medication", "Nenhum medicamento conhecido"),
    codes.NO_PROBLEM: Translated(
        "Ningún problema de salud conocido", "No known health problem", "Nenhum problema de saúde conhecido"
    ),
}
# "notstarted" would say that somebody is about to ask.
REASONS = {Emptiness.NOT_RECORDED: "unavailable"}


def emptiness_of(record: RecordReader, source: RecordList) -> Emptiness | None:
    """Why nothing of this list is shown; None if something is. What the owner reserved is said to be reserved: a
    reader who takes hidden for absent is in danger of doing harm."""
    if source.wire in record.unreadable or record.consent_unreadable:
        return Emptiness.UNREADABLE
    if record.items(source.wire, source.field):
        return None
    if record.reserved_sentence(source.wire):
        return Emptiness.WITHHELD
    if record.unreadable_count(source.wire, source.field):
        return Emptiness.UNREADABLE
    absence = record.document(source.wire).get(source.absence)
    if absence == Absence.NINGUNA_CONOCIDA:
        return Emptiness.NONE_KNOWN
    return Emptiness.NOT_ASKED if absence == Absence.NO_PREGUNTADO else Emptiness.NOT_RECORDED


def absences(writer: FhirWriter, section: SummarySection, reasons: Sequence[Emptiness | None]) -> Iterator[FhirEntry]:
    """Known absence as facts: of the whole section, or of those lists of it that have a code of their own."""
    if section.none_known and set(reasons) == {Emptiness.NONE_KNOWN}:
        yield FhirEntry(f"none/{section.code}", _absence(writer, section.code, section.none_known), section.code)
        return
    for source, reason in zip(section.lists, reasons, strict=True):
        if reason is Emptiness.NONE_KNOWN:
            for code in source.none_known:
                yield FhirEntry(f"none/{code}", _absence(writer, section.code, code), section.code)


def _absence(writer: FhirWriter, section: str, code: str) -> Resource:
    concept = snomed(code, writer.words(DENIED[code]))
    match section:
        case codes.ALLERGIES:
            active = hl7("allergyintolerance-clinical", "active")
            return resource("AllergyIntolerance", clinicalStatus=active, code=concept, patient=writer.patient)
        case codes.MEDICINES:
            unknown_day = moment("effectiveDateTime", None)
            taken = {"status": "unknown", "medicationCodeableConcept": concept, "subject": writer.patient}
            return resource("MedicationStatement", **taken, **unknown_day)
    return resource("Condition", code=concept, subject=writer.patient)


def empty_reason(writer: FhirWriter, reasons: Sequence[Emptiness | None]) -> Resource:
    """Of a section without entries: what hides most is said first."""
    found = [reason for reason in Emptiness if reason in reasons]
    told = found[0] if found and found != [Emptiness.NONE_KNOWN, Emptiness.NOT_RECORDED] else Emptiness.NOT_RECORDED
    return hl7("list-empty-reason", REASONS.get(told, told)) | {"text": writer.words(SENTENCES[told])}
