"""What of a record is on a Health Card, and in which order: what is more urgent comes first, because what does not fit
is left out from the end.

`consentimiento` decides first, by the code of the patient summary. A card has codes and few words: what a resource has
besides (`KEPT`) stays in the record."""

from collections.abc import Container, Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import Any, NamedTuple

from ficha.exchange.ips.document import model_entries
from ficha.exchange.ips.sections import SECTIONS, absences, emptiness_of
from ficha.exchange.ips.security_labels import labels_of
from ficha.fmd import fhir_codes as codes
from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT, ConsentRules
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, absent, hl7, present
from ficha.fmd.model_parts import Fact, Sistema
from ficha.fmd.responder.record_reader import Documents, RecordReader
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.rules.sign_conditions import SEVERE, has_needed, severity_rank

# In letters. The names of four people and the longest words of a fact must not fill a card by themselves.
MOST_NAME = 50
MOST_WORDS = 60
CUT = "…"


class Urgency(StrEnum):
    """From what is left out last to what is left out first; docs/health-cards.md publishes it in these words."""

    SEVERE_ALLERGY = "allergies that may kill"
    FIRST_CONTACT = "the first contact"
    ALLERGY = "other allergies, or that none are known"
    CRITICAL_MEDICINE = (
        "medicines that must not be missed; anticoagulants, medicines that lower sugar, long-term steroids"
    )
    DEVICE = "devices and implants"
    CONDITION = "health problems, or that none are known"
    DIRECTIVE = "advance directives"
    PREGNANCY = "pregnancy"
    MEDICINE = "other medicines, or that none are known"
    CONSIDERATION = "how to deal with the person"
    CONTACT = "other contacts"
    BLOOD_GROUP = "blood group"
    PAST = "surgery and past health problems"
    VACCINE = "vaccines"
    MEASURE = "usual measures"


ORDER = {urgency: rank for rank, urgency in enumerate(Urgency)}
# After every contact that has a place in the order of calling.
LAST = 99
EMERGENCY_CONTACT = hl7("v2-0131", "C")

# What of each kind is on a card. Kinds that are not here are on none: who treats her, insurance, school.
KEPT: Mapping[str, tuple[str, ...]] = {
    "AllergyIntolerance": ("clinicalStatus", "category", "criticality", "code", "patient", "reaction"),
    "MedicationStatement": ("status", "medicationCodeableConcept", "subject", "dosage"),
    "Condition": ("clinicalStatus", "code", "subject"),
    "Procedure": ("status", "code", "subject", "performedDateTime"),
    "DeviceUseStatement": ("status", "subject", "device"),
    "Device": ("type",),
    "Flag": ("status", "code", "subject"),
    "Consent": ("status", "scope", "category", "patient", "provision"),
    "Observation": ("status", "code", "subject", "valueCodeableConcept", "valueQuantity", "valueDateTime", "component"),
    "Immunization": ("status", "vaccineCode", "patient", "occurrenceDateTime"),
}
# What of these is left out where not everything fits.
DETAILS: Mapping[str, tuple[str, ...]] = {
    "AllergyIntolerance": ("category", "reaction"),
    "MedicationStatement": ("dosage",),
}
# The rules of stop signs whose medicines must not be missed.
CRITICAL_SIGNS = frozenset({"anticoagulado", "diabetes", "suprarrenal"})
# What each is about. In words alone, it is a note: a card has no words beside codes.
MAIN = ("code", "medicationCodeableConcept", "vaccineCode", "type")
WITH_NOTES = {"AllergyIntolerance", "MedicationStatement", "Condition", "Procedure", "Device", "Immunization"}
AS_TEXT = absent("as-text")
OF_SECTIONS = {
    codes.PREGNANCY_SECTION: Urgency.PREGNANCY,
    codes.RESULTS: Urgency.BLOOD_GROUP,
    codes.PAST_PROBLEMS: Urgency.PAST,
}
OF_KINDS = {
    "DeviceUseStatement": Urgency.DEVICE,
    "Condition": Urgency.CONDITION,
    "Consent": Urgency.DIRECTIVE,
    "Flag": Urgency.CONSIDERATION,
    "Procedure": Urgency.PAST,
    "Immunization": Urgency.VACCINE,
    "Observation": Urgency.MEASURE,
}


