"""The codes of FHIR R4 and the IPS for what our own words mean: read in one direction to write FHIR, in the other to
read it. Codes of SNOMED CT were looked up in the set that is free for everybody, none was written from memory."""

from collections.abc import Mapping
from typing import NamedTuple

SNOMED = "http://snomed.info/sct"
LOINC = "http://loinc.org"
UNITS = "http://unitsofmeasure.org"
TERMINOLOGY = "http://terminology.hl7.org/CodeSystem/"
EXTENSIONS = "http://hl7.org/fhir/StructureDefinition/"
IPS = "http://hl7.org/fhir/uv/ips/StructureDefinition/"
ABSENT = f"{EXTENSIONS}data-absent-reason"
NATIONALITY = f"{EXTENSIONS}patient-nationality"
COUNTRIES = "urn:iso:std:iso:3166"
LANGUAGES = "urn:ietf:bcp:47"

# `sistema` of a coded term.
SYSTEMS: Mapping[str, str] = {
    "snomed": SNOMED,
    "atc": "http://www.whocc.no/atc",
    "cie10": "http://hl7.org/fhir/sid/icd-10",
    "cvx": "http://hl7.org/fhir/sid/cvx",
    "loinc": LOINC,
}
# The kind of resource that each `fuente` is.
SOURCES: Mapping[str, str] = {
    "titular": "Patient",
    "representante": "RelatedPerson",
    "institucion": "Organization",
    "medico": "Practitioner",
}
GENDERS: Mapping[str, str] = {"femenino": "female", "masculino": "male", "otro": "other", "desconocido": "unknown"}
CRITICALITIES: Mapping[str, str] = {"alta": "high", "baja": "low", "desconocida": "unable-to-assess"}
# Of the categories that FHIR does not tell apart, the resource keeps our own word too.
ALLERGY_CATEGORIES: Mapping[str, str] = {
    "alimento": "food",
    "ambiente": "environment",
    "insecto": "environment",
    "latex": "environment",
}
# A controlled condition is still there; our own word says that it is controlled.
CLINICAL_STATES: Mapping[str, str] = {"activa": "active", "controlada": "active", "resuelta": "resolved"}
# States of others, which are read as the nearest of ours and never written. Who is free of symptoms still has it: only
# what is called resolved, or has an end, is over.
OTHER_CLINICAL_STATES: Mapping[str, str] = {
    "recurrence": "activa",
    "relapse": "activa",
    "remission": "controlada",
    "inactive": "controlada",
}
SEVERITIES: Mapping[str, str] = {"leve": "255604002", "moderada": "6736007", "grave": "24484000"}
PREGNANCY_STATES: Mapping[str, str] = {
    "embarazada": "77386006",
    "posible": "146799005",
    "no_embarazada": "60001007",
}
# Answers of LOINC to the same, which the IPS asked for before its version 2: read and never written. There is none for
# a possible pregnancy.
OTHER_PREGNANCY_STATES: Mapping[str, str] = {"LA15173-0": "embarazada", "LA26683-5": "no_embarazada"}
DEVICE_TYPES: Mapping[str, str] = {
    "marcapasos": "14106009",
    "desfibrilador": "72506001",
    "stent": "65818007",
    "valvula": "25510005",
}
DIRECTIVES: Mapping[str, str] = {"no_reanimar": "dnr"}  # All others are `acd`, an advance directive.


class Wish(NamedTuple):
    """What is refused or allowed, by a code of ours that is true of both answers, and the type of its provision if the
    record's field is true, or if it is false."""

    code: str
    if_yes: str
    if_no: str


WISHES: Mapping[str, Wish] = {
    "rechaza_transfusion": Wish("transfusion", if_yes="deny", if_no="permit"),
    "donante_organos": Wish("donacion_organos", if_yes="permit", if_no="deny"),
}

