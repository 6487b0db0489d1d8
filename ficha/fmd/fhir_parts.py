"""What the `to_fhir` of the models share: resources, references, codes, dates, and how to say that a value is missing.

A resource is a plain dictionary. What FHIR has no place for travels in one extension of ours (`OWN_FIELDS`), under the
name of its field: so nothing is lost between two Fichas, and everybody else reads it in the narrative.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha1
from typing import Any, NamedTuple
from uuid import UUID

from ficha.fmd.fhir_codes import (
    ABSENT,
    LANGUAGES,
    LOINC,
    OWN_FIELDS,
    PROFILES,
    SNOMED,
    SOURCES,
    SYSTEMS,
    TERMINOLOGY,
    UNITS,
)
from ficha.fmd.translations import Translated

Resource = dict[str, Any]

# Chosen at random, once: names of resources are made from it and from what they are.
NAMES = UUID("6f1c7d0e-4a52-5b8f-9d6b-2f0c1f4e7a35")
OWN_EXTENSION = "/fhir/StructureDefinition/ficha"
OWN_CODES = "/fhir/CodeSystem/"


class FhirEntry(NamedTuple):
    """A resource of a record. `key` names it within the record. `section` is the code of the section that lists it,
    empty if none does, None if it does not belong into a patient summary at all. `told` is what the section's narrative
    tells: a fact, or the name of a field of the model. `resource` is None for what is only told."""

    key: str
    resource: Resource | None
    section: str | None = ""
    told: Any = None


class FhirWriter:
    """What the resources of one record have in common: whose they are, in whose language, and who said what.

    `base` is the public address of the service. `has_guardian` says whether the record names one that may be shown."""

    def __init__(self, base: str, record_id: int, language: str, today: str, *, has_guardian: bool = False) -> None:
        self.base, self.language, self.today = base, language, today
        self.record_id, self._has_guardian = record_id, has_guardian
        self._urls: dict[str, str] = {}
        self.patient = self.reference("patient")

    def url(self, key: str) -> str:
        """The same whenever the record is written: whoever gets it twice recognises what she has."""
        if key not in self._urls:
            self._urls[key] = f"urn:uuid:{_name_uuid(f'{self.base}/{self.record_id}/{key}')}"
        return self._urls[key]

    def reference(self, key: str) -> dict[str, str]:
        return {"reference": self.url(key)}

    def source(self, fuente: str | None, words: Translated | None = None) -> dict[str, str] | None:
        """Who said it, as far as the record knows: it names the person and perhaps her guardian, nobody else."""
        if fuente is None:
            return None
        if fuente == "titular":
            return self.patient
        if fuente == "representante" and self._has_guardian:
            return self.reference("representante")
        told = {"display": words.in_language(self.language)} if words else {}
        return {"type": SOURCES[fuente], **told}

    def words(self, words: Translated) -> str:
        return words.in_language(self.language)

    def own_fields(self, **values: Any) -> list[Resource]:
        """Fields that FHIR has no place for, as an extension of ours."""
        fields = [{"url": name, OWN_FIELDS[name]: value} for name, value in values.items() if value is not None]
        return [{"url": f"{self.base}{OWN_EXTENSION}", "extension": fields}] if fields else []

    def own_code(self, system: str, code: str, words: Translated) -> Resource:
        """A choice of our own, for which no public list has a code that we may vouch for."""
        text = self.words(words)
        return {"coding": [{"system": f"{self.base}{OWN_CODES}{system}", "code": code, "display": text}], "text": text}


def _name_uuid(name: str) -> str:
    """As `uuid.uuid5`, without its objects: they take as long as all else that a resource does."""
    digits = sha1(NAMES.bytes + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def resource(kind: str, /, *profile: str, **parts: Any) -> Resource:
    """With its profile of the IPS (that of its kind, or the one that is named), without what is empty."""
    url = PROFILES.get(profile[0] if profile else kind)
    meta = {"meta": {"profile": [url]}} if url else {}
    return {"resourceType": kind, **meta, **present(parts)}


def present(parts: Mapping[str, Any]) -> dict[str, Any]:
    """FHIR knows neither nulls nor empty lists. No number of ours is zero."""
    return {name: value for name, value in parts.items() if value or value is False}


def concept(texto: str | None, sistema: str | None, codigo: str | None) -> Resource:
    """The code as the record has it, and the words as they were written. Without a code the words alone."""
    coding = [{"system": SYSTEMS[sistema], "code": codigo}] if sistema and codigo else []
    return present({"coding": coding, "text": texto})


def snomed(code: str, text: str = "") -> Resource:
    return present({"coding": [{"system": SNOMED, "code": code}], "text": text})


def loinc(code: str) -> Resource:
    return {"coding": [{"system": LOINC, "code": code}]}


def hl7(system: str, code: str) -> Resource:
    """A code of one of HL7's own short lists."""
    return {"coding": [{"system": f"{TERMINOLOGY}{system}", "code": code}]}


def written(*texts: str | None) -> list[Resource]:
    """Notes in somebody's own words."""
    return [{"text": text} for text in texts if text]


def absent(reason: str = "unknown") -> Resource:
    """In place of a value that FHIR asks for and nobody knows, or that nobody may see (`masked`)."""
    return {"extension": [{"url": ABSENT, "valueCode": reason}]}


def moment(name: str, value: str | None) -> Resource:
    """A date that FHIR asks for, whole or partial; or that it is not known."""
    return {name: value} if value else {f"_{name}": absent()}


def period(start: str | None, end: str | None) -> Resource:
    return present({"start": start, "end": end})


def quantity(value: float, unit: str) -> Resource:
    return {"value": value, "unit": unit, "system": UNITS, "code": unit}


def telecom(phone: str | None, mail: str | None = None) -> list[Resource]:
    found = (("phone", phone), ("email", mail))
    return [{"system": system, "value": value} for system, value in found if value]


def speaks(languages: Iterable[str], *, preferred: bool | None = None) -> list[Resource]:
    return [
        present({"language": {"coding": [{"system": LANGUAGES, "code": tag}]}, "preferred": preferred})
        for tag in languages
    ]
