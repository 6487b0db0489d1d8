"""What several models share: coded terms and the code systems we know, facts, why a list is empty, phones, choices."""

import re
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, StringConstraints, ValidationInfo, model_validator

from ficha.core.ids import random_text
from ficha.core.phones import NotDialable, to_e164
from ficha.fmd.base import AbsenceField, Shape, Shown
from ficha.fmd.faults import fault_at
from ficha.fmd.fhir_parts import FhirWriter, Resource, concept
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import FechaPasada, Texto, WriteContext, first_day, kind, last_day


class Sistema(Choice):
    SNOMED = "snomed", "SNOMED CT", "SNOMED CT", "SNOMED CT"
    ATC = "atc", "ATC (OMS)", "ATC (WHO)", "ATC (OMS)"
    CIE10 = "cie10", "CIE-10", "ICD-10", "CID-10"
    CVX = "cvx", "CVX", "CVX", "CVX"
    LOINC = "loinc", "LOINC", "LOINC", "LOINC"


_FORMS = {
    # Six digits at least; the two before the last say that it names a concept, not a description.
    Sistema.SNOMED: re.compile(r"[1-9][0-9]{2,14}[01]0[0-9]"),
    Sistema.ATC: re.compile(r"[A-DGHJLMNPRSV]([0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?)?"),
    Sistema.CIE10: re.compile(r"[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?"),
    Sistema.CVX: re.compile(r"[0-9]{2,3}"),
    Sistema.LOINC: re.compile(r"[0-9]{1,7}-[0-9]"),
}


@lru_cache(maxsize=4096)  # Most records have the same few codes.
def is_well_formed(sistema: Sistema, codigo: str) -> bool:
    """Whether it has the form of a code of that system. Whether it exists, only the catalogue knows."""
    if not _FORMS[sistema].fullmatch(codigo):
        return False
    return sistema is not Sistema.SNOMED or _verhoeff(codigo) == 0


# Verhoeff's multiplication and permutation tables, for the check digit of SNOMED CT: it finds every single wrong digit
# and every swap of neighbours.
_MULTIPLICATION = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_PERMUTATION = "1576283094"


def _verhoeff(digits: str) -> int:
    """Zero if the check digit is right."""
    check = 0
    for index, digit in enumerate(reversed(digits)):
        for _ in range(index % 8):
            digit = _PERMUTATION[int(digit)]  # noqa: PLW2901
        check = int(_MULTIPLICATION[check][int(digit)])
    return check


MAX_FACTS = 50
FACT_ID_LENGTH = 8


def at_most(items: int) -> Any:
    """A list of at most so many items, empty by default."""
    return Field(default_factory=list, max_length=items)


Facts = at_most(MAX_FACTS)
FactId = Annotated[str, StringConstraints(pattern=f"^[A-Za-z0-9]{{{FACT_ID_LENGTH}}}$"), kind("fact-id")]
Codigo = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=18), kind("code")]


class Coded(Shape):
    """A term in words and, when it was chosen from a list, its code: what can be read in another language."""

    texto: Annotated[Texto, Shown("Nombre", "Name", "Nome")]
    sistema: Annotated[Sistema | None, Shown("Sistema", "System", "Sistema")] = None
    codigo: Annotated[Codigo | None, Shown("Código", "Code", "Código")] = None

    @model_validator(mode="after")
    def _code_belongs_to_a_system(self) -> Self:
        if self.codigo is None and self.sistema is None:
            return self
        if self.codigo is None or self.sistema is None:
            missing = "codigo" if self.codigo is None else "sistema"
            raise fault_at(missing, "codigo_incompleto", "El sistema y el código van juntos.")
        if not is_well_formed(self.sistema, self.codigo):
            raise fault_at("codigo", "codigo_mal_formado", "Ese código no puede ser de ese sistema. Revíselo.")
        return self

    def to_concept(self) -> Resource:
        return concept(self.texto, self.sistema, self.codigo)


class Fuente(Choice):
    TITULAR = "titular", "El titular", "The person", "O titular"
    REPRESENTANTE = "representante", "El representante", "The guardian", "O responsável"
    INSTITUCION = "institucion", "La institución", "The institution", "A instituição"
    MEDICO = "medico", "El médico", "The doctor", "O médico"


