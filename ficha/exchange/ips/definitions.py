"""What others need to know of our FHIR: what we support (CapabilityStatement), and the extension that carries fields
for which FHIR has no place (StructureDefinition)."""

from functools import cache

from ficha import __version__
from ficha.fmd.fhir_codes import IPS, OWN_FIELDS, PROFILES
from ficha.fmd.fhir_parts import OWN_EXTENSION, Resource

FHIR_JSON = "application/fhir+json"
FHIR_VERSION = "4.0.1"
# Of the definitions, not of the service: they say when what they define was last changed.
CHANGED = "2026-11-18"
SUMMARY = "http://hl7.org/fhir/uv/ips/OperationDefinition/summary"
HELP = (
    "One operation, on one patient: the International Patient Summary, for whoever may read the record. There is no "
    "search, no other read and no write. The id of a patient is any live code of the record."
)


@cache
def capability_statement(base: str) -> Resource:
    """What this server can do, which is little: it is no FHIR server, it writes one document."""
    supported = sorted({name for name in PROFILES if name[0].isalpha()} - {"Patient"})
    resources: list[Resource] = [
        {
            "type": "Patient",
            "supportedProfile": [PROFILES["Patient"]],
            "operation": [{"name": "summary", "definition": SUMMARY, "documentation": HELP}],
        },
        *({"type": name, "supportedProfile": [PROFILES[name]]} for name in supported),
    ]
    return {
        "resourceType": "CapabilityStatement",
        "url": f"{base}/fhir/metadata",
        "name": "Ficha",
        "title": "Ficha",
        "status": "active",
        "date": CHANGED,
        "kind": "instance",
        "software": {"name": "Ficha", "version": __version__},
        "implementation": {"description": "Ficha", "url": f"{base}/fhir"},
        "fhirVersion": FHIR_VERSION,
        "format": [FHIR_JSON, "json"],
        "implementationGuide": [f"{IPS.removesuffix('StructureDefinition/')}ImplementationGuide/hl7.fhir.uv.ips"],
        "rest": [
            {
                "mode": "server",
                "documentation": HELP,
                "security": {"description": "Authorization: Bearer, as everywhere in this API."},
                "resource": resources,
            }
        ],
    }


@cache
def own_extension(base: str) -> Resource:
    """Our extension: a part for each field, under its name."""
    url = f"{base}{OWN_EXTENSION}"
    elements: list[Resource] = [
        {"id": "Extension", "path": "Extension", "min": 0, "max": "*", "definition": "Fields without a place in FHIR."},
        {
            "id": "Extension.extension",
            "path": "Extension.extension",
            "slicing": {"discriminator": [{"type": "value", "path": "url"}], "rules": "open"},
        },
    ]
    for name, kind in OWN_FIELDS.items():
        part = f"Extension.extension:{name}"
        elements += [
            {"id": part, "path": "Extension.extension", "sliceName": name, "min": 0, "max": "1"},
            {"id": f"{part}.url", "path": "Extension.extension.url", "fixedUri": name},
            {
                "id": f"{part}.value[x]",
                "path": "Extension.extension.value[x]",
                "type": [{"code": kind.removeprefix("value").lower()}],
            },
        ]
    elements += [
        {"id": "Extension.url", "path": "Extension.url", "fixedUri": url},
        {"id": "Extension.value[x]", "path": "Extension.value[x]", "max": "0"},
    ]
    return {
        "resourceType": "StructureDefinition",
        "id": "ficha",
        "url": url,
        "name": "FichaFields",
        "title": "Fields of a Ficha that FHIR has no place for",
        "status": "active",
        "date": CHANGED,
        "fhirVersion": FHIR_VERSION,
        "kind": "complex-type",
        "abstract": False,
        "context": [{"type": "element", "expression": "DomainResource"}],
        "type": "Extension",
        "baseDefinition": "http://hl7.org/fhir/StructureDefinition/Extension",
        "derivation": "constraint",
        "differential": {"element": elements},
    }
