"""Condition, Procedure and what is said of a pregnancy, read back into `salud`; the heart's history into its model."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from ficha.fmd.dates_and_amounts import PREGNANCY_DAYS, is_long_past
from ficha.fmd.fhir_codes import (
    CLINICAL_STATES,
    DUE_DATE,
    LOINC,
    OTHER_CLINICAL_STATES,
    OTHER_PREGNANCY_STATES,
    PREGNANCY,
    PREGNANCY_STATES,
    SEVERITIES,
    SNOMED,
)
from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    code_in,
    day,
    hl7_code,
    is_ours,
    meant,
    notes,
    own_code,
    own_fields,
    part,
    word,
)
from ficha.fmd.from_fhir.terms import coded
from ficha.fmd.values import last_day

ESTADOS = {**OTHER_CLINICAL_STATES, **meant(CLINICAL_STATES)}
STATE, DUE, NOT_PREGNANT = "estado", "fecha_probable_parto", "no_embarazada"
GRAVEDADES, EMBARAZOS = meant(SEVERITIES), meant(PREGNANCY_STATES)
# Of our own system of codes, and of our extension where the answer is no.
QUESTIONS = ("via_aerea_dificil", "hipertermia_maligna")


def read_health(reader: FhirReader) -> Iterator[FhirFact]:
    for condition in reader.clinical("Condition"):
        question = own_code(part(condition, "code"), "salud")
        if question in QUESTIONS:
            yield FhirFact(question, True, condition)
        elif own_fields(condition).get("modelo") != "cardiologico":
            yield from _condition(reader, condition)
    own = own_fields(reader.patient)
    yield from (FhirFact(name, False, reader.patient) for name in QUESTIONS if own.get(name) is False)
    for procedure in reader.clinical("Procedure"):
        yield from _surgery(reader, procedure)
    yield from _pregnancy(reader)


def read_heart_history(reader: FhirReader) -> Iterator[FhirFact]:
    for condition in reader.clinical("Condition"):
        if own_fields(condition).get("modelo") == "cardiologico":
            what = coded(part(condition, "code"), reader.language, "cardiologico")
            if what is None:
                reader.refuse(condition, WhyNot.NO_NAME)
            else:
                yield FhirFact("antecedentes", reader.fact(condition, part(condition, "asserter"), **what), condition)


def _condition(reader: FhirReader, condition: Mapping[str, Any]) -> Iterator[FhirFact]:
    what = coded(part(condition, "code"), reader.language, "salud")
    if what is None:
        reader.refuse(condition, WhyNot.NO_NAME)
        return
    told = hl7_code(part(condition, "clinicalStatus"), "condition-clinical")
    state = ESTADOS.get(told)
    if told in ("", "inactive") and day(condition, "abatementDateTime"):
        state = "resuelta"
    fact = reader.fact(
        condition,
        part(condition, "asserter") or part(condition, "recorder"),
        "recordedDate",
        condicion=what,
        estado=own_fields(condition).get("estado") or state,
        gravedad=GRAVEDADES.get(code_in(part(condition, "severity"), SNOMED)),
        desde=day(condition, "onsetDateTime") or day(part(condition, "onsetPeriod"), "start"),
        # What somebody else noted is no advice to a stranger.
        plan=notes(condition) if is_ours(condition) else None,
    )
    yield FhirFact("condiciones", fact, condition)


def _surgery(reader: FhirReader, procedure: Mapping[str, Any]) -> Iterator[FhirFact]:
    what = coded(part(procedure, "code"), reader.language, "salud")
    if word(procedure, "status") not in ("completed", "unknown", ""):
        reader.refuse(procedure, WhyNot.NOT_DONE)
    elif what is None:
        reader.refuse(procedure, WhyNot.NO_NAME)
    else:
        when = day(procedure, "performedDateTime") or day(part(procedure, "performedPeriod"), "start")
        who = part(procedure, "asserter") or part(procedure, "recorder")
        yield FhirFact("cirugias", reader.fact(procedure, who, fecha=when, **what), procedure)


def _pregnancy(reader: FhirReader) -> Iterator[FhirFact]:
    """The status, and the day, wherever it stands."""
    found: dict[str, str] = {}
    told: Mapping[str, Any] | None = None
    observed = [(one, *_said_of_pregnancy(one)) for one in latest_first(reader.clinical("Observation"))]
    due_dates = [value for _, name, value in observed if name == DUE]
    is_over = bool(due_dates) and all(_is_over(due, reader.today) for due in due_dates)
    for observation, name, value in observed:
        if not name:
            if code_in(part(observation, "code"), LOINC) in (PREGNANCY, DUE_DATE):
                reader.refuse(observation, WhyNot.NOT_READABLE)
            continue
        if _is_over(value, reader.today) if name == DUE else _is_outdated(observation, value, reader.today, is_over):
            reader.refuse(observation, WhyNot.OUTDATED)
            continue
        if name in found:
            reader.refuse(observation, WhyNot.ONE_ALREADY)
            continue
        found[name] = value
        if told is not None:
            yield FhirFact("", None, observation)  # It is said together with the other.
        told = told or observation
    if told is not None:
        yield FhirFact("embarazo", found, told)


def _said_of_pregnancy(observation: Mapping[str, Any]) -> tuple[str, str]:
    """A field of `embarazo` and its value; nothing of what observes something else."""
    code = code_in(part(observation, "code"), LOINC)
    answer = part(observation, "valueCodeableConcept")
    state = EMBARAZOS.get(code_in(answer, SNOMED)) or OTHER_PREGNANCY_STATES.get(code_in(answer, LOINC))
    due = day(observation, "valueDateTime")
    if code == PREGNANCY and state:
        return STATE, state
    return (DUE, due) if code == DUE_DATE and due else ("", "")


def _is_over(due: str, today: date) -> bool:
    known = last_day(due)
    return known is not None and is_long_past(known, today)


def _is_outdated(observation: Mapping[str, Any], state: str, today: date, is_over: bool) -> bool:
    """Of a status: seen so long ago that a child who was expected then is born. One without a date is as old as the due
    date beside it."""
    seen = last_day(day(observation, "effectiveDateTime", "issued") or "")
    if seen is None:
        return is_over and state != NOT_PREGNANT
    return seen + timedelta(days=PREGNANCY_DAYS) < today


def latest_first(observations: Iterator[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those without a date last."""
    return sorted(observations, key=lambda one: day(one, "effectiveDateTime", "issued") or "", reverse=True)