class CardFact(NamedTuple):
    """Resources that belong together, by their `fullUrl`: each may refer to the patient and to those before it. Or a
    contact, which is a part of the Patient."""

    urgency: Urgency
    model: str
    resources: tuple[tuple[str, Resource], ...] = ()
    contact: Resource | None = None

    def without_details(self) -> "CardFact":
        """What is left out of all facts before any fact is."""
        resources = tuple((url, _without(made, self._details(made))) for url, made in self.resources)
        contact = None if self.contact is None else _without(self.contact, ("relationship",))
        return self._replace(resources=resources, contact=contact)

    def _details(self, made: Resource) -> tuple[str, ...]:
        """Not the reaction by which alone an allergy is known to kill."""
        if self.urgency is Urgency.SEVERE_ALLERGY and made.get("criticality") != codes.CRITICALITIES["alta"]:
            return ("category",)
        return DETAILS.get(made["resourceType"], ())


class EmergencySet(NamedTuple):
    """`patient` is always on a card; of `facts` as many as fit, the first before the last. `is_cut`: some words are not
    whole."""

    patient: Resource
    patient_url: str
    facts: list[CardFact]
    is_cut: bool


def emergency_set(documents: Documents, record_id: int, base: str, today: date) -> EmergencySet:
    """What whoever scans the sticker may see."""
    reader = RecordReader(documents, Door.R, today, "es")
    writer = FhirWriter(base, record_id, reader.language, today.isoformat())
    slimmer, rules = _Slimmer(), ConsentRules.of(documents)
    critical = _critical_medicines(RecordForRules(reader.visible, today))
    patient: Resource = {"resourceType": "Patient"}
    facts: list[CardFact] = []
    people: list[tuple[str, FhirEntry]] = []
    before: list[tuple[str, Resource]] = []
    for entry, model in [*_found(reader, writer), *_known_absences(reader, writer)]:
        made = entry.resource or {}
        kind = made.get("resourceType", "")
        if entry.key == "patient":
            patient |= slimmer.person(made)
        elif kind == "RelatedPerson":
            people.append((model, entry))
        elif kind in KEPT:
            labels = labels_of(entry, rules, CATALOG)
            marked = {"meta": {"security": labels}} if labels else {}
            before.append((writer.url(entry.key), {"resourceType": kind, **marked, **slimmer.resource(made)}))
            if kind != "Device":  # Its use comes next, and says that it is in use.
                facts.append(CardFact(_urgency(entry, critical), model, tuple(before)))
                before = []
    urgency = Urgency.FIRST_CONTACT
    for model, entry in _to_call(people):
        facts.append(CardFact(urgency, model, contact=slimmer.contact(entry.resource or {})))
        urgency = Urgency.CONTACT
    # Within each, the order of the record stays.
    facts.sort(key=lambda fact: ORDER[fact.urgency])
    return EmergencySet(patient, writer.url("patient"), facts, slimmer.has_cut)


def _found(reader: RecordReader, writer: FhirWriter) -> Iterator[tuple[FhirEntry, str]]:
    for one in model_entries(reader, writer):
        if one.model is not None and one.entry.resource is not None and not _is_usual(reader, one.entry):
            yield one.entry, one.model.about.wire


def _is_usual(reader: RecordReader, entry: FhirEntry) -> bool:
    """A wish answered with no: who accepts transfusions, or is no donor, is treated as anybody is."""
    wish = entry.told
    return isinstance(wish, str) and wish in codes.WISHES and reader.document(CONSENT).get(wish) is False


def _known_absences(reader: RecordReader, writer: FhirWriter) -> Iterator[tuple[FhirEntry, str]]:
    """That she has no allergies is a fact too."""
    for section in SECTIONS:
        reasons = [emptiness_of(reader, one) for one in section.lists]
        for entry in absences(writer, section, reasons):
            yield entry, section.lists[0].wire


def _urgency(entry: FhirEntry, critical: Container[str]) -> Urgency:
    """`critical` are the ids of medicines."""
    kind = (entry.resource or {})["resourceType"]
    fact = entry.told if isinstance(entry.told, Fact) else None
    if kind == "AllergyIntolerance":
        is_severe = fact is not None and severity_rank(fact.model_dump(mode="json")) == SEVERE
        return Urgency.SEVERE_ALLERGY if is_severe else Urgency.ALLERGY
    if kind == "MedicationStatement":
        is_critical = fact is not None and (getattr(fact, "critico", None) or fact.id in critical)
        return Urgency.CRITICAL_MEDICINE if is_critical else Urgency.MEDICINE
    if entry.key == "cardiologico/anticoagulado":
        return Urgency.CRITICAL_MEDICINE
    return OF_SECTIONS.get(entry.section or "") or OF_KINDS[kind]