class Fact(Shape):
    """An item of a list: it has an id, and says when and by whom it was last confirmed."""

    asked_last: ClassVar[bool] = True

    id: Annotated[FactId | None, Shown("Identificador", "Identifier", "Identificador", read_only=True)] = None
    confirmado_en: Annotated[FechaPasada | None, Shown("Confirmado el", "Confirmed on", "Confirmado em")] = None
    fuente: Annotated[Fuente | None, Shown("Según quién", "According to", "Segundo quem")] = None

    def said_by(self, writer: FhirWriter) -> dict[str, str] | None:
        return writer.source(self.fuente, self.fuente.words) if self.fuente else None

    def own_fields(self, writer: FhirWriter, **more: Any) -> list[Resource]:
        """As extensions: when and by whom it was confirmed, which few resources have a place for, and `more`."""
        return writer.own_fields(confirmado_en=self.confirmado_en, fuente=self.fuente, **more)


class CodedFact(Coded, Fact):
    """A fact that is nothing but a term."""


class Absence(Choice):
    NINGUNA_CONOCIDA = "ninguna_conocida", "Ninguna conocida", "None known", "Nenhuma conhecida"
    NO_PREGUNTADO = "no_preguntado", "No se ha preguntado", "Not asked", "Não perguntado"


def absence_of(field: str) -> AbsenceField:
    """For the field `ausencia` of the first list of a model, and for `ausencia_<list>` of the others."""
    return AbsenceField("Si no hay ninguna", "If there are none", "Se não há nenhuma", list_field=field)


CodTelefono = Annotated[str, StringConstraints(pattern=r"^\+[1-9][0-9]{0,3}$"), kind("prefix")]
Telefono = Annotated[str, StringConstraints(pattern="^[0-9]{4,15}$"), kind("phone")]
E164 = Annotated[str, StringConstraints(max_length=20)]

PREFIX = Shown("Prefijo del país", "Country prefix", "Prefixo do país", widget="tel")
PHONE = Shown("Teléfono", "Phone", "Telefone", widget="tel")
DIALLED = Shown("Teléfono completo", "Full phone number", "Telefone completo", read_only=True)


class Phone(Shape):
    """Stored as given, and as E.164, which the server computes: what a caller sends for it is ignored.

    A class that needs the phone behind another door, or at another place of its form, repeats the fields.
    """

    asked_last: ClassVar[bool] = True

    cod_telefono: Annotated[CodTelefono | None, PREFIX] = None
    telefono: Annotated[Telefono | None, PHONE] = None
    telefono_e164: Annotated[E164 | None, DIALLED] = None

    @model_validator(mode="after")
    def _can_be_dialled(self, info: ValidationInfo) -> Self:
        if (self.cod_telefono is None) != (self.telefono is None):
            missing = "telefono" if self.telefono is None else "cod_telefono"
            raise fault_at(missing, "telefono_incompleto", "El prefijo y el teléfono van juntos.")
        if isinstance(info.context, WriteContext):  # The metadata of all countries is not loaded for reading.
            self.telefono_e164 = self._dialled()
        return self

    def shown_phone(self) -> str | None:
        """With a space after the country's prefix, by which both parts are found again."""
        return f"{self.cod_telefono} {self.telefono}" if self.cod_telefono and self.telefono else None

    def _dialled(self) -> str | None:
        if self.cod_telefono is None or self.telefono is None:
            return None
        try:
            return to_e164(self.cod_telefono, self.telefono)
        except NotDialable:
            raise fault_at("telefono", "telefono_invalido", "Ese número no existe en ese país. Revíselo.") from None


class Criticidad(Choice):
    """Whether an allergy may kill, as the forms ask it. Not sure, and not answered, are shown as serious."""

    ALTA = "alta", "Sí, puede ser mortal", "Yes, it may be fatal", "Sim, pode ser mortal"
    BAJA = "baja", "No", "No", "Não"
    DESCONOCIDA = "desconocida", "No se sabe", "Not sure", "Não se sabe"


MAY_KILL = Shown(
    "¿Puede ser mortal?",
    "Can it be fatal?",
    "Pode ser mortal?",
    help=Translated(
        "Si no se sabe, quien escanea lo lee como grave.",
        "If nobody knows, whoever scans reads it as serious.",
        "Se não se sabe, quem escaneia lê como grave.",
    ),
    widget="radios",
)


class Canal(Choice):
    WHATSAPP = "whatsapp", "WhatsApp", "WhatsApp", "WhatsApp"
    CORREO = "correo", "Correo", "E-mail", "E-mail"
    PUSH = "push", "Notificación", "Notification", "Notificação"


def in_order(start: str | None, end: str | None, field: str) -> None:
    """Raises a fault on `field` if the period ends before it can have begun. Either date may be partial."""
    begins, ends = first_day(start) if start else None, last_day(end) if end else None
    if begins and ends and ends < begins:
        raise fault_at(field, "fechas_al_reves", "Esta fecha es anterior al comienzo.")


def new_fact_id(taken: set[Any]) -> str:
    while (fact_id := random_text(FACT_ID_LENGTH)) in taken:
        pass
    return fact_id
