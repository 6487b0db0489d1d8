"""How the person is: conditions, surgeries, pregnancy, medicines, vaccines, and how to treat her."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Self

from pydantic import Field, model_validator

from ficha.core.text_types import Etiqueta
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.dates_and_amounts import is_long_past
from ficha.fmd.fhir_codes import (
    ALERTS,
    CLINICAL_STATES,
    DUE_DATE,
    IMMUNIZATIONS,
    MEDICINES,
    PAST_PROBLEMS,
    PREGNANCY,
    PREGNANCY_SECTION,
    PREGNANCY_STATES,
    PROBLEMS,
    PROCEDURES,
    SEVERITIES,
)
from ficha.fmd.fhir_parts import (
    FhirEntry,
    FhirWriter,
    Resource,
    hl7,
    loinc,
    moment,
    period,
    resource,
    snomed,
    written,
)
from ficha.fmd.fields import label_of
from ficha.fmd.model_parts import Absence, Coded, CodedFact, Fact, Facts, Fuente, absence_of, at_most, in_order
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Fecha, FechaParcial, FechaPasadaParcial, Numero, Parrafo, Texto

EFFECTIVE = "effectiveDateTime"


class Estado(Choice):
    ACTIVA = "activa", "Activa", "Active", "Ativa"
    CONTROLADA = "controlada", "Controlada", "Controlled", "Controlada"
    RESUELTA = "resuelta", "Resuelta", "Resolved", "Resolvida"


class Gravedad(Choice):
    LEVE = "leve", "Leve", "Mild", "Leve"
    MODERADA = "moderada", "Moderada", "Moderate", "Moderada"
    GRAVE = "grave", "Grave", "Severe", "Grave"


class Condicion(Fact):
    condicion: Annotated[Coded, Shown("Condición", "Condition", "Condição", terms="condicion")]
    estado: Annotated[Estado | None, Shown("Estado", "Status", "Estado")] = None
    gravedad: Annotated[Gravedad | None, Shown("Gravedad", "Severity", "Gravidade")] = None
    desde: Annotated[FechaPasadaParcial | None, Shown("Desde", "Since", "Desde")] = None
    plan: Annotated[Parrafo | None, Shown("Qué hacer", "What to do", "O que fazer")] = None

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        state = CLINICAL_STATES[self.estado] if self.estado else None
        condition = resource(
            "Condition",
            extension=self.own_fields(writer, estado=self.estado if self.estado is Estado.CONTROLADA else None),
            clinicalStatus=hl7("condition-clinical", state) if state else None,
            severity=snomed(SEVERITIES[self.gravedad], writer.words(self.gravedad.words)) if self.gravedad else None,
            code=self.condicion.to_concept(),
            subject=writer.patient,
            onsetDateTime=self.desde,
            asserter=self.said_by(writer),
            note=written(self.plan),
        )
        is_over = self.estado is Estado.RESUELTA
        return FhirEntry(f"salud/{self.id}", condition, PAST_PROBLEMS if is_over else PROBLEMS, self)


class Cirugia(CodedFact):
    fecha: Annotated[FechaPasadaParcial | None, Shown("Fecha", "Date", "Data")] = None

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        procedure = resource(
            "Procedure",
            extension=self.own_fields(writer),
            status="completed",
            code=self.to_concept(),
            subject=writer.patient,
            asserter=self.said_by(writer),
            **moment("performedDateTime", self.fecha),
        )
        return FhirEntry(f"salud/{self.id}", procedure, PROCEDURES, self)


class EstadoEmbarazo(Choice):
    EMBARAZADA = "embarazada", "Embarazada", "Pregnant", "Grávida"
    POSIBLE = "posible", "Posible", "Possible", "Possível"
    NO_EMBARAZADA = "no_embarazada", "No embarazada", "Not pregnant", "Não grávida"


class Embarazo(Shape):
    estado: Annotated[EstadoEmbarazo | None, Shown("Estado", "Status", "Estado")] = None
    fecha_probable_parto: Annotated[
        Fecha | None, Shown("Fecha probable de parto", "Due date", "Data provável do parto")
    ] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        """The due date hangs on the status; without one it stands alone. Who is not pregnant has none, whatever an
        earlier answer left there; and of a due date that is long past only people are told."""
        day = self.fecha_probable_parto if self.estado is not EstadoEmbarazo.NO_EMBARAZADA else None
        if day and is_long_past(date.fromisoformat(day), date.fromisoformat(writer.today)):
            yield FhirEntry("salud/embarazo", None, PREGNANCY_SECTION, "embarazo")
            return
        if day:
            due = _observation(writer, DUE_DATE, valueDateTime=day)
            yield FhirEntry("salud/fecha_probable_parto", due, "" if self.estado else PREGNANCY_SECTION, "embarazo")
        if self.estado:
            members = [writer.reference("salud/fecha_probable_parto")] if day else []
            value = snomed(PREGNANCY_STATES[self.estado], writer.words(self.estado.words))
            status = _observation(writer, PREGNANCY, valueCodeableConcept=value, hasMember=members)
            yield FhirEntry("salud/embarazo", status, PREGNANCY_SECTION, "embarazo")


def _observation(writer: FhirWriter, code: str, **parts: object) -> Resource:
    """Nobody wrote down on which day it was so."""
    unknown_day = moment("effectiveDateTime", None)
    return resource(
        "Observation", code, status="final", code=loinc(code), subject=writer.patient, **unknown_day, **parts
    )


class Salud(FmdModel):
    """What a doctor would ask about first."""

    about = About(
        wire="salud",
        title=Translated("Salud", "Health", "Saúde"),
        door=Door.R,
        example={
            "condiciones": [
                {
                    "condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"},
                    "estado": "controlada",
                    "gravedad": "moderada",
                    "desde": "2019-04",
                    "plan": "Si convulsiona más de 5 minutos: midazolam bucal, en el bolsillo rojo.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ],
            "cirugias": [
                {
                    "texto": "Apendicectomía laparoscópica",
                    "sistema": "snomed",
                    "codigo": "6025007",
                    "fecha": "2021",
                    "confirmado_en": "2026-03-01",
                    "fuente": "representante",
                }
            ],
            "via_aerea_dificil": False,
            "hipertermia_maligna": False,
            "embarazo": {"estado": "no_embarazada", "fecha_probable_parto": "2027-02-01"},
        },
    )

    condiciones: Annotated[list[Condicion], Facts, Shown("Condiciones", "Conditions", "Condições")]
    ausencia: Annotated[Absence | None, absence_of("condiciones")] = None
    cirugias: Annotated[list[Cirugia], Facts, Shown("Cirugías", "Surgeries", "Cirurgias", terms="cirugias")]
    ausencia_cirugias: Annotated[Absence | None, absence_of("cirugias")] = None
    via_aerea_dificil: Annotated[bool | None, Shown("Vía aérea difícil", "Difficult airway", "Via aérea difícil")] = (
        None
    )
    hipertermia_maligna: Annotated[
        bool | None, Shown("Hipertermia maligna", "Malignant hyperthermia", "Hipertermia maligna")
    ] = None
    embarazo: Annotated[Embarazo | None, Shown("Embarazo", "Pregnancy", "Gravidez")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        yield from (condition.to_fhir(writer) for condition in self.condiciones)
        yield from (surgery.to_fhir(writer) for surgery in self.cirugias)
        if self.embarazo:
            yield from self.embarazo.to_fhir(writer)
        for name in ("via_aerea_dificil", "hipertermia_maligna"):
            answer = getattr(self, name)
            if answer:
                code = writer.own_code("salud", name, label_of(Salud, name))
                yield FhirEntry(
                    f"salud/{name}", resource("Condition", code=code, subject=writer.patient), PROBLEMS, name
                )
            elif answer is False:  # Somebody asked, and it is not so.
                yield FhirEntry("patient", {"extension": writer.own_fields(**{name: False})})


class Medicamento(Fact):
    medicamento: Annotated[Coded, Shown("Medicamento", "Medicine", "Medicamento", terms="medicamento")]
    dosis: Annotated[Texto | None, Shown("Dosis", "Dose", "Dose")] = None
    via: Annotated[Etiqueta | None, Shown("Vía", "Route", "Via")] = None
    frecuencia: Annotated[Texto | None, Shown("Cada cuánto", "How often", "Com que frequência")] = None
    desde: Annotated[FechaParcial | None, Shown("Desde", "Since", "Desde")] = None
    hasta: Annotated[FechaParcial | None, Shown("Hasta", "Until", "Até")] = None
    critico: Annotated[
        bool | None, Shown("No suspender sin consultar", "Do not stop without asking", "Não suspender sem consultar")
    ] = None
    motivo: Annotated[Texto | None, Shown("Para qué", "What for", "Para quê")] = None
    guardado_en: Annotated[Texto | None, Shown("Dónde está", "Where it is kept", "Onde está")] = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        in_order(self.desde, self.hasta, "hasta")
        return self

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        keep = label_of(Medicamento, "critico") if self.critico else None
        statement = resource(
            "MedicationStatement",
            extension=self.own_fields(writer, dosis=self.dosis, critico=self.critico, guardado_en=self.guardado_en),
            status=self._status(writer.today),
            medicationCodeableConcept=self.medicamento.to_concept(),
            subject=writer.patient,
            dateAsserted=self.confirmado_en,
            informationSource=self.said_by(writer),
            reasonCode=written(self.motivo),
            note=written(writer.words(keep) if keep else None),
            dosage=self._dosage(),
            **({"effectivePeriod": taken} if (taken := period(self.desde, self.hasta)) else moment(EFFECTIVE, None)),
        )
        return FhirEntry(f"medicacion/{self.id}", statement, MEDICINES, self)

    def _status(self, today: str) -> str:
        """Of partial dates the part that is known is compared: of this year's, nobody knows whether it has begun."""
        if self.hasta and self.hasta < today[: len(self.hasta)]:
            return "completed"
        return "intended" if self.desde and self.desde > today[: len(self.desde)] else "active"

    def _dosage(self) -> list[Resource]:
        said = [text for text in (self.dosis, self.via, self.frecuencia) if text]
        route = {"route": {"text": self.via}} if self.via else {}
        timing = {"timing": {"code": {"text": self.frecuencia}}} if self.frecuencia else {}
        return [{"text": ", ".join(said), **timing, **route}] if said else []


