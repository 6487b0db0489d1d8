"""What the readers of `fmd/from_fhir` found, as proposals that a model accepts: each is one fact."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import ValidationError

from ficha.exchange.imports.bounded_json import MOST_FACTS, DocumentTooLarge
from ficha.fmd.base import FmdModel, Shape
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fhir_reading import FhirFact, FhirReader, WhyNot, concept_of, said
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.from_fhir.catalog import FROM_FHIR
from ficha.fmd.from_fhir.people import person_name
from ficha.fmd.from_fhir.terms import one_line
from ficha.fmd.values import WriteContext

# Resources that say something only together with others.
PARTS = frozenset(
    {
        "Bundle", "Composition", "Device", "Location", "Medication", "Organization", "Patient", "Practitioner",
        "PractitionerRole", "Provenance", "Specimen",
    }
)  # fmt: skip
# Stop signs, which our rules find anew; contacts whom the patient's own resource names too; that there is no device.
SAID_ELSEWHERE = frozenset({"DeviceUseStatement", "Flag", "RelatedPerson"})


@dataclass(frozen=True)
class ProposedFact:
    """An item for the list `field` of a model or, without one, values of its fields."""

    model: str
    field: str
    value: dict[str, Any]


@dataclass(frozen=True)
class NotTaken:
    """Something that the document says and the record does not take: in its words, and why."""

    what: str
    why: WhyNot


def read_facts(reader: FhirReader) -> tuple[list[ProposedFact], list[NotTaken]]:
    """All that the record has a place for, each once, and the rest with reasons. Raises DocumentTooLarge: one resource
    may name thousands of people."""
    taken: set[int] = set()
    found: dict[str, ProposedFact] = {}
    left: list[NotTaken] = []
    for number, (model, fact) in enumerate(_facts(reader)):
        if number == MOST_FACTS:
            raise DocumentTooLarge
        taken.add(id(fact.resource))
        proposed = None if fact.value is None else _proposed(model, fact, reader.today)
        if proposed is not None:
            found.setdefault(repr(proposed), proposed)
        elif fact.value is not None:
            left.append(NotTaken(what_is(fact.resource), WhyNot.NOT_READABLE))
    for one in _left_out(reader, taken):
        if len(left) == MOST_FACTS:
            raise DocumentTooLarge
        left.append(one)
    return list(found.values()), left


def _facts(reader: FhirReader) -> Iterator[tuple[type[FmdModel], FhirFact]]:
    for model in CATALOG:
        read = FROM_FHIR.get(model.about.wire)
        for fact in read(reader) if read else ():
            yield model, fact


def _left_out(reader: FhirReader, taken: set[int]) -> Iterator[NotTaken]:
    contacts = reader.patient.get("contact")
    for resource in [*reader.resources, *(contacts if isinstance(contacts, list) else ())]:
        if not isinstance(resource, Mapping) or id(resource) in taken:
            continue
        why = reader.refusal_of(resource)
        kind = resource.get("resourceType")
        if why is not None:
            yield NotTaken(what_is(resource), why)
        elif kind is not None and kind not in PARTS and kind not in SAID_ELSEWHERE:
            yield NotTaken(what_is(resource), WhyNot.OTHER_KIND)


def what_is(resource: Mapping[str, Any]) -> str:
    """In the document's own words, for people to recognise it."""
    kind = resource.get("resourceType")
    told = said(concept_of(resource)) or person_name(resource)
    clean = "".join(letter for letter in told if letter.isprintable())
    named = kind if isinstance(kind, str) and kind.isalpha() else ""
    return one_line(f"{named}: {clean}" if named and clean else clean or named)[:120]


def _proposed(model: type[FmdModel], fact: FhirFact, today: date) -> ProposedFact | None:
    """None if the model refuses something that it needs."""
    wire, field = model.about.wire, field_of(model, fact.field)
    if field is not None and field.many and field.shape is not None:
        item = _valid(field.shape, fact.value, today)
        return None if item is None else ProposedFact(wire, fact.field, item)
    is_group = field is None or (isinstance(fact.value, dict) and field.shape is None)
    values = fact.value if is_group else {fact.field: fact.value}
    # A single field is checked as part of a whole.
    needed = {} if not fact.field else _needed(model)
    valid = _valid(model, {**needed, **values}, today)
    if valid is None:
        return None
    kept = {name: value for name, value in valid.items() if name in values}
    return ProposedFact(wire, "", kept) if kept else None


def field_of(model: type[FmdModel], name: str) -> ShapeField | None:
    return next((one for one in fields_of(model) if one.name == name), None)


def _needed(model: type[FmdModel]) -> dict[str, Any]:
    return {one.name: model.about.example[one.name] for one in fields_of(model) if one.required}


def _valid(shape: type[Shape], value: Any, today: date) -> dict[str, Any] | None:
    """As the model would store it, without those parts that it refuses; None if it needs one of them."""
    kept = dict(value) if isinstance(value, Mapping) else {}
    required = {one.name for one in fields_of(shape) if one.required}
    for _ in range(len(kept) + 1):
        try:
            entry = shape.model_validate(kept, context=WriteContext(today, CATALOG.names))
        except ValidationError as error:
            bad = {fault["loc"][0] for fault in error.errors(include_url=False, include_input=False) if fault["loc"]}
            if not bad or bad & required or not bad & set(kept):
                return None
            kept = {name: part for name, part in kept.items() if name not in bad}
        else:
            dumped: dict[str, Any] = entry.model_dump(mode="json", exclude_defaults=True)
            return {name: part for name, part in dumped.items() if name in kept}
    return None