# As findings of SNOMED CT, which others write; we write the group as text.
BLOOD_GROUPS: Mapping[str, str] = {
    "A+": "278149003",
    "A-": "278152006",
    "B+": "278150003",
    "B-": "278153001",
    "AB+": "278151004",
    "AB-": "278154007",
    "O+": "278147001",
    "O-": "278148006",
}

# Codes of LOINC for what is observed.
HEIGHT, WEIGHT, BLOOD_GROUP = "8302-2", "29463-7", "882-1"
PRESSURE, SYSTOLIC, DIASTOLIC = "85354-9", "8480-6", "8462-4"
PREGNANCY, DUE_DATE = "82810-3", "11778-8"

# Sections of the document, by their code of LOINC.
PROBLEMS, ALLERGIES, MEDICINES = "11450-4", "48765-2", "10160-0"
IMMUNIZATIONS, RESULTS, PROCEDURES = "11369-6", "30954-2", "47519-4"
DEVICES, DIRECTIVES_SECTION, ALERTS = "46264-8", "42348-3", "104605-1"
PAST_PROBLEMS, PREGNANCY_SECTION, STORY, VITAL_SIGNS = "11348-0", "10162-6", "81338-6", "8716-3"

# Nothing known, as a fact: the type of the resource, and the code.
NO_ALLERGY, NO_DRUG_ALLERGY, NO_FOOD_ALLERGY, NO_ENVIRONMENT_ALLERGY = (
    "716186003",
    "409137002",
    "429625007",
    "428607008",
)
NO_MEDICINE, NO_PROBLEM = "787481004", "160245001"
# Others write these for sections of which we say so by `emptyReason`; and that nobody knows anything.
NO_DEVICE, NO_PROCEDURE, NO_IMMUNIZATION, NO_INFORMATION = "787483001", "787480003", "787482006", "1287211007"
# Withdrawn since, and still in many documents: its codes begin with `no-known-`, or end with `-info` if nobody knows.
ABSENT_UNKNOWN = "http://hl7.org/fhir/uv/ips/CodeSystem/absent-unknown-uv-ips"

# The profile of the IPS that each resource follows; an Observation's depends on what it observes.
PROFILES: Mapping[str, str] = {
    **{
        name: f"{IPS}{name}-uv-ips"
        for name in (
            "AllergyIntolerance", "Bundle", "Composition", "Condition", "Device", "DeviceUseStatement", "Immunization",
            "MedicationStatement", "Organization", "Patient", "Practitioner", "PractitionerRole", "Procedure",
        )
    },
    "Flag": f"{IPS}Flag-alert-uv-ips",
    PREGNANCY: f"{IPS}Observation-pregnancy-status-uv-ips",
    DUE_DATE: f"{IPS}Observation-pregnancy-edd-uv-ips",
    HEIGHT: f"{EXTENSIONS}bodyheight",
    WEIGHT: f"{EXTENSIONS}bodyweight",
    PRESSURE: f"{EXTENSIONS}bp",
}  # fmt: skip

# The fields that FHIR has no place for, and the type that each has in our extension.
OWN_FIELDS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            # Of every fact: when and by whom it was confirmed.
            "confirmado_en", "fuente",
            # Which model or which list of it a resource comes from, where its type does not tell.
            "modelo", "lista",
            "categoria", "criticidad", "custodia", "descripcion", "como_ayudar", "dosis", "estado", "grado",
            "guardado_en", "hospital_preferido", "instrucciones", "lugar", "matricula", "resumen", "seccion",
            "senas_particulares", "telefono_asistencia", "tipo", "transporte", "turno",
        ),
        "valueString",
    ),
    **dict.fromkeys(
        (
            "anticoagulado", "autoinyector", "compatible_rm", "critico", "hipertermia_maligna", "puede_decidir",
            "usa_audifonos", "usa_lentes", "via_aerea_dificil",
        ),
        "valueBoolean",
    ),
    "prioridad": "valueInteger",
}  # fmt: skip
