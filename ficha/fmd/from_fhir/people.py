"""Patient and whoever belongs to her, read back: `personal`, `emergencia`, `representante`, `personalsermed`,
`estudiante`, `poliza`, and the language that she prefers."""

from collections.abc import Iterator, Mapping
from typing import Any

from ficha.core.phones import NotDialable, split_e164, written_e164
from ficha.fmd.fhir_codes import GENDERS, LANGUAGES, NATIONALITY
from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    code_in,
    first_of,
    items,
    meant,
    own_fields,
    part,
    said,
    whole_day,
    word,
    words,
)
from ficha.fmd.from_fhir.terms import one_line

SEXOS = meant(GENDERS)
SCHOOL = ("grado", "seccion", "matricula", "turno", "transporte")
TOLD = ("instrucciones", "hospital_preferido")


def read_person(reader: FhirReader) -> Iterator[FhirFact]:
    patient = reader.patient
    for field, value in person_fields(patient).items():
        if field != "apellidos":
            yield FhirFact(field, value, patient)


def person_fields(patient: Mapping[str, Any]) -> dict[str, Any]:
    """What a Patient says of herself. Both names or none: a record has both."""
    name = _official_name(patient)
    given, family = " ".join(words(name, "given")), word(name, "family")
    number = next((one for one in items(patient, "identifier") if _is_document(one)), {})
    address = first_of(items(patient, "address"))
    country = first_of([one for one in items(patient, "extension") if word(one, "url") == NATIONALITY])
    found = {
        "nombres": {"nombres": one_line(given), "apellidos": one_line(family)} if given and family else None,
        "documento": _present(
            {"documento_numero": word(number, "value"), "documento_tipo": one_line(said(part(number, "type")))}
        ),
        "fecha_nacimiento": whole_day(patient, "birthDate"),
        "sexo": SEXOS.get(word(patient, "gender")),
        "idiomas": list(dict.fromkeys(_languages(patient))),
        "nacionalidad": _country(part(first_of(items(country, "extension")), "valueCodeableConcept")),
        "direccion": _present(
            {
                "calle": one_line(", ".join(words(address, "line"))),
                "ciudad": word(address, "city"),
                "estado": word(address, "state"),
                "codigo_postal": word(address, "postalCode"),
                "pais": _country_code(word(address, "country")),
            }
        ),
        "telefono": phone(patient),
        "correo": _contact(patient, "email"),
    }
    return {name: value for name, value in found.items() if value}


def _official_name(patient: Mapping[str, Any]) -> Mapping[str, Any]:
    names = items(patient, "name")
    return next((one for one in names if word(one, "use") == "official"), first_of(names))


def _is_document(identifier: Mapping[str, Any]) -> bool:
    """As a record has it: its number and perhaps of what kind. Numbers of registries are of use only to them."""
    return bool(word(identifier, "value")) and not word(identifier, "system")


def _languages(person: Mapping[str, Any]) -> Iterator[str]:
    spoken = (part(one, "language") for one in items(person, "communication"))
    return filter(None, (code_in(one, LANGUAGES) for one in spoken))


def _country(concept: Mapping[str, Any]) -> str:
    return next((_country_code(word(one, "code")) for one in items(concept, "coding")), "")


def _country_code(text: str) -> str:
    return text.upper() if len(text) == 2 and text.isascii() and text.isalpha() else ""


def _contact(person: Mapping[str, Any], system: str) -> str:
    return next((word(one, "value") for one in items(person, "telecom") if word(one, "system") == system), "")


def phone(person: Mapping[str, Any]) -> dict[str, str]:
    """Both parts, as a Ficha writes them with a space between, or of a number that names its country. Nothing of one
    that does not: nobody could dial it from elsewhere."""
    for one in items(person, "telecom"):
        written = word(one, "value")
        if word(one, "system") not in ("phone", "sms") or not written.startswith("+"):
            continue
        prefix, _, rest = written.partition(" ")
        if rest.isdecimal() and rest.isascii() and len(prefix) <= 5:
            return {"cod_telefono": prefix, "telefono": rest}
        try:
            prefix, rest = split_e164(written_e164(written, ""))
        except NotDialable:
            continue
        return {"cod_telefono": prefix, "telefono": rest}
    return {}


def read_contacts(reader: FhirReader) -> Iterator[FhirFact]:
    """RelatedPerson, and of Patient.contact those who are not among them."""
    own = own_fields(reader.patient)
    yield from (FhirFact(name, own[name], reader.patient) for name in TOLD if name in own)
    known: set[str] = set()
    for person in reader.clinical("RelatedPerson"):
        name = person_name(person)
        known.add(name)
        if own_fields(person).get("modelo") != "representante":
            yield from _emergency_contact(reader, person, name)
    for contact in items(reader.patient, "contact"):
        name = person_name(contact)
        if name not in known:
            yield from _emergency_contact(reader, contact, name)


