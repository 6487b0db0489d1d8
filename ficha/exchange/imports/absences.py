"""That there is nothing of a kind, as `ausencia` of the lists that ask for it: read from codes and from `emptyReason`,
by the sections and codes by which `ips/sections.py` writes it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ficha.exchange.imports.proposals import NotTaken, ProposedFact, what_is
from ficha.exchange.ips.sections import SECTIONS, Emptiness, RecordList
from ficha.fmd import fhir_codes as codes
from ficha.fmd.fhir_reading import FhirReader, WhyNot, absence_codes, code_in, hl7_code, part
from ficha.fmd.model_parts import Absence

LISTS: Mapping[str, Sequence[RecordList]] = {section.code: section.lists for section in SECTIONS}
# Codes for a whole section: those that we write, that others write, and of the list that was withdrawn.
SECTION_OF = {section.none_known: section.code for section in SECTIONS if section.none_known} | {
    codes.NO_DEVICE: codes.DEVICES,
    codes.NO_PROCEDURE: codes.PROCEDURES,
    codes.NO_IMMUNIZATION: codes.IMMUNIZATIONS,
    "no-known-allergies": codes.ALLERGIES,
    "no-known-medications": codes.MEDICINES,
    "no-known-problems": codes.PROBLEMS,
    "no-known-devices": codes.DEVICES,
    "no-known-procedures": codes.PROCEDURES,
    "no-known-immunizations": codes.IMMUNIZATIONS,
}
WITHDRAWN = {
    "no-known-medication-allergies": codes.NO_DRUG_ALLERGY,
    "no-known-food-allergies": codes.NO_FOOD_ALLERGY,
    "no-known-environmental-allergies": codes.NO_ENVIRONMENT_ALLERGY,
}
REASONS = {Emptiness.NONE_KNOWN: Absence.NINGUNA_CONOCIDA, Emptiness.NOT_ASKED: Absence.NO_PREGUNTADO}


def read_absences(
    reader: FhirReader, sections: Sequence[Mapping[str, Any]], facts: Sequence[ProposedFact]
) -> tuple[list[ProposedFact], list[NotTaken]]:
    """None of a list of which the same document names something."""
    found: dict[tuple[str, str], ProposedFact] = {}
    left: list[NotTaken] = []
    named = {(fact.model, fact.field) for fact in facts if fact.field}
    for record_list, absence, what in _absences(reader, sections, left):
        if (record_list.wire, record_list.field) in named:
            left.append(NotTaken(what, WhyNot.CONTRADICTS))
        else:
            proposed = ProposedFact(record_list.wire, "", {record_list.absence: absence.value})
            found.setdefault((record_list.wire, record_list.absence), proposed)
    return list(found.values()), left


def _absences(
    reader: FhirReader, sections: Sequence[Mapping[str, Any]], left: list[NotTaken]
) -> Iterator[tuple[RecordList, Absence, str]]:
    """Known absences first: they say more than that nobody asked."""
    refused = {id(one): why for one in reader.absences if (why := reader.why_not(one))}
    left += [NotTaken(what_is(one), refused[id(one)]) for one in reader.absences if id(one) in refused]
    known = [one for one in reader.absences if id(one) not in refused]
    told = {WITHDRAWN.get(code, code): one for one in known for code in absence_codes(one)}
    used: set[str] = set()
    for code, one in told.items():
        for record_list in LISTS.get(SECTION_OF.get(code, ""), ()):
            used.add(code)
            yield record_list, Absence.NINGUNA_CONOCIDA, what_is(one)
    for lists in LISTS.values():
        for record_list in lists:
            if record_list.none_known and told.keys() >= set(record_list.none_known):
                used |= set(record_list.none_known)
                yield record_list, Absence.NINGUNA_CONOCIDA, what_is(told[record_list.none_known[0]])
    left += [
        NotTaken(what_is(one), WhyNot.HALF_ABSENT) for code, one in told.items() if _is_half(code) and code not in used
    ]
    for reason, absence in REASONS.items():
        for section in sections:
            if hl7_code(part(section, "emptyReason"), "list-empty-reason") == reason:
                title = section.get("title")
                for record_list in LISTS.get(code_in(part(section, "code"), codes.LOINC), ()):
                    yield record_list, absence, title[:120] if isinstance(title, str) else ""


def _is_half(code: str) -> bool:
    return code in (codes.NO_FOOD_ALLERGY, codes.NO_ENVIRONMENT_ALLERGY)
