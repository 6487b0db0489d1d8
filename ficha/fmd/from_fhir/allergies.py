"""AllergyIntolerance read back: into `alergiasm` if it is to a medicine, else into `alergiasa`."""

from collections.abc import Iterator, Mapping
from typing import Any

from ficha.fmd.fhir_codes import ALLERGY_CATEGORIES, CRITICALITIES, SYSTEMS
from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    codings,
    hl7_code,
    is_ours,
    items,
    meant,
    notes,
    own_fields,
    part,
    word,
    words,
)
from ficha.fmd.from_fhir.terms import coded
from ficha.fmd.model_parts import Criticidad
from ficha.fmd.terms import all_terms
from ficha.fmd.translations import Translated

CRITICIDADES, CATEGORIAS = meant(CRITICALITIES), meant(ALLERGY_CATEGORIES)
SEVERE = "severe"
MEDICINES = frozenset({"medication", "biologic"})
INTOLERANCE = Translated("Anotada como intolerancia.", "Noted as an intolerance.", "Anotada como intolerância.")
UNCONFIRMED = Translated("Sin confirmar.", "Not confirmed.", "Sem confirmação.")


def read_medicine_allergies(reader: FhirReader) -> Iterator[FhirFact]:
    for allergy, fact in _allergies(reader, "alergiasm", "medicamento", to_medicines=True):
        yield FhirFact("alergias", fact, allergy)


def read_other_allergies(reader: FhirReader) -> Iterator[FhirFact]:
    for allergy, fact in _allergies(reader, "alergiasa", "agente", to_medicines=False):
        own = own_fields(allergy)
        category = own.get("categoria") or next(filter(None, map(CATEGORIAS.get, words(allergy, "category"))), None)
        more = {"categoria": category, "autoinyector": own.get("autoinyector"), "guardado_en": own.get("guardado_en")}
        fact |= {name: value for name, value in more.items() if value is not None}
        yield FhirFact("alergias", fact, allergy)


def _allergies(
    reader: FhirReader, model: str, agent: str, *, to_medicines: bool
) -> Iterator[tuple[Mapping[str, Any], dict[str, Any]]]:
    for allergy in reader.clinical("AllergyIntolerance"):
        if _is_to_medicine(allergy) is not to_medicines:
            continue
        what = coded(part(allergy, "code"), reader.language, model)
        if hl7_code(part(allergy, "clinicalStatus"), "allergyintolerance-clinical") in ("inactive", "resolved"):
            reader.refuse(allergy, WhyNot.OVER)
        elif what is None:
            reader.refuse(allergy, WhyNot.NO_NAME)
        else:
            who = part(allergy, "asserter") or part(allergy, "recorder")
            values = {
                agent: what,
                "criticidad": _criticidad(allergy),
                "reacciones": list(_reactions(reader, allergy)),
                "notas": _notes(reader, allergy, to_medicine=to_medicines),
            }
            yield allergy, reader.fact(allergy, who, "recordedDate", **values)


def _notes(reader: FhirReader, allergy: Mapping[str, Any], *, to_medicine: bool) -> str | None:
    """With what it says of itself that nothing else of the record tells."""
    is_unconfirmed = hl7_code(part(allergy, "verificationStatus"), "allergyintolerance-verification") == "unconfirmed"
    told = [
        INTOLERANCE.in_language(reader.language) if _is_mere_intolerance(allergy) and not to_medicine else None,
        UNCONFIRMED.in_language(reader.language) if is_unconfirmed else None,
        notes(allergy),
    ]
    return "\n".join(filter(None, told)) or None


def _is_mere_intolerance(allergy: Mapping[str, Any]) -> bool:
    """Of medicines it is not told: real allergies to them are often written so. Nor does it make any allergy one that
    cannot kill, which the document has to say itself."""
    return word(allergy, "type") == "intolerance" and _criticidad(allergy) != Criticidad.ALTA


def _criticidad(allergy: Mapping[str, Any]) -> str | None:
    """High where a reaction was severe: whoever then wrote low meant something else than that it cannot kill."""
    if any(word(reaction, "severity") == SEVERE for reaction in items(allergy, "reaction")):
        return Criticidad.ALTA.value
    return CRITICIDADES.get(word(allergy, "criticality")) or own_fields(allergy).get("criticidad")


def _reactions(reader: FhirReader, allergy: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for reaction in items(allergy, "reaction"):
        for concept in items(reaction, "manifestation"):
            what = coded(concept, reader.language)
            if what is not None:
                yield what


def _is_to_medicine(allergy: Mapping[str, Any]) -> bool:
    """As it says itself. Where it does not: what a Ficha left open is not to one; of others the code tells."""
    categories = words(allergy, "category")
    if categories or is_ours(allergy):
        return not MEDICINES.isdisjoint(categories)
    found = codings(part(allergy, "code"))
    if any(one.system == SYSTEMS["atc"] for one in found):
        return True
    agents = {(term.sistema, term.codigo) for term in all_terms() if term.modelo == "alergiasm"}
    return any(SYSTEMS.get(sistema) == one.system and one.code == code for one in found for sistema, code in agents)
