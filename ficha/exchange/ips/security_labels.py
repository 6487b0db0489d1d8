"""Which facts are marked as sensitive: those that the owner put behind a stricter door than usual, and those whose code
belongs to what people are shunned for (`sensitive_codes.csv`). A document carries the mark of its most sensitive fact,
and so does its list of contents: the narrative tells what the facts say."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from ficha.fmd.catalog import Catalog
from ficha.fmd.consent import ConsentRules
from ficha.fmd.fhir_codes import SYSTEMS, TERMINOLOGY
from ficha.fmd.fhir_parts import FhirEntry, Resource

NORMAL, RESTRICTED = (
    {"system": f"{TERMINOLOGY}v3-Confidentiality", "code": "N"},
    {"system": f"{TERMINOLOGY}v3-Confidentiality", "code": "R"},
)
POLICIES = f"{TERMINOLOGY}v3-ActCode"
# Of the beginnings of codes in the table. No code of SNOMED CT is that short.
LENGTHS = (5, 4, 3, 2)


def labels_of(entry: FhirEntry, rules: ConsentRules, catalog: Catalog) -> list[Resource]:
    """The security labels of a resource; none of one that is no more sensitive than any medical record."""
    wire, _, fact = entry.key.partition("/")
    model = catalog.find(wire)
    if entry.resource is None or model is None:
        return []
    chosen = (rules.door_of(f"{wire}/{fact}") or rules.door_of(wire)) if rules.has_any else None
    is_reserved = chosen is not None and chosen.depth > model.about.door.depth
    policies = list(dict.fromkeys(filter(None, map(_policy, _codings(entry.resource)))))
    if not is_reserved and not policies:
        return []
    return [RESTRICTED, *({"system": POLICIES, "code": policy} for policy in policies)]


def high_water_mark(labels: Iterable[list[Resource]]) -> list[Resource]:
    """What the whole document carries: the strictest of its facts."""
    found = {(label["system"], label["code"]): label for several in labels for label in several}
    return list(found.values()) or [NORMAL]


def _codings(resource: Resource) -> Iterator[Mapping[str, str]]:
    for name in ("code", "medicationCodeableConcept", "vaccineCode"):
        yield from resource.get(name, {}).get("coding", ())


def _policy(coding: Mapping[str, str]) -> str | None:
    """Groups of ATC and CIE-10 stand for all that begin so; codes of SNOMED CT and our own words for themselves."""
    policies = _sensitive().get(coding["system"].rpartition("/")[2], {})
    code = coding.get("code", "")
    return policies.get(code) or next((policies[code[:end]] for end in LENGTHS if code[:end] in policies), None)


@cache
def _sensitive() -> dict[str, dict[str, str]]:
    """Policies by the end of the code system's address, and the beginning of the code."""
    rows = csv.DictReader(files("ficha.exchange.ips").joinpath("sensitive_codes.csv").read_text("utf-8").splitlines())
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        system = SYSTEMS.get(row["sistema"], row["sistema"]).rpartition("/")[2]
        found.setdefault(system, {})[row["codigo"]] = row["policy"]
    return found
