"""MedicationStatement, MedicationRequest and Immunization read back into `medicacion` and `vacuna`."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    day,
    first_of,
    is_ours,
    items,
    own_fields,
    part,
    whole_day,
    word,
)
from ficha.fmd.from_fhir.dosage import read_dosage
from ficha.fmd.from_fhir.terms import coded, one_line, texts
from ficha.fmd.model_parts import Sistema
from ficha.fmd.values import first_day, last_day

# One that is paused is not taken, as one that was stopped; the body may feel it all the same.
OVER = frozenset({"stopped", "cancelled", "completed", "on-hold"})
NOT_TAKEN = frozenset({"not-taken", "draft"})
# What was only suggested to somebody who prescribes.
SUGGESTED = frozenset({"proposal", "option"})
REASON, NOT_DONE = "reasonCode", "not-done"
MOST_DOSES = 30


def read_medicines(reader: FhirReader) -> Iterator[FhirFact]:
    for statement in reader.clinical("MedicationStatement", "MedicationRequest"):
        concept = part(statement, "medicationCodeableConcept")
        if not concept:
            concept = part(reader.contained(statement, part(statement, "medicationReference")), "code")
        what = coded(concept, reader.language, "medicacion")
        own = own_fields(statement)
        status, period = word(statement, "status"), part(statement, "effectivePeriod")
        begun = day(period, "start") or day(statement, "effectiveDateTime", "authoredOn")
        until = _end_of_stopped(reader, statement, begun, what) if status in OVER else day(period, "end")
        if _is_not_taken(reader, statement, begun):
            reader.refuse(statement, WhyNot.NOT_DONE)
        elif status in OVER and not until:
            reader.refuse(statement, WhyNot.OVER)
        elif what is None:
            reader.refuse(statement, WhyNot.NO_NAME)
        else:
            dosages = items(statement, "dosage") or items(statement, "dosageInstruction")
            taken = read_dosage(dosages, reader.language)
            fact = reader.fact(
                statement,
                part(statement, "informationSource") or part(statement, "requester"),
                "dateAsserted",
                medicamento=what,
                **taken | ({"dosis": own.get("dosis")} if is_ours(statement) else {}),
                desde=begun,
                hasta=until,
                critico=own.get("critico"),
                motivo=texts(items(statement, REASON)),
                guardado_en=own.get("guardado_en"),
            )
            yield FhirFact("medicamentos", fact, statement)


def _is_not_taken(reader: FhirReader, statement: Mapping[str, Any], begun: str | None) -> bool:
    """One that is intended comes in only with the day to come on which it begins. Of those that a Ficha wrote, which
    has dates alone, some have begun since."""
    status, start = word(statement, "status"), first_day(begun) if begun else None
    is_to_come = start is not None and (start > reader.today or is_ours(statement))
    return (
        status in NOT_TAKEN
        or statement.get("doNotPerform") is True
        or word(statement, "intent") in SUGGESTED
        or (status == "intended" and not is_to_come)
    )


def _end_of_stopped(
    reader: FhirReader, statement: Mapping[str, Any], begun: str | None, what: Mapping[str, Any] | None
) -> str | None:
    """It had ended by the day on which that was said, else by today, whatever end had been planned. Of one that names
    no end at all only where it is felt long after: the others say nothing of today."""
    today, start = reader.today, first_day(begun) if begun else None
    end, told = day(part(statement, "effectivePeriod"), "end"), whole_day(statement, "dateAsserted")
    if end and _is_between(start, last_day(end), today):
        return end
    is_felt = what is not None and what.get("sistema") == Sistema.ATC and what["codigo"].startswith(reader.felt_after)
    if not end and not is_felt:
        return None
    if told and _is_between(start, first_day(told), today):
        return told
    return today.isoformat() if _is_between(start, today, today) else None


def _is_between(start: date | None, end: date | None, today: date) -> bool:
    return end is not None and (start or end) <= end <= today


def read_vaccines(reader: FhirReader) -> Iterator[FhirFact]:
    for immunization in reader.clinical("Immunization"):
        what = coded(part(immunization, "vaccineCode"), reader.language, "vacuna")
        if word(immunization, "status") == NOT_DONE:
            reader.refuse(immunization, WhyNot.NOT_DONE)
        elif what is None:
            reader.refuse(immunization, WhyNot.NO_NAME)
        else:
            site = part(immunization, "location")
            who = part(first_of(items(immunization, "performer")), "actor")
            fact = reader.fact(
                immunization,
                who,
                "recorded",
                vacuna=what,
                fecha=day(immunization, "occurrenceDateTime"),
                dosis_numero=_dose_number(first_of(items(immunization, "protocolApplied"))),
                lote=word(immunization, "lotNumber") or None,
                lugar=one_line(word(site, "display") or word(reader.contained(immunization, site), "name")) or None,
            )
            yield FhirFact("vacunas", fact, immunization)


def _dose_number(protocol: Mapping[str, Any]) -> int | None:
    number = protocol.get("doseNumberPositiveInt")
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= MOST_DOSES:
        return number
    text = word(protocol, "doseNumberString")
    return int(text) if text.isdecimal() and text.isascii() and 1 <= int(text[:3]) <= MOST_DOSES else None
