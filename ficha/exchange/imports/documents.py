"""A bundle of FHIR, wherever it came from, as what it says: who wrote it and when, about whom, and facts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ficha.core.errors import FichaError
from ficha.exchange.imports.absences import read_absences
from ficha.exchange.imports.bounded_json import MOST_ENTRIES, DocumentTooLarge, NotFhir
from ficha.exchange.imports.proposals import NotTaken, ProposedFact, read_facts
from ficha.fmd.fhir_reading import FhirReader, day, first_of, items, part, whole_day, word
from ficha.fmd.from_fhir.people import person_fields, person_name
from ficha.fmd.from_fhir.terms import one_line
from ficha.fmd.rules.rule_files import sign_table

MOST_SECTIONS = 100
MOST_AUTHORS = 5


class SeveralPeople(FichaError):
    status = 422
    code = "varias_personas"
    message = "El documento habla de varias personas, y aquí se trae lo de una sola."


@dataclass(frozen=True)
class ReadDocument:
    """`authors` and `date` as the document states them: nobody has looked whether that is so. `host`: where a link led
    to it; empty for what was sent to us."""

    title: str
    authors: Sequence[str]
    date: str | None
    person: Mapping[str, Any]
    facts: Sequence[ProposedFact]
    not_taken: Sequence[NotTaken]
    host: str = ""


def read_bundle(bundle: Any, language: str, today: date) -> ReadDocument:
    """Raises NotFhir, DocumentTooLarge or SeveralPeople."""
    if not isinstance(bundle, Mapping) or bundle.get("resourceType") != "Bundle":
        raise NotFhir
    entries = bundle.get("entry")
    if not isinstance(entries, list):
        raise NotFhir
    if len(entries) > MOST_ENTRIES:
        raise DocumentTooLarge
    longer = sign_table()["after_the_end"]["longer"]
    felt_after = tuple(group for one in longer for group in one["atc"])
    reader = FhirReader(_resources(entries), language, today, felt_after)
    if not reader.patient:
        raise NotFhir
    composition = next(reader.all("Composition"), {})
    if len(list(reader.all("Patient"))) > 1:
        raise SeveralPeople
    facts, left = read_facts(reader)
    absent, unsure = read_absences(reader, list(_sections(composition)), facts)
    return ReadDocument(
        title=one_line(word(composition, "title")),
        authors=list(_authors(reader, composition)),
        date=_past(whole_day(composition, "date") or day(bundle, "timestamp"), today),
        person=_person(reader.patient),
        facts=[*facts, *absent],
        not_taken=[*left, *unsure],
    )


def _resources(entries: Sequence[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in entries:
        resource = part(one, "resource")
        if isinstance(resource, dict) and word(resource, "resourceType"):
            yield word(one, "fullUrl"), resource


def _sections(composition: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Those inside others too."""
    waiting = items(composition, "section")
    for _ in range(MOST_SECTIONS):
        if not waiting:
            return
        section = waiting.pop(0)
        waiting += items(section, "section")
        yield section


def _authors(reader: FhirReader, composition: Mapping[str, Any]) -> Iterator[str]:
    """The names of whoever wrote it and of who keeps it, each once."""
    named: dict[str, None] = {}
    for reference in [*items(composition, "author"), part(composition, "custodian")]:
        one = reader.resolve(reference)
        doctor = reader.resolve(part(one, "practitioner")) or one
        device = word(first_of(items(one, "deviceName")), "name")
        name = word(one, "name") or person_name(doctor) or device or word(reference, "display")
        if name:
            named[one_line(name)] = None
    return iter(list(named)[:MOST_AUTHORS])


def _person(patient: Mapping[str, Any]) -> dict[str, Any]:
    found = person_fields(patient)
    return {"nombre": person_name(patient), "fecha_nacimiento": found.get("fecha_nacimiento")}


def _past(stated: str | None, today: date) -> str | None:
    return stated if stated and stated <= today.isoformat() else None
