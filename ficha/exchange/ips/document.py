"""The International Patient Summary of a record: a FHIR document that any hospital can read.

`consentimiento` decides first what is in it, by the same code as for the responder page. Then each model says what it
is as resources (`to_fhir`), and here they are put into sections, with a narrative, security labels and authors.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from pydantic import ValidationError

from ficha.exchange.ips.narrative import NarrativeFact, NarrativeSection, narrative, narrative_fact
from ficha.exchange.ips.sections import (
    SECTIONS,
    SENTENCES,
    Emptiness,
    SummarySection,
    absences,
    emptiness_of,
    empty_reason,
)
from ficha.exchange.ips.security_labels import NORMAL, high_water_mark, labels_of
from ficha.fmd import fhir_codes as codes
from ficha.fmd.base import Document, Door, FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import ConsentRules
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, absent, hl7, loinc, present, resource
from ficha.fmd.model_parts import Fact, Fuente
from ficha.fmd.responder.person import person_summary
from ficha.fmd.responder.record_reader import Documents, RecordReader
from ficha.fmd.responder.view import PersonSummary
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.sign_conditions import LOW, severity_rank
from ficha.fmd.rules.signs import Sign, found_signs
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.translations import Translated

TITLE = Translated(
    "Resumen internacional del paciente", "International Patient Summary", "Sumário internacional do paciente"
)
UNJUDGED = Translated("Sin evaluar por las reglas", "Not assessed by the rules", "Não avaliado pelas regras")
SOFTWARE = "Ficha"
# Who keeps the record vouches for it. A doctor who confirmed one fact of it has not read the others.
KEEPERS = (Fuente.TITULAR, Fuente.REPRESENTANTE)
URN = "urn:ietf:rfc:3986"


class RecordToTell(NamedTuple):
    """A record and for whom it is told: its documents as they were decrypted (`DAMAGED` where they were not), the
    deepest door that the readers come by, and their language. `base` is the public address of the service."""

    id: int
    documents: Documents
    door: Door
    language: str
    base: str
    withdrawn: WithdrawnRules = NONE_WITHDRAWN


class SummaryDocument(NamedTuple):
    """The document, what it tells people, section by section, of whom, and the models that it is made of."""

    bundle: Resource
    sections: Sequence[NarrativeSection]
    who: PersonSummary
    models: Sequence[str]


class ModelEntry(NamedTuple):
    """A resource with the model that it comes from; None for what we found out ourselves."""

    entry: FhirEntry
    model: type[FmdModel] | None = None


def patient_summary(record: RecordToTell, now: datetime, document_id: str = "") -> SummaryDocument:
    """`document_id` is new for each document; tests give their own."""
    reader = RecordReader(record.documents, record.door, now.date(), record.language)
    has_guardian = "representante" in reader.visible
    today = now.date().isoformat()
    writer = FhirWriter(record.base, record.id, record.language, today, has_guardian=has_guardian)
    found = list(model_entries(reader, writer))
    signs = found_signs(RecordForRules(reader.visible, reader.today), record.withdrawn)
    alerts = [*signs.shown, *signs.rest, *([signs.unknown] if signs.unknown else [])]
    found = [*(_alert(writer, sign) for sign in alerts), *found]
    rules = ConsentRules.of(record.documents)
    patient = patient_resource(reader, writer, found)
    by_section: defaultdict[str | None, list[ModelEntry]] = defaultdict(list)
    for one in found:
        by_section[one.entry.section].append(one)
    sections: list[Resource] = []
    told: list[NarrativeSection] = []
    listed: list[ModelEntry] = []
    for section in SECTIONS:
        reasons = [emptiness_of(reader, source) for source in section.lists]
        inside = [*by_section[section.code], *(ModelEntry(entry) for entry in absences(writer, section, reasons))]
        more = _not_judged(reader, signs.unjudged) if section.code == codes.ALERTS else []
        said = _told(reader, section, inside, reasons, more)
        if not (section.required or inside or said.sentences):
            continue
        told.append(said)
        listed += inside
        sections.append(_section(writer, section, inside, reasons, said))
    others = [one for one in by_section[""] if one.entry.key != "patient"]
    resources = [one.entry for one in (*others, *listed) if one.entry.resource is not None]
    labels = {entry.key: labels_of(entry, rules, CATALOG) for entry in resources}
    mark = high_water_mark(labels.values())
    software = resource("Device", deviceName=[{"name": SOFTWARE, "type": "manufacturer-name"}])
    composition = _composition(writer, now, mark, sections, found)
    bundle = {
        "resourceType": "Bundle",
        "meta": {"profile": [codes.PROFILES["Bundle"]], "security": mark},
        "language": record.language,
        "identifier": {"system": URN, "value": f"urn:uuid:{document_id or uuid4()}"},
        "type": "document",
        "timestamp": now.isoformat(timespec="seconds"),
        "entry": [
            bundle_entry(writer, "composition", composition, mark),
            bundle_entry(writer, "patient", patient, []),
            bundle_entry(writer, "software", software, []),
            *(bundle_entry(writer, entry.key, entry.resource or {}, labels[entry.key]) for entry in resources),
        ],
    }
    models = sorted({one.model.about.wire for one in found if one.model})
    return SummaryDocument(bundle, told, person_summary(reader), models)


def model_entries(reader: RecordReader, writer: FhirWriter, *wires: str) -> Iterator[ModelEntry]:
    """What every model says that this reader may see, or these do, in the order of the catalogue."""
    for model in reader.catalog:
        wire = model.about.wire
        document = reader.visible.get(wire) if not wires or wire in wires else None
        known = readable_model(model, document) if document else None
        if known is not None:
            yield from (ModelEntry(_without_false_comfort(entry), model) for entry in known.to_fhir(writer))


def _without_false_comfort(entry: FhirEntry) -> FhirEntry:
    """Low criticality only where our rules believe it: a reaction or an autoinjector may say otherwise."""
    made = entry.resource
    if made is None or made.get("criticality") != codes.CRITICALITIES["baja"] or not isinstance(entry.told, Fact):
        return entry
    if severity_rank(entry.told.model_dump(mode="json")) == LOW:
        return entry
    return entry._replace(resource={name: value for name, value in made.items() if name != "criticality"})


def readable_model(model: type[FmdModel], document: Document) -> FmdModel | None:
    """The model without those fields and items that cannot be read: the others still help."""
    try:
        return model.read(document)
    except ValidationError as error:
        faults = {fault["loc"][:2] for fault in error.errors(include_url=False, include_input=False)}
    kept = {
        name: [item for at, item in enumerate(value) if (name, at) not in faults]
        for name, value in document.items()
        if isinstance(value, list)
    }
    bad = {loc[0] for loc in faults if loc and loc[0] not in kept}
    kept |= {name: value for name, value in document.items() if name not in kept and name not in bad}
    try:
        return model.read(kept)
    except ValidationError:
        return None


def patient_resource(reader: RecordReader, writer: FhirWriter, found: Iterable[ModelEntry]) -> Resource:
    """Several models know something of her. Name and date of birth are asked for even where nobody may see them."""
    known: dict[str, Any] = {"identifier": [{"system": f"{writer.base}/fmd", "value": str(writer.record_id)}]}
    for one in found:
        if one.entry.key == "patient" and one.entry.resource:
            for name, value in one.entry.resource.items():
                known[name] = [*known.get(name, []), *value] if isinstance(value, list) else value
    known["communication"] = _languages(known.get("communication", []))
    reason = "masked" if reader.reserved_sentence("personal") else "unknown"
    if "name" not in known:
        known["name"] = [{"_text": absent(reason)}]
    if "birthDate" not in known:
        known["_birthDate"] = absent(reason)
    return resource("Patient", **present(known))


def _languages(spoken: Iterable[Resource]) -> list[Resource]:
    """Each once: the preferred one says that it is."""
    by_code: dict[str, Resource] = {}
    for one in spoken:
        code = one["language"]["coding"][0]["code"]
        by_code[code] = by_code.get(code, {}) | one
    return list(by_code.values())


def _alert(writer: FhirWriter, sign: Sign) -> ModelEntry:
    """A stop sign: our rules found it in what the record says, and nobody else vouches for it."""
    texts = [sign.text, *([sign.detail] if sign.detail else [])]
    text = ". ".join(writer.words(words) for words in texts)
    flag = resource(
        "Flag",
        status="active",
        category=[hl7("flag-category", "safety")],
        code={"text": text},
        subject=writer.patient,
        author=writer.reference("software"),
    )
    return ModelEntry(FhirEntry(f"alert/{sign.rule}/{text}", flag, codes.ALERTS, NarrativeFact(text)))


def _not_judged(reader: RecordReader, names: Sequence[Translated]) -> list[str]:
    told = ", ".join(map(reader.translate, names))
    return [f"{reader.translate(UNJUDGED)}: {told}."] if told else []


def _told(
    reader: RecordReader,
    section: SummarySection,
    inside: Iterable[ModelEntry],
    reasons: Sequence[Emptiness | None],
    more: Sequence[str],
) -> NarrativeSection:
    facts: dict[Any, NarrativeFact] = {}
    for entry, model in inside:
        known = entry.told if model is None else narrative_fact(reader, model, entry.told)
        if known is not None:
            facts.setdefault(entry.told if isinstance(entry.told, str) else entry.key, known)
    sentences = [*_why_empty(reader, section, reasons), *more]
    reserved = reader.reserved_sentence(*(source.wire for source in section.lists))
    if reserved and reserved not in sentences and Emptiness.WITHHELD not in reasons:
        sentences.append(reserved)
    return NarrativeSection(section.code, reader.translate(section.title), list(facts.values()), sentences)


def _why_empty(reader: RecordReader, section: SummarySection, reasons: Sequence[Emptiness | None]) -> Iterator[str]:
    """For the whole section, or list by list where they differ. That nobody wrote anything down is said of what must
    be there."""
    given = [reason for reason in reasons if reason]
    if len(given) == len(reasons) and len(set(given)) == 1:
        if section.required or given[0] is not Emptiness.NOT_RECORDED:
            yield reader.translate(SENTENCES[given[0]])
        return
    for source, reason in zip(section.lists, reasons, strict=True):
        if reason and (section.required or reason is not Emptiness.NOT_RECORDED):
            yield f"{_list_title(reader, source.wire, source.field)}: {reader.translate(SENTENCES[reason])}"


def _list_title(reader: RecordReader, wire: str, field: str) -> str:
    model = reader.catalog.find(wire)
    assert model is not None, "a section names a model that there is not"
    return reader.translate(model.about.title)


def _section(
    writer: FhirWriter,
    section: SummarySection,
    inside: Sequence[ModelEntry],
    reasons: Sequence[Emptiness | None],
    said: NarrativeSection,
) -> Resource:
    entries = [writer.reference(one.entry.key) for one in inside if one.entry.resource is not None]
    empty = None if entries or said.facts else empty_reason(writer, reasons)
    parts = {
        "title": said.title,
        "code": loinc(section.code),
        "author": list(_authors(writer, inside)),
        "text": narrative(said, writer.language),
        "entry": entries,
        "emptyReason": empty,
    }
    return present(parts)


def _authors(writer: FhirWriter, inside: Iterable[ModelEntry]) -> Iterator[Resource]:
    """Who said what the section lists: each once."""
    known = dict.fromkeys(fuente for one in inside if (fuente := _fuente(one.entry)) is not None)
    yield from (source for one in known if (source := writer.source(one, one.words)))


def _fuente(entry: FhirEntry) -> Fuente | None:
    return entry.told.fuente if isinstance(entry.told, Fact) else None


def _composition(
    writer: FhirWriter,
    now: datetime,
    mark: Sequence[Resource],
    sections: Sequence[Resource],
    found: Sequence[ModelEntry],
) -> Resource:
    """Put together by software, and it says so. Those who keep the record attest what they confirmed in it, as of the
    day on which they last did."""
    return resource(
        "Composition",
        language=writer.language,
        status="final",
        type=loinc("60591-5"),
        subject=writer.patient,
        date=now.isoformat(timespec="seconds"),
        author=[writer.reference("software")],
        title=writer.words(TITLE),
        confidentiality="R" if NORMAL not in mark else "N",
        attester=list(_attesters(writer, found)),
        section=list(sections),
    )


def _attesters(writer: FhirWriter, found: Sequence[ModelEntry]) -> Iterator[Resource]:
    for keeper in KEEPERS:
        facts = [one.entry.told for one in found if _fuente(one.entry) is keeper]
        if facts:
            last = max((fact.confirmado_en or "" for fact in facts), default="")
            yield present({"mode": "personal", "time": last, "party": writer.source(keeper, keeper.words)})


def bundle_entry(writer: FhirWriter, key: str, body: Resource, labels: Sequence[Resource]) -> Resource:
    if labels:
        body = body | {"meta": body.get("meta", {}) | {"security": list(labels)}}
    return {"fullUrl": writer.url(key), "resource": body}