def _emergency_contact(reader: FhirReader, person: Mapping[str, Any], name: str) -> Iterator[FhirFact]:
    dialled = phone(person)
    if not name:
        reader.refuse(person, WhyNot.NO_NAME)
    elif not dialled:
        reader.refuse(person, WhyNot.NO_PHONE)
    else:
        own = own_fields(person)
        fact = reader.fact(
            person,
            {},
            nombre=name,
            relacion=_relationship(person),
            correo=_contact(person, "email"),
            prioridad=own.get("prioridad"),
            puede_decidir=own.get("puede_decidir"),
            idioma=next(_languages(person), None),
            **dialled,
        )
        yield FhirFact("contactos", fact, person)


def person_name(person: Mapping[str, Any]) -> str:
    name = part(person, "name") or _official_name(person)
    return one_line(word(name, "text") or " ".join([*words(name, "given"), word(name, "family")]))


def _relationship(person: Mapping[str, Any]) -> str:
    """In words; of a code without any, the code."""
    told = items(person, "relationship")
    coded = (word(one, "code") for concept in told for one in items(concept, "coding"))
    return one_line(next(filter(None, map(said, told)), "") or next(filter(None, coded), ""))[:60] or "-"


def read_guardian(reader: FhirReader) -> Iterator[FhirFact]:
    for person in reader.clinical("RelatedPerson"):
        own = own_fields(person)
        if own.get("modelo") == "representante":
            values = {
                "nombre": person_name(person),
                "relacion": _relationship(person),
                "documento": word(first_of(items(person, "identifier")), "value"),
                "correo": _contact(person, "email"),
                "custodia": own.get("custodia"),
                **phone(person),
            }
            yield FhirFact("", _present(values), person)


def read_doctors(reader: FhirReader) -> Iterator[FhirFact]:
    """Those whom the Patient names as hers. Who wrote the document is not among them for that alone."""
    for reference in items(reader.patient, "generalPractitioner"):
        role = reader.resolve(reference)
        kind = word(role, "resourceType")
        doctor = reader.resolve(part(role, "practitioner")) if kind == "PractitionerRole" else role
        if kind not in ("PractitionerRole", "Practitioner") or own_fields(doctor).get("modelo") == "cardiologico":
            continue
        institution = part(role, "organization")
        name = person_name(doctor) or one_line(word(part(role, "practitioner"), "display"))
        if not name:
            reader.refuse(role, WhyNot.NO_NAME)
            continue
        fact = reader.fact(
            role,
            {},
            nombre=name,
            especialidad=one_line(said(first_of(items(role, "specialty")))),
            institucion=one_line(word(reader.resolve(institution), "name") or word(institution, "display")),
            registro=word(first_of(items(doctor, "identifier")), "value"),
            **(phone(role) or phone(doctor)),
        )
        yield FhirFact("medicos", fact, role)


def read_school(reader: FhirReader) -> Iterator[FhirFact]:
    for institution in reader.all("Organization"):
        own = own_fields(institution)
        if own.get("modelo") == "estudiante" and word(institution, "name"):
            school = {"institucion": word(institution, "name"), **{name: own.get(name) for name in SCHOOL}}
            yield from (FhirFact(name, value, institution) for name, value in school.items() if value)


def read_insurance(reader: FhirReader) -> Iterator[FhirFact]:
    for coverage in reader.clinical("Coverage"):
        insurer = first_of(items(coverage, "payor"))
        plans = [one for one in items(coverage, "class") if code_in(part(one, "type"), PLAN_SYSTEM) == "plan"]
        holder, period = part(coverage, "policyHolder"), part(coverage, "period")
        name = one_line(word(insurer, "display") or word(reader.resolve(insurer), "name"))
        if not name or not word(coverage, "subscriberId"):
            reader.refuse(coverage, WhyNot.NO_NAME)
            continue
        fact = reader.fact(
            coverage,
            {},
            aseguradora=name,
            numero=word(coverage, "subscriberId"),
            plan=one_line(word(first_of(plans), "value")),
            titular=one_line(word(holder, "display") or person_name(reader.resolve(holder))),
            vigente_desde=whole_day(period, "start"),
            vigente_hasta=whole_day(period, "end"),
            telefono_asistencia=own_fields(coverage).get("telefono_asistencia"),
        )
        yield FhirFact("polizas", fact, coverage)


PLAN_SYSTEM = "http://terminology.hl7.org/CodeSystem/coverage-class"


def read_preferred_language(reader: FhirReader) -> Iterator[FhirFact]:
    for one in items(reader.patient, "communication"):
        code = code_in(part(one, "language"), LANGUAGES)
        if one.get("preferred") is True and code:
            yield FhirFact("idioma", code, reader.patient)
            return


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
