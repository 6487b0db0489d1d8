"""Who belongs to the person: guardian, whom to call, doctors, school, insurance."""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from ficha.core.text_types import Correo, Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.fhir_codes import STORY
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, hl7, period, present, resource, speaks, telecom
from ficha.fmd.model_parts import PHONE, PREFIX, Canal, CodTelefono, Fact, Facts, Phone, Telefono, at_most, in_order
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import EachOnce, Fecha, Idioma, Numero, Parrafo, Texto, kind


class Custodia(Choice):
    TOTAL = "total", "Total", "Sole", "Total"
    COMPARTIDA = "compartida", "Compartida", "Shared", "Compartilhada"
    OTRA = "otra", "Otra", "Other", "Outra"


class Representante(Phone, FmdModel):
    """Parent, guardian or whoever decides when the person cannot."""

    about = About(
        wire="representante",
        title=Translated("Representante", "Guardian", "Responsável"),
        door=Door.R,
        example={
            "nombre": "María Rojas",
            "documento": "V-12.555.111",
            "relacion": "madre",
            "cod_telefono": "+58",
            "telefono": "4125551111",
            "correo": "maria@ejemplo.com",
            "custodia": "compartida",
        },
    )

    nombre: Annotated[Nombre, Shown("Nombre", "Name", "Nome")]
    documento: Annotated[Numero | None, Shown("Documento", "Identity document", "Documento", door=Door.B)] = None
    relacion: Annotated[Etiqueta, Shown("Relación", "Relationship", "Relação")]
    cod_telefono: Annotated[CodTelefono | None, PREFIX] = None
    telefono: Annotated[Telefono | None, PHONE] = None
    correo: Annotated[Correo | None, Shown("Correo", "E-mail", "E-mail", widget="email")] = None
    custodia: Annotated[Custodia | None, Shown("Custodia", "Custody", "Guarda")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        guardian = resource(
            "RelatedPerson",
            extension=writer.own_fields(modelo="representante", custodia=self.custodia),
            identifier=[{"value": self.documento}] if self.documento else [],
            patient=writer.patient,
            relationship=[{"text": self.relacion}],
            name=[{"text": self.nombre}],
            telecom=telecom(self.shown_phone(), self.correo),
        )
        yield FhirEntry("representante", guardian, STORY, self)
        yield FhirEntry("patient", {"contact": [_contact(guardian, [])]})


def _contact(person: Resource, coding: list[Resource]) -> Resource:
    """The same person as the patient's own resource names her."""
    [relationship], [name] = person["relationship"], person["name"]
    known = {"relationship": [present({"coding": coding}) | relationship], "name": name}
    return present(known | {"telecom": person.get("telecom")})


MAX_CONTACTS = 10


class Contacto(Fact, Phone):
    nombre: Annotated[Nombre, Shown("Nombre", "Name", "Nome")]
    relacion: Annotated[Etiqueta, Shown("Relación", "Relationship", "Relação")]
    cod_telefono: Annotated[CodTelefono, PREFIX]
    telefono: Annotated[Telefono, PHONE]
    correo: Annotated[Correo | None, Shown("Correo", "E-mail", "E-mail", widget="email")] = None
    prioridad: Annotated[
        Annotated[int, Field(ge=1, le=MAX_CONTACTS)] | None,
        Shown("Orden de llamada", "Order of calling", "Ordem de chamada"),
    ] = None
    canales: Annotated[list[Canal], at_most(len(Canal)), EachOnce, Shown("Avisar por", "Alert by", "Avisar por")]
    puede_decidir: Annotated[
        bool | None, Shown("Puede decidir por la persona", "May decide for the person", "Pode decidir")
    ] = None
    idioma: Annotated[Idioma | None, Shown("Idioma", "Language", "Idioma")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        own = self.own_fields(writer, modelo="emergencia", prioridad=self.prioridad, puede_decidir=self.puede_decidir)
        person = resource(
            "RelatedPerson",
            extension=own,
            patient=writer.patient,
            relationship=[{"text": self.relacion}],
            name=[{"text": self.nombre}],
            telecom=telecom(self.shown_phone(), self.correo),
            communication=speaks([self.idioma] if self.idioma else []),
        )
        yield FhirEntry(f"emergencia/{self.id}", person, STORY, self)
        yield FhirEntry("patient", {"contact": [_contact(person, hl7("v2-0131", "C")["coding"])]})


class Emergencia(FmdModel):
    """Whom to call, in which order, and what to tell whoever is with the person."""

    about = About(
        wire="emergencia",
        title=Translated("En una emergencia", "In an emergency", "Em uma emergência"),
        door=Door.R,
        example={
            "contactos": [
                {
                    "nombre": "María Rojas",
                    "relacion": "madre",
                    "cod_telefono": "+58",
                    "telefono": "4125551111",
                    "correo": "maria@ejemplo.com",
                    "prioridad": 1,
                    "canales": ["whatsapp", "correo", "push"],
                    "puede_decidir": True,
                    "idioma": "es-VE",
                    "confirmado_en": "2026-10-01",
                    "fuente": "titular",
                }
            ],
            "instrucciones": "No la sujeten; háblenle despacio.",
            "hospital_preferido": "Hospital Coromoto, Maracaibo",
        },
    )

    contactos: Annotated[list[Contacto], at_most(MAX_CONTACTS), Shown("Contactos", "Contacts", "Contatos")]
    instrucciones: Annotated[Parrafo | None, Shown("Instrucciones", "Instructions", "Instruções")] = None
    hospital_preferido: Annotated[
        Texto | None, Shown("Hospital preferido", "Preferred hospital", "Hospital preferido")
    ] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        told = {name: getattr(self, name) for name in ("instrucciones", "hospital_preferido")}
        yield FhirEntry("patient", {"extension": writer.own_fields(**told)})
        yield from (FhirEntry("", None, STORY, name) for name, value in told.items() if value)
        for contact in self.contactos:
            yield from contact.to_fhir(writer)


class Medico(Fact, Phone):
    nombre: Annotated[Nombre, Shown("Nombre", "Name", "Nome")]
    especialidad: Annotated[Nombre | None, Shown("Especialidad", "Speciality", "Especialidade")] = None
    cod_telefono: Annotated[CodTelefono | None, PREFIX] = None
    telefono: Annotated[Telefono | None, PHONE] = None
    institucion: Annotated[Texto | None, Shown("Institución", "Institution", "Instituição")] = None
    registro: Annotated[Numero | None, Shown("Registro médico", "Licence number", "Registro médico")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        """The doctor, and as what and where she works."""
        key = f"personalsermed/{self.id}"
        number = [{"value": self.registro}] if self.registro else []
        name = [{"text": self.nombre}]
        yield FhirEntry(f"{key}/doctor", resource("Practitioner", identifier=number, name=name))
        if self.institucion:
            yield FhirEntry(f"{key}/place", resource("Organization", name=self.institucion))
        role = resource(
            "PractitionerRole",
            extension=self.own_fields(writer),
            practitioner=writer.reference(f"{key}/doctor"),
            organization=writer.reference(f"{key}/place") if self.institucion else None,
            specialty=[{"text": self.especialidad}] if self.especialidad else [],
            telecom=telecom(self.shown_phone()),
        )
        yield FhirEntry(key, role)
        yield FhirEntry("patient", {"generalPractitioner": [writer.reference(key)]})


class PersonalSermed(FmdModel):
    """Who knows the person's case."""

    about = About(
        wire="personalsermed",
        title=Translated("Médicos", "Doctors", "Médicos"),
        door=Door.B,
        example={
            "medicos": [
                {
                    "nombre": "Dra. Inés Molina",
                    "especialidad": "endocrinología",
                    "cod_telefono": "+58",
                    "telefono": "2615553333",
                    "institucion": "Hospital Coromoto",
                    "registro": "MPPS 55.123",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ]
        },
    )

    medicos: Annotated[list[Medico], Facts, Shown("Médicos", "Doctors", "Médicos")]

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        for doctor in self.medicos:
            yield from doctor.to_fhir(writer)


class Autorizado(Fact, Phone):
    nombre: Annotated[Nombre, Shown("Nombre", "Name", "Nome")]
    relacion: Annotated[Etiqueta | None, Shown("Relación", "Relationship", "Relação")] = None
    documento: Annotated[Numero | None, Shown("Documento", "Identity document", "Documento")] = None


class Estudiante(FmdModel):
    """Where the person studies, and who may take her home."""

    about = About(
        wire="estudiante",
        title=Translated("Estudiante", "Student", "Estudante"),
        door=Door.B,
        example={
            "institucion": "Colegio San Luis",
            "grado": "3.er año",
            "seccion": "B",
            "matricula": "2026-0117",
            "turno": "mañana",
            "transporte": "Ruta 4, Sr. Díaz",
            "autorizados_retirar": [
                {
                    "nombre": "Luis Pérez",
                    "relacion": "padre",
                    "documento": "V-11.555.222",
                    "cod_telefono": "+58",
                    "telefono": "4125552222",
                    "confirmado_en": "2026-09-15",
                    "fuente": "representante",
                }
            ],
        },
    )

    institucion: Annotated[Texto | None, Shown("Institución", "School", "Instituição")] = None
    grado: Annotated[Etiqueta | None, Shown("Grado", "Grade", "Série")] = None
    seccion: Annotated[Etiqueta | None, Shown("Sección", "Class", "Turma")] = None
    matricula: Annotated[Numero | None, Shown("Matrícula", "Enrolment number", "Matrícula")] = None
    turno: Annotated[Etiqueta | None, Shown("Turno", "Shift", "Turno")] = None
    transporte: Annotated[Texto | None, Shown("Transporte", "Transport", "Transporte")] = None
    autorizados_retirar: Annotated[
        list[Autorizado], Facts, Shown("Quién puede retirarla", "Who may pick her up", "Quem pode buscá-la")
    ]

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        """No part of a patient summary: where she studies says nothing about her health."""
        if self.institucion:
            names = ("grado", "seccion", "matricula", "turno", "transporte")
            own = writer.own_fields(modelo="estudiante", **{name: getattr(self, name) for name in names})
            yield FhirEntry("estudiante", resource("Organization", extension=own, name=self.institucion), None)


# Short, free-call and foreign lines: as printed on the card, never dialled by us.
Asistencia = Annotated[
    str, StringConstraints(strip_whitespace=True, pattern=r"^[0-9+*#(). -]{3,30}$"), kind("helpline")
]


class Contrato(Fact):
    aseguradora: Annotated[Nombre, Shown("Aseguradora", "Insurer", "Seguradora")]
    numero: Annotated[Numero, Shown("Número de póliza", "Policy number", "Número da apólice")]
    plan: Annotated[Texto | None, Shown("Plan", "Plan", "Plano")] = None
    titular: Annotated[Nombre | None, Shown("Titular", "Holder", "Titular")] = None
    vigente_desde: Annotated[Fecha | None, Shown("Vigente desde", "Valid from", "Vigente desde")] = None
    vigente_hasta: Annotated[Fecha | None, Shown("Vigente hasta", "Valid until", "Vigente até")] = None
    telefono_asistencia: Annotated[
        Asistencia | None, Shown("Teléfono de asistencia", "Helpline", "Telefone de assistência")
    ] = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        in_order(self.vigente_desde, self.vigente_hasta, "vigente_hasta")
        return self

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        """No part of a patient summary: a file of its own."""
        is_over = self.vigente_hasta is not None and self.vigente_hasta < writer.today
        plan = [{"type": hl7("coverage-class", "plan"), "value": self.plan}] if self.plan else []
        coverage = resource(
            "Coverage",
            extension=self.own_fields(writer, telefono_asistencia=self.telefono_asistencia),
            status="cancelled" if is_over else "active",
            policyHolder={"display": self.titular} if self.titular else None,
            subscriberId=self.numero,
            beneficiary=writer.patient,
            period=period(self.vigente_desde, self.vigente_hasta),
            payor=[{"display": self.aseguradora}],
            **{"class": plan},
        )
        return FhirEntry(f"poliza/{self.id}", coverage, None)


class Poliza(FmdModel):
    """Who pays, and whom to call so that they do."""

    about = About(
        wire="poliza",
        title=Translated("Seguros", "Insurance", "Seguros"),
        door=Door.B,
        example={
            "polizas": [
                {
                    "aseguradora": "Seguros del Lago",
                    "numero": "00-4471",
                    "plan": "Familiar",
                    "titular": "María Rojas",
                    "vigente_desde": "2026-01-01",
                    "vigente_hasta": "2026-12-31",
                    "telefono_asistencia": "0500-5550000",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ]
        },
    )

    polizas: Annotated[list[Contrato], Facts, Shown("Pólizas", "Policies", "Apólices")]

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        return (contract.to_fhir(writer) for contract in self.polizas)
