"""Observations of the body, devices and alerts read back: into `cuerpo`, `cardiologico` and `consideracion`. Stop
signs, which our rules find anew, are never read back."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ficha.fmd.fhir_codes import (
    BLOOD_GROUP,
    BLOOD_GROUPS,
    DEVICE_TYPES,
    DIASTOLIC,
    HEIGHT,
    LOINC,
    PRESSURE,
    SNOMED,
    SYSTOLIC,
    WEIGHT,
)
from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    absence_codes,
    code_in,
    codings,
    day,
    first_of,
    is_ours,
    items,
    meant,
    own_code,
    own_fields,
    part,
    said,
    word,
)
from ficha.fmd.freshness import is_current_size
from ficha.fmd.from_fhir.health import latest_first, read_heart_history
from ficha.fmd.from_fhir.terms import coded, one_line
from ficha.fmd.values import first_day, last_day

GROUPS, DISPOSITIVOS = meant(BLOOD_GROUPS), meant(DEVICE_TYPES)
GROUP = re.compile(r"(?<![A-Za-z])(AB|A|B|O|0)\s?([+-]|(?:,?\s?(?:Rh|RhD|Rh\(D\))\s?)(pos|neg)\w*)", re.IGNORECASE)
# What one of each is in our unit.
CENTIMETRES: Mapping[str, float] = {"cm": 1, "m": 100, **dict.fromkeys(("[in_i]", "[in_us]", "in"), 2.54)}
KILOGRAMS: Mapping[str, float] = {"kg": 1, "g": 0.001, **dict.fromkeys(("[lb_av]", "lb", "lbs"), 0.45359237)}
SIZES = ((HEIGHT, "estatura_cm", CENTIMETRES), (WEIGHT, "peso_kg", KILOGRAMS))
MARKS = ("senas_particulares", "usa_lentes", "usa_audifonos")
OVER = frozenset({"completed", "inactive", "stopped"})
NOT_DONE = frozenset({"cancelled", "registered", "intended"})


def read_body(reader: FhirReader) -> Iterator[FhirFact]:
    yield from _observed(reader, BLOOD_GROUP, "grupo_sanguineo", _group)
    for code, field, units in SIZES:
        yield from _observed(reader, code, field, lambda one, units=units: _size(one, units), changes=True)
    for use, device, own in _devices(reader):
        if not _is_of_heart(device, own):
            what = coded(part(device, "type"), reader.language, "cuerpo")
            if what is None:
                reader.refuse(use, WhyNot.NO_NAME)
            else:
                field = "protesis" if own.get("lista") == "protesis" else "implantes"
                yield FhirFact(field, reader.fact(use, part(use, "source"), "recordedOn", **what), use)
    own = own_fields(reader.patient)
    yield from (FhirFact(name, own[name], reader.patient) for name in MARKS if name in own)


def read_heart(reader: FhirReader) -> Iterator[FhirFact]:
    for use, device, own in _devices(reader):
        if _is_of_heart(device, own):
            fact = reader.fact(
                use,
                part(use, "source"),
                "recordedOn",
                tipo=own.get("tipo") or DISPOSITIVOS[code_in(part(device, "type"), SNOMED)],
                fabricante=one_line(word(device, "manufacturer")) or None,
                modelo=word(device, "modelNumber") or None,
                fecha_implante=day(use, "timingDateTime") or day(part(use, "timingPeriod"), "start"),
                compatible_rm=own.get("compatible_rm"),
            )
            yield FhirFact("dispositivos", fact, use)
    yield from read_heart_history(reader)
    for flag in _flags(reader):
        if own_code(part(flag, "code"), "cardiologico") == "anticoagulado":
            yield FhirFact("anticoagulado", True, flag)
    if own_fields(reader.patient).get("anticoagulado") is False:
        yield FhirFact("anticoagulado", False, reader.patient)
    yield from _observed(reader, PRESSURE, "presion_habitual", _pressure)
    for reference in items(reader.patient, "generalPractitioner"):
        doctor = reader.resolve(reference)
        name = word(first_of(items(doctor, "name")), "text")
        if own_fields(doctor).get("modelo") == "cardiologico" and name:
            yield FhirFact("cardiologo", name, doctor)


def read_considerations(reader: FhirReader) -> Iterator[FhirFact]:
    """The alerts of others too, as what they are: something that whoever helps should know."""
    for flag in _flags(reader):
        concept = part(flag, "code")
        if own_code(concept, "cardiologico"):
            continue
        kind, own = own_code(concept, "consideracion"), own_fields(flag)
        told = own.get("descripcion") if kind or is_ours(flag) else said(concept)
        if not kind and not told:
            reader.refuse(flag, WhyNot.NO_NAME)
            continue
        values = {"tipo": kind or "otra", "descripcion": told, "como_ayudar": own.get("como_ayudar")}
        yield FhirFact("consideraciones", reader.fact(flag, part(flag, "author"), **values), flag)


def is_stop_sign(reader: FhirReader, flag: Mapping[str, Any]) -> bool:
    """Found by rules in what a record says, and no fact itself."""
    author = part(flag, "author")
    return "Device" in (word(author, "type"), word(reader.resolve(author), "resourceType"))


def _flags(reader: FhirReader) -> Iterator[Mapping[str, Any]]:
    for flag in reader.clinical("Flag"):
        if word(flag, "status") == "inactive":
            reader.refuse(flag, WhyNot.OVER)
        elif not is_stop_sign(reader, flag):
            yield flag


def _devices(reader: FhirReader) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any], dict[str, Any]]]:
    for use in reader.clinical("DeviceUseStatement"):
        device = reader.contained(use, part(use, "device"))
        status = word(use, "status")
        if status in OVER:
            reader.refuse(use, WhyNot.OVER)
        elif status in NOT_DONE:
            reader.refuse(use, WhyNot.NOT_DONE)
        elif not device:
            reader.refuse(use, WhyNot.NO_NAME)
        elif not absence_codes(device):
            yield use, device, own_fields(device)


def _is_of_heart(device: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    if "lista" in own:
        return False
    return "tipo" in own or code_in(part(device, "type"), SNOMED) in DISPOSITIVOS


def _observed(reader: FhirReader, code: str, field: str, value_of: Any, *, changes: bool = False) -> Iterator[FhirFact]:
    """The latest of what was measured. The record keeps no date of it: of what `changes` as a child grows, nothing that
    is no longer hers."""
    is_known = False
    for observation in latest_first(reader.clinical("Observation")):
        if code not in {one.code for one in codings(part(observation, "code")) if one.system == LOINC}:
            continue
        value = value_of(observation)
        if word(observation, "status") in NOT_DONE:
            reader.refuse(observation, WhyNot.NOT_DONE)
        elif value is None:
            reader.refuse(observation, WhyNot.NOT_READABLE)
        elif is_known:
            reader.refuse(observation, WhyNot.ONE_ALREADY)
        elif changes and not _is_current(reader, observation):
            reader.refuse(observation, WhyNot.OUTDATED)
        else:
            is_known = True
            yield FhirFact(field, value, observation)


def _is_current(reader: FhirReader, observation: Mapping[str, Any]) -> bool:
    measured, born = day(observation, "effectiveDateTime", "issued"), day(reader.patient, "birthDate")
    when = last_day(measured) if measured else None
    return when is None or is_current_size(when, first_day(born) if born else None, reader.today)


def _group(observation: Mapping[str, Any]) -> str | None:
    concept = part(observation, "valueCodeableConcept")
    known = GROUPS.get(code_in(concept, SNOMED))
    found = GROUP.search(said(concept) or word(observation, "valueString"))
    if known or not found:
        return known
    letters, sign = found[1].upper().replace("0", "O"), (found[3] or found[2]).lower()
    return letters + ("+" if sign in ("+", "pos") else "-")


def _size(observation: Mapping[str, Any], units: Mapping[str, float]) -> float | None:
    measured = part(observation, "valueQuantity")
    value, factor = measured.get("value"), units.get(word(measured, "code")) or units.get(word(measured, "unit"))
    if factor is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if factor == 1 else round(value * factor, 1)


def _pressure(observation: Mapping[str, Any]) -> str | None:
    found = {}
    for component in items(observation, "component"):
        value = part(component, "valueQuantity").get("value")
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[code_in(part(component, "code"), LOINC)] = f"{value:.0f}"
    return f"{found[SYSTOLIC]}/{found[DIASTOLIC]}" if SYSTOLIC in found and DIASTOLIC in found else None
