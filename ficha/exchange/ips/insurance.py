"""The insurance of a record as a FHIR bundle of its own: it is no part of a patient summary."""

from datetime import datetime
from uuid import uuid4

from ficha.exchange.ips.document import URN, RecordToTell, bundle_entry, model_entries, patient_resource
from ficha.fmd.fhir_parts import FhirWriter, Resource
from ficha.fmd.responder.record_reader import RecordReader

COVERAGE = "Coverage"
PERSONAL, POLICIES = "personal", "poliza"


def insurance_bundle(record: RecordToTell, now: datetime) -> Resource | None:
    """The person and who pays, after consent. None if nobody does, or if it is reserved."""
    reader = RecordReader(record.documents, record.door, now.date(), record.language)
    if POLICIES not in reader.visible:
        return None
    writer = FhirWriter(record.base, record.id, record.language, now.date().isoformat())
    # Of the person what her own model says: her doctors and contacts are no business of who checks an insurance.
    found = list(model_entries(reader, writer, PERSONAL, POLICIES))
    coverages = [entry for entry, _ in found if entry.resource and entry.resource.get("resourceType") == COVERAGE]
    if not coverages:
        return None
    personal = [one for one in found if one.model is not None and one.model.about.wire == PERSONAL]
    return {
        "resourceType": "Bundle",
        "language": record.language,
        "identifier": {"system": URN, "value": f"urn:uuid:{uuid4()}"},
        "type": "collection",
        "timestamp": now.isoformat(timespec="seconds"),
        "entry": [
            bundle_entry(writer, "patient", patient_resource(reader, writer, personal), []),
            *(bundle_entry(writer, entry.key, entry.resource or {}, []) for entry in coverages),
        ],
    }