class Medicacion(FmdModel):
    """What the person takes, now or for a time."""

    about = About(
        wire="medicacion",
        title=Translated("Medicinas", "Medicines", "Medicamentos"),
        door=Door.R,
        fresh_days=90,
        example={
            "medicamentos": [
                {
                    "medicamento": {"texto": "Insulina glargina", "sistema": "atc", "codigo": "A10AE04"},
                    "dosis": "18 U",
                    "via": "subcutánea",
                    "frecuencia": "cada noche",
                    "desde": "2019",
                    "hasta": "2030-12-31",
                    "critico": True,
                    "motivo": "diabetes tipo 1",
                    "guardado_en": "nevera",
                    "confirmado_en": "2026-10-01",
                    "fuente": "representante",
                }
            ]
        },
    )

    medicamentos: Annotated[list[Medicamento], Facts, Shown("Medicinas", "Medicines", "Medicamentos")]
    ausencia: Annotated[Absence | None, absence_of("medicamentos")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        return (fact.to_fhir(writer) for fact in self.medicamentos)


class DosisVacuna(Fact):
    vacuna: Annotated[Coded, Shown("Vacuna", "Vaccine", "Vacina", terms="vacuna")]
    fecha: Annotated[FechaPasadaParcial | None, Shown("Fecha", "Date", "Data")] = None
    dosis_numero: Annotated[
        Annotated[int, Field(ge=1, le=30)] | None, Shown("Dosis número", "Dose number", "Dose número")
    ] = None
    lote: Annotated[Numero | None, Shown("Lote", "Lot", "Lote")] = None
    lugar: Annotated[Texto | None, Shown("Lugar", "Place", "Local")] = None

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        immunization = resource(
            "Immunization",
            extension=self.own_fields(writer),
            status="completed",
            vaccineCode=self.vacuna.to_concept(),
            patient=writer.patient,
            reportOrigin={"text": writer.words(self.fuente.words)} if self.fuente else None,
            location={"display": self.lugar} if self.lugar else None,
            lotNumber=self.lote,
            protocolApplied=[{"doseNumberPositiveInt": self.dosis_numero}] if self.dosis_numero else None,
            **moment("occurrenceDateTime", self.fecha),
        )
        return FhirEntry(f"vacuna/{self.id}", immunization, IMMUNIZATIONS, self)


class Vacuna(FmdModel):
    """The vaccines received, one line per dose."""

    about = About(
        wire="vacuna",
        title=Translated("Vacunas", "Vaccines", "Vacinas"),
        door=Door.B,
        example={
            "vacunas": [
                {
                    "vacuna": {"texto": "Fiebre amarilla", "sistema": "atc", "codigo": "J07BL01"},
                    "fecha": "2018-07-20",
                    "dosis_numero": 1,
                    "lote": "YF-2231",
                    "lugar": "Ambulatorio Norte",
                    "confirmado_en": "2026-03-01",
                    "fuente": "institucion",
                }
            ]
        },
    )

    # A child's card alone has some thirty doses.
    vacunas: Annotated[list[DosisVacuna], at_most(120), Shown("Vacunas", "Vaccines", "Vacinas")]
    ausencia: Annotated[Absence | None, absence_of("vacunas")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        return (fact.to_fhir(writer) for fact in self.vacunas)


class TipoConsideracion(Choice):
    AUTISMO = "autismo", "Autismo", "Autism", "Autismo"
    NO_VERBAL = "no_verbal", "No habla", "Does not speak", "Não fala"
    SORDERA = "sordera", "Sordera", "Deafness", "Surdez"
    CEGUERA = "ceguera", "Ceguera", "Blindness", "Cegueira"
    DEMENCIA = "demencia", "Demencia", "Dementia", "Demência"
    MOVILIDAD = "movilidad", "Movilidad", "Mobility", "Mobilidade"
    EPILEPSIA = "epilepsia", "Epilepsia", "Epilepsy", "Epilepsia"
    RELIGIOSA = "religiosa", "Religiosa", "Religious", "Religiosa"
    OTRA = "otra", "Otra", "Other", "Outra"


class ConsideracionDeTrato(Fact):
    tipo: Annotated[TipoConsideracion, Shown("Tipo", "Kind", "Tipo")]
    descripcion: Annotated[Parrafo | None, Shown("Descripción", "Description", "Descrição")] = None
    como_ayudar: Annotated[Parrafo | None, Shown("Cómo ayudar", "How to help", "Como ajudar")] = None

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        code = writer.own_code("consideracion", self.tipo, self.tipo.words)
        told = [text for text in (code["text"], self.descripcion, self.como_ayudar) if text]
        own = self.own_fields(writer, descripcion=self.descripcion, como_ayudar=self.como_ayudar)
        flag = resource(
            "Flag",
            extension=own,
            status="active",
            category=[hl7("flag-category", "behavioral")],
            code=code | {"text": ". ".join(told)},
            subject=writer.patient,
            author=self.said_by(writer) if self.fuente is not Fuente.REPRESENTANTE else None,
        )
        return FhirEntry(f"consideracion/{self.id}", flag, ALERTS, self)


class Consideracion(FmdModel):
    """What changes how the person is spoken to, moved or calmed."""

    about = About(
        wire="consideracion",
        title=Translated("Consideraciones", "Special considerations", "Considerações"),
        door=Door.R,
        example={
            "consideraciones": [
                {
                    "tipo": "autismo",
                    "descripcion": "Le asustan las sirenas y que la toquen sin avisar.",
                    "como_ayudar": "Hablar despacio y mostrarle lo que se va a hacer.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "representante",
                }
            ]
        },
    )

    consideraciones: Annotated[
        list[ConsideracionDeTrato], Facts, Shown("Consideraciones", "Considerations", "Considerações")
    ]
    ausencia: Annotated[Absence | None, absence_of("consideraciones")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        return (fact.to_fhir(writer) for fact in self.consideraciones)
