"""Which function reads each model back. A test holds the list to the models that write themselves."""

from collections.abc import Callable, Iterator, Mapping

from ficha.fmd.fhir_reading import FhirFact, FhirReader
from ficha.fmd.from_fhir.allergies import read_medicine_allergies, read_other_allergies
from ficha.fmd.from_fhir.body import read_body, read_considerations, read_heart
from ficha.fmd.from_fhir.health import read_health
from ficha.fmd.from_fhir.medicines import read_medicines, read_vaccines
from ficha.fmd.from_fhir.people import (
    read_contacts,
    read_doctors,
    read_guardian,
    read_insurance,
    read_person,
    read_preferred_language,
    read_school,
)
from ficha.fmd.from_fhir.wishes import read_wishes

FROM_FHIR: Mapping[str, Callable[[FhirReader], Iterator[FhirFact]]] = {
    "personal": read_person,
    "alergiasm": read_medicine_allergies,
    "alergiasa": read_other_allergies,
    "medicacion": read_medicines,
    "salud": read_health,
    "cardiologico": read_heart,
    "cuerpo": read_body,
    "vacuna": read_vaccines,
    "emergencia": read_contacts,
    "consideracion": read_considerations,
    "consentimiento": read_wishes,
    "representante": read_guardian,
    "estudiante": read_school,
    "personalsermed": read_doctors,
    "poliza": read_insurance,
    "preferencia": read_preferred_language,
}
