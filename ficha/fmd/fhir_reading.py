"""What the readers in `from_fhir/` share: finding resources and following references, codes, dates and our extension.

Whatever is read here was written by somebody else, so nothing of it is taken to have the form that FHIR asks for: what
has another form is not there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from ficha.fmd.fhir_codes import (
    ABSENT_UNKNOWN,
    NO_ALLERGY,
    NO_DEVICE,
    NO_DRUG_ALLERGY,
    NO_ENVIRONMENT_ALLERGY,
    NO_FOOD_ALLERGY,
    NO_IMMUNIZATION,
    NO_INFORMATION,
    NO_MEDICINE,
    NO_PROBLEM,
    NO_PROCEDURE,
    OWN_FIELDS,
    SNOMED,
    SOURCES,
    TERMINOLOGY,
)
from ficha.fmd.fhir_parts import OWN_CODES, OWN_EXTENSION, Resource
from ficha.fmd.translations import Choice

ABSENCES = frozenset(
    {
        NO_ALLERGY, NO_DRUG_ALLERGY, NO_FOOD_ALLERGY, NO_ENVIRONMENT_ALLERGY, NO_MEDICINE, NO_PROBLEM, NO_DEVICE,
        NO_PROCEDURE, NO_IMMUNIZATION, NO_INFORMATION,
    }
)  # fmt: skip
# Where a resource says what it is about.
CONCEPTS = ("code", "vaccineCode", "medicationCodeableConcept", "type")
DAY = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?(?![\d-])", re.ASCII)
# Of several that mean the same: a hospital may write each fact with a dozen codes.
MOST_CODINGS = 20


class WhyNot(Choice):
    """Why something that a document says does not come into the record."""

    OTHER_KIND = (
        "otra_clase",
        "La ficha no guarda esta clase de dato.",
        "The record does not keep this kind of fact.",
        "A ficha não guarda esse tipo de dado.",
    )
    OVER = (
        "terminado",
        "Figura como terminado, suspendido, en pausa o resuelto.",
        "It is marked as ended, stopped, paused or resolved.",
        "Consta como terminado, suspenso, em pausa ou resolvido.",
    )
    REFUTED = (
        "descartado",
        "Figura como descartado o anotado por error.",
        "It is marked as ruled out or entered in error.",
        "Consta como descartado ou anotado por engano.",
    )
    UNCERTAIN = (
        "sin_confirmar",
        "Figura como sospecha, sin confirmar.",
        "It is marked as suspected, not confirmed.",
        "Consta como suspeita, sem confirmação.",
    )
    MODIFIED = (
        "sentido_cambiado",
        "Trae algo que cambia su sentido y que la ficha no sabe leer.",
        "It has something that changes its meaning and that the record cannot read.",
        "Traz algo que muda o seu sentido e que a ficha não sabe ler.",
    )
    NOT_DONE = (
        "no_hecho",
        "Figura como no hecho, o todavía por hacer.",
        "It is marked as not done, or not yet.",
        "Consta como não feito, ou ainda por fazer.",
    )
    OUTDATED = (
        "anticuado",
        "Es de hace demasiado tiempo para valer hoy.",
        "It is from too long ago to be true today.",
        "É de muito tempo atrás para valer hoje.",
    )
    NO_NAME = ("sin_nombre", "No dice qué es.", "It does not say what it is.", "Não diz o que é.")
    NO_PHONE = (
        "sin_telefono",
        "No trae un teléfono con su país, y sin él no se puede avisar a nadie.",
        "It has no phone number with its country, and nobody can be alerted without one.",
        "Não traz telefone com o país, e sem ele não se pode avisar ninguém.",
    )
    NOT_READABLE = (
        "no_se_entiende",
        "Trae un valor que la ficha no admite.",
        "It has a value that the record does not take.",
        "Traz um valor que a ficha não aceita.",
    )
    FILE_REFUSED = (
        "archivo_rechazado",
        "Es un archivo del enlace que no se pudo leer o comprobar.",
        "It is a file of the link that could not be read or verified.",
        "É um arquivo do link que não foi possível ler ou conferir.",
    )
    WITHDRAWN = (
        "retirado",
        "Quien lo publicó dice que ya no vale.",
        "Whoever published it says that it no longer counts.",
        "Quem o publicou diz que já não vale.",
    )
    ONE_ALREADY = (
        "ya_hay_otro",
        "El documento dice varios y la ficha guarda uno: se tomó el más reciente.",
        "The document has several and the record keeps one: the latest was taken.",
        "O documento traz vários e a ficha guarda um: ficou o mais recente.",
    )
    HALF_ABSENT = (
        "ausencia_en_parte",
        "Dice que no hay alergias de una sola clase, y la ficha pregunta por alimentos y ambiente juntos.",
        "It says that there are no allergies of one kind only, and the record asks for food and environment together.",
        "Diz que não há alergias de um só tipo, e a ficha pergunta por alimentos e ambiente juntos.",
    )
    CONTRADICTS = (
        "contradice",
        "Dice que no hay ninguna, y la ficha o el mismo documento nombra alguna. Pregunte a quien lo escribió.",
        "It says that there are none, and the record or the document itself names some. Ask whoever wrote it.",
        "Diz que não há nenhuma, e a ficha ou o próprio documento cita alguma. Pergunte a quem escreveu.",
    )
    ANOTHER_PERSON = (
        "otra_persona",
        "Habla de otra persona.",
        "It is about another person.",
        "Fala de outra pessoa.",
    )


class FhirFact(NamedTuple):
    """What a resource tells a model: the value of a field or, where that is a list, an item of it. Without a field it
    is the whole model."""

    field: str
    value: Any
    resource: Mapping[str, Any]


class Coding(NamedTuple):
    system: str
    code: str
    display: str


def items(of: object, name: str) -> list[Mapping[str, Any]]:
    found = of.get(name) if isinstance(of, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def part(of: object, *names: str) -> Mapping[str, Any]:
    """What is at the end of these names; nothing if anything on the way is missing."""
    for name in names:
        of = of.get(name) if isinstance(of, Mapping) else None
    return of if isinstance(of, Mapping) else {}


def word(of: object, name: str) -> str:
    found = of.get(name) if isinstance(of, Mapping) else None
    return found.strip() if isinstance(found, str) else ""


def words(of: object, name: str) -> list[str]:
    found = of.get(name) if isinstance(of, Mapping) else None
    return [one.strip() for one in found if isinstance(one, str) and one.strip()] if isinstance(found, list) else []


def day(of: object, *names: str) -> str | None:
    """The first of these that is a date, whole or partial; of a moment its day."""
    for name in names:
        found = DAY.match(word(of, name))
        if found:
            return found[0]
    return None


def codings(concept: object) -> list[Coding]:
    found = [Coding(word(one, "system"), word(one, "code"), word(one, "display")) for one in items(concept, "coding")]
    return found[:MOST_CODINGS]


def code_in(concept: object, *systems: str) -> str:
    """Its code in one of these systems; nothing if it has none."""
    return next((one.code for one in codings(concept) if one.system in systems), "")


def hl7_code(concept: object, system: str) -> str:
    return code_in(concept, f"{TERMINOLOGY}{system}")


def own_code(concept: object, system: str) -> str:
    """A choice of ours, of whichever Ficha."""
    return next((one.code for one in codings(concept) if one.system.endswith(f"{OWN_CODES}{system}")), "")


def said(concept: object) -> str:
    """In words: its own, or those of its first code that has any."""
    return word(concept, "text") or next((one.display for one in codings(concept) if one.display), "")


def notes(resource: object) -> str | None:
    return "\n".join(filter(None, (word(one, "text") for one in items(resource, "note")))) or None


def meant(table: Mapping[str, str]) -> dict[str, str]:
    """A table of `fhir_codes.py` the other way round; of words with the same code the first."""
    return {code: ours for ours, code in reversed(list(table.items()))}


PYTHON_TYPES = {"valueString": str, "valueBoolean": bool, "valueInteger": int}


def own_fields(resource: object) -> dict[str, Any]:
    """What only a Ficha writes, whichever one it was. Fields that we do not have, or of another type, are not there."""
    found: dict[str, Any] = {}
    for extension in items(resource, "extension"):
        if word(extension, "url").endswith(OWN_EXTENSION):
            for field in items(extension, "extension"):
                name = word(field, "url")
                kind = OWN_FIELDS.get(name, "")
                value, wanted = field.get(kind), PYTHON_TYPES.get(kind)
                if wanted and isinstance(value, wanted) and isinstance(value, bool) is (wanted is bool):
                    found.setdefault(name, value)
    return found


def is_ours(resource: object) -> bool:
    return any(word(one, "url").endswith(OWN_EXTENSION) for one in items(resource, "extension"))


def has_modifier(of: object) -> bool:
    """Whether something in it changes its meaning in a way that only its writer knows: FHIR asks who cannot read that
    to leave all of it."""
    if isinstance(of, Mapping):
        return bool(of.get("modifierExtension")) or any(map(has_modifier, of.values()))
    return isinstance(of, list) and any(map(has_modifier, of))


def concept_of(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    return next((found for name in CONCEPTS if (found := part(resource, name))), {})


def absence_codes(resource: Mapping[str, Any]) -> list[str]:
    """That nothing is known, or that nobody knows: codes of SNOMED CT, or words of the list that was withdrawn."""
    found = codings(concept_of(resource))
    by_snomed = [one.code for one in found if one.system == SNOMED and one.code in ABSENCES]
    return by_snomed or [one.code for one in found if one.system == ABSENT_UNKNOWN]


class FhirReader:
    """The resources of a document about one person. Those that say that there is nothing are kept apart.

    `language` is that of whoever reads it, for codes that come without words; `today` her day. `felt_after` are the
    ATC groups of medicines that the body feels long after their end."""

    def __init__(
        self, entries: Iterable[tuple[str, Resource]], language: str, today: date, felt_after: tuple[str, ...] = ()
    ) -> None:
        self.language, self.today, self.felt_after = language, today, felt_after
        self.resources: list[Resource] = []
        self.absences: list[Resource] = []
        self._by_name: dict[str, Resource] = {}
        for url, resource in entries:
            kind, number = word(resource, "resourceType"), word(resource, "id")
            self._by_name.setdefault(url, resource)
            if number:
                self._by_name.setdefault(f"{kind}/{number}", resource)
            (self.absences if absence_codes(resource) else self.resources).append(resource)
        self.patient: Resource = next(self.all("Patient"), {})
        self._refused: dict[int, WhyNot] = {}
        self._modified: dict[int, bool] = {}

    def all(self, *kinds: str) -> Iterator[Resource]:
        return (one for one in self.resources if one.get("resourceType") in kinds)

    def resolve(self, reference: object) -> Resource:
        """Nothing if it leads out of the document: no address in it is ever opened. A resource that holds others is
        named by `#`."""
        name = word(reference, "reference")
        if name in self._by_name:
            return self._by_name[name]
        kind_and_id = "/".join(name.split("/")[-2:])
        return self._by_name.get(kind_and_id, {})

    def contained(self, resource: Mapping[str, Any], reference: object) -> Mapping[str, Any]:
        """As `resolve`, also where the resource holds it itself. Nothing if its meaning is changed."""
        name = word(reference, "reference")
        if name.startswith("#"):
            return next((one for one in items(resource, "contained") if word(one, "id") == name[1:]), {})
        found = self.resolve(reference)
        return {} if self._is_modified(found) else found

    def refuse(self, resource: Mapping[str, Any], why: WhyNot) -> None:
        self._refused.setdefault(id(resource), why)

    def refusal_of(self, resource: Mapping[str, Any]) -> WhyNot | None:
        return self._refused.get(id(resource))

    def is_about_patient(self, resource: Mapping[str, Any]) -> bool:
        """Whether it names nobody, or the document's person."""
        subject = part(resource, "subject") or part(resource, "patient") or part(resource, "beneficiary")
        if not word(subject, "reference") or not self.patient:
            return True
        return self.resolve(subject) is self.patient

    def clinical(self, *kinds: str) -> Iterator[Resource]:
        """Those of a kind that still hold."""
        for one in self.all(*kinds):
            why = self.why_not(one)
            if why is None:
                yield one
            else:
                self.refuse(one, why)

    def why_not(self, resource: Mapping[str, Any]) -> WhyNot | None:
        """Why nothing of it holds: it was refuted, noted by mistake, is about somebody else, is a mere suspicion, or
        means something else than it says. An allergy counts until it is ruled out."""
        certain = code_in(resource.get("verificationStatus"), *VERIFICATIONS)
        if not self.is_about_patient(resource):
            return WhyNot.ANOTHER_PERSON
        if certain in REFUTED or word(resource, "status") == "entered-in-error":
            return WhyNot.REFUTED
        if self._is_modified(resource):
            return WhyNot.MODIFIED
        if certain in SUSPECTED and word(resource, "resourceType") != "AllergyIntolerance":
            return WhyNot.UNCERTAIN
        return None

    def _is_modified(self, resource: Mapping[str, Any]) -> bool:
        """Asked of the same resource by several readers, and looked for once."""
        if id(resource) not in self._modified:
            self._modified[id(resource)] = has_modifier(resource)
        return self._modified[id(resource)]

    def source(self, reference: object) -> str | None:
        """As `fuente`: the kind of whom it refers to."""
        kind = word(reference, "type") or word(self.resolve(reference), "resourceType")
        return FUENTES.get("Practitioner" if kind == "PractitionerRole" else kind)

    def fact(self, resource: Mapping[str, Any], who: object, *dates: str, **values: Any) -> dict[str, Any]:
        """An item of a list: what it says, when it was confirmed, and by whom."""
        own = own_fields(resource)
        told = {
            "confirmado_en": own.get("confirmado_en") or whole_day(resource, *dates),
            "fuente": own.get("fuente") or self.source(who),
        }
        return {name: value for name, value in (values | told).items() if value not in (None, "", [], {})}


VERIFICATIONS = (f"{TERMINOLOGY}condition-ver-status", f"{TERMINOLOGY}allergyintolerance-verification")
REFUTED = frozenset({"refuted", "entered-in-error"})
SUSPECTED = frozenset({"unconfirmed", "provisional", "differential"})
FUENTES = meant(SOURCES)
WHOLE_DAY = len("2026-01-31")


def whole_day(of: object, *names: str) -> str | None:
    found = day(of, *names)
    return found if found and len(found) == WHOLE_DAY else None


def first_of(values: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return values[0] if values else {}
