"""Ways to spoil a patient summary. Each must be noticed, or nobody would notice when we do it ourselves."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.exchange.samples import Bundle

Mutation = Callable[[Bundle], object]


def first(bundle: Bundle, kind: str) -> dict[str, Any]:
    return next(entry["resource"] for entry in bundle["entry"] if entry["resource"]["resourceType"] == kind)


def section(bundle: Bundle, code: str) -> dict[str, Any]:
    sections: list[dict[str, Any]] = first(bundle, "Composition")["section"]
    return next(one for one in sections if one["code"]["coding"][0]["code"] == code)


def without(kind: str, *names: str) -> Mutation:
    def mutate(bundle: Bundle) -> None:
        resource = first(bundle, kind)
        assert [resource.pop(name) for name in names if name in resource], f"{kind} has none of {names}"

    return mutate


def without_section(bundle: Bundle) -> None:
    first(bundle, "Composition")["section"].remove(section(bundle, "48765-2"))


def second_composition(bundle: Bundle) -> None:
    bundle["entry"].append({**bundle["entry"][0], "fullUrl": "urn:uuid:00000000-0000-4000-8000-000000000000"})


MUTATIONS: Mapping[str, Mutation] = {
    "is no document": lambda bundle: bundle.update(type="collection"),
    "has no identifier": lambda bundle: bundle.pop("identifier"),
    "has no timestamp": lambda bundle: bundle.pop("timestamp"),
    "names no resource": lambda bundle: bundle["entry"][1].pop("fullUrl"),
    "asks for something": lambda bundle: bundle["entry"][1].update(request={"method": "POST", "url": "Patient"}),
    "has two lists of contents": second_composition,
    "has no status": without("Composition", "status"),
    "is of nobody": without("Composition", "subject"),
    "is by nobody": without("Composition", "author"),
    "has no title": without("Composition", "title"),
    "is another document": lambda bundle: first(bundle, "Composition")["type"]["coding"][0].update(code="11488-4"),
    "lacks the allergies": without_section,
    "has a section without title": lambda bundle: section(bundle, "48765-2").pop("title"),
    "has a section without code": lambda bundle: section(bundle, "11369-6").pop("code"),
    "has a section without narrative": lambda bundle: section(bundle, "48765-2").pop("text"),
    "does not say why there is nothing": lambda bundle: (
        section(bundle, "48765-2").pop("entry"),
        section(bundle, "48765-2").update(text={"status": "generated", "div": "<div/>"}),
    ),
    "names what is not there": lambda bundle: section(bundle, "48765-2")["entry"][0].update(reference="urn:uuid:0"),
    "has a patient without name": without("Patient", "name"),
    "has a patient without birth date": without("Patient", "birthDate"),
    "has an allergy to nothing": without("AllergyIntolerance", "code"),
    "has an allergy of nobody": without("AllergyIntolerance", "patient"),
    "has a nameless condition": without("Condition", "code"),
    "has a nameless medicine": without("MedicationStatement", "medicationCodeableConcept"),
    "has a medicine of no time": without("MedicationStatement", "effectivePeriod", "_effectiveDateTime"),
    "has an unknown status": lambda bundle: first(bundle, "MedicationStatement").update(status="taking"),
    "has a vaccination with nothing": without("Immunization", "vaccineCode"),
    "has a surgery of no time": without("Procedure", "performedDateTime"),
}