def _critical_medicines(record: RecordForRules) -> set[str]:
    """The ids of those that act and make one of the `CRITICAL_SIGNS` come up, whatever the owner says of them."""
    lines = [line for rule in sign_table()["rules"] if rule["id"] in CRITICAL_SIGNS for line in rule["lines"]]
    conditions = [when for line in lines for when in line["any"] if "atc" in when and has_needed(record, when)]
    return {
        str(medicine.item.get("id"))
        for medicine in record.acting
        for when in conditions
        if medicine.sistema == Sistema.ATC
        and medicine.codigo.startswith(tuple(when["atc"]))
        and (not when.get("long_term") or record.is_long_term(medicine))
    }


def _to_call(people: Iterable[tuple[str, FhirEntry]]) -> Iterator[tuple[str, FhirEntry]]:
    """In the order of calling, each once: a guardian is often the first contact too."""
    known: set[str] = set()
    for model, entry in sorted(people, key=lambda person: getattr(person[1].told, "prioridad", None) or LAST):
        numbers = [one["value"] for one in (entry.resource or {}).get("telecom", ()) if one["system"] == "phone"]
        if numbers and numbers[0] not in known:
            known.add(numbers[0])
            yield model, entry


class _Slimmer:
    """Leaves what a card has room and permission for, and remembers whether words were cut."""

    def __init__(self) -> None:
        self.has_cut = False

    def person(self, patient: Resource) -> Resource:
        """Who it is, to be compared with whoever is there."""
        names = [
            {"family": self._cut(one["family"], MOST_NAME), "given": [self._cut(" ".join(one["given"]), MOST_NAME)]}
            for one in patient.get("name", ())
        ]
        return present({"name": names, "gender": patient.get("gender"), "birthDate": patient.get("birthDate")})

    def contact(self, person: Resource) -> Resource:
        """Whom to call. The relation has no code, and a card has no words beside codes."""
        [name] = person["name"]
        number = next(one for one in person["telecom"] if one["system"] == "phone")
        shown = {"text": self._cut(name["text"], MOST_NAME)}
        return {"relationship": [EMERGENCY_CONTACT], "name": shown, "telecom": [number]}

    def resource(self, made: Resource) -> Resource:
        kind = made["resourceType"]
        kept = {name: _bare(made[name]) for name in KEPT[kind] if name in made}
        main: Resource = next((made[name] for name in MAIN if name in made), {})
        if kind in WITH_NOTES and "coding" not in main and "text" in main:
            kept["note"] = [{"text": self._cut(main["text"], MOST_WORDS)}]
        if "reaction" in kept:
            kept["reaction"] = [self._reaction(one) for one in made["reaction"]]
        if "dosage" in kept:
            kept["dosage"] = [{"text": self._cut(one["text"], MOST_WORDS)} for one in made["dosage"] if "text" in one]
        if kept.get("valueCodeableConcept") == AS_TEXT:
            del kept["valueCodeableConcept"]
            kept["valueString"] = self._cut(made["valueCodeableConcept"]["text"], MOST_WORDS)
        if kind == "Consent":
            kept["policyRule"] = absent("unsupported")  # What it is worth has no code.
        if kind == "Immunization" and "occurrenceDateTime" not in kept:
            kept["occurrenceString"] = "?"
        return present(kept)

    def _reaction(self, reaction: Resource) -> Resource:
        words = [one["text"] for one in reaction["manifestation"] if "coding" not in one]
        said = {"description": self._cut(", ".join(words), MOST_WORDS)} if words else {}
        return {"manifestation": _bare(reaction["manifestation"]), **said}

    def _cut(self, words: str, most: int) -> str:
        if len(words) <= most:
            return words
        self.has_cut = True
        return words[: most - 1].rstrip() + CUT


def _without(made: Resource, names: tuple[str, ...]) -> Resource:
    return {name: value for name, value in made.items() if name not in names}


def _bare(part: Any) -> Any:
    """Of a concept its codes alone; where it has none, that its words stand elsewhere."""
    if isinstance(part, dict):
        if "coding" in part:
            return {"coding": [{"system": one["system"], "code": one["code"]} for one in part["coding"]]}
        if "text" in part and len(part) == 1:
            return AS_TEXT
        return part if "reference" in part else {name: _bare(inner) for name, inner in part.items()}
    return [_bare(one) for one in part] if isinstance(part, list) else part
