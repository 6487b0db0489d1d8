"""The body: blood group, size, implants, marks; the heart with its devices and its history."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from ficha.core.text_types import Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.fhir_codes import (
    ALERTS,
    BLOOD_GROUP,
    DEVICE_TYPES,
    DEVICES,
    DIASTOLIC,
    HEIGHT,
    PRESSURE,
    PROBLEMS,
    RESULTS,
    STORY,
    SYSTOLIC,
    VITAL_SIGNS,
    WEIGHT,
)
from ficha.fmd.fhir_parts import (
    FhirEntry,
    FhirWriter,
    Resource,
    hl7,
    loinc,
    moment,
    quantity,
    resource,
    snomed,
    written,
)
from ficha.fmd.fields import label_of
from ficha.fmd.model_parts import Absence, CodedFact, Fact, Facts, Fuente, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import FechaPasadaParcial, Numero, Parrafo, kind

MERCURY = "mm[Hg]"
NOT_FOR_TRANSFUSION = Translated("No se usa para transfundir.", "Not for transfusion.", "Não serve para transfusão.")


def _observation(writer: FhirWriter, category: str, code: str, **parts: Any) -> Resource:
    """What was measured once: nobody wrote down on which day."""
    return resource(
        "Observation",
        code,
        status="final",
        category=[hl7("observation-category", category)],
        code=loinc(code),
        subject=writer.patient,
        **moment("effectiveDateTime", None),
        **parts,
    )


def _device(
    writer: FhirWriter, fact: Fact, wire: str, kind: Resource, day: str | None, **device: Any
) -> list[FhirEntry]:
    """The device, and that the person has it."""
    key = f"{wire}/{fact.id}"
    thing = resource("Device", type=kind, patient=writer.patient, **device)
    use = resource(
        "DeviceUseStatement",
        extension=fact.own_fields(writer),
        status="active",
        subject=writer.patient,
        source=fact.said_by(writer) if fact.fuente is not Fuente.INSTITUCION else None,
        device=writer.reference(f"{key}/device"),
        **moment("timingDateTime", day),
    )
    return [FhirEntry(f"{key}/device", thing), FhirEntry(key, use, DEVICES, fact)]


class GrupoSanguineo(Choice):
    A_POS = "A+", "A+", "A+", "A+"
    A_NEG = "A-", "A-", "A-", "A-"
    B_POS = "B+", "B+", "B+", "B+"
    B_NEG = "B-", "B-", "B-", "B-"
    AB_POS = "AB+", "AB+", "AB+", "AB+"
    AB_NEG = "AB-", "AB-", "AB-", "AB-"
    O_POS = "O+", "O+", "O+", "O+"
    O_NEG = "O-", "O-", "O-", "O-"


class Cuerpo(FmdModel):
    """What can be seen, measured or felt."""

    about = About(
        wire="cuerpo",
        title=Translated("Cuerpo", "Body", "Corpo"),
        door=Door.R,
        example={
            "grupo_sanguineo": "O-",
            "estatura_cm": 158,
            "peso_kg": 47.5,
            "implantes": [
                {
                    "texto": "Bomba de insulina",
                    "sistema": "snomed",
                    "codigo": "69805005",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ],
            "protesis": [
                {
                    "texto": "Prótesis dental",
                    "sistema": "snomed",
                    "codigo": "27606000",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ],
            "senas_particulares": "Lunar en la mejilla izquierda.",
            "usa_lentes": True,
            "usa_audifonos": False,
        },
    )

    grupo_sanguineo: Annotated[
        GrupoSanguineo | None,
        Shown(
            "Grupo sanguíneo",
            "Blood group",
            "Grupo sanguíneo",
            help=NOT_FOR_TRANSFUSION,
        ),
    ] = None
    estatura_cm: Annotated[
        Annotated[float, Field(ge=20, le=280)] | None, Shown("Estatura (cm)", "Height (cm)", "Altura (cm)")
    ] = None
    peso_kg: Annotated[
        Annotated[float, Field(ge=0.2, le=700)] | None, Shown("Peso (kg)", "Weight (kg)", "Peso (kg)")
    ] = None
    implantes: Annotated[list[CodedFact], Facts, Shown("Implantes", "Implants", "Implantes", terms="implantes")]
    ausencia: Annotated[Absence | None, absence_of("implantes")] = None
    protesis: Annotated[list[CodedFact], Facts, Shown("Prótesis", "Prostheses", "Próteses", terms="implantes")]
    ausencia_protesis: Annotated[Absence | None, absence_of("protesis")] = None
    senas_particulares: Annotated[
        Parrafo | None, Shown("Señas particulares", "Distinguishing marks", "Sinais particulares")
    ] = None
    usa_lentes: Annotated[bool | None, Shown("Usa lentes", "Wears glasses", "Usa óculos")] = None
    usa_audifonos: Annotated[bool | None, Shown("Usa audífonos", "Wears hearing aids", "Usa aparelho auditivo")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        if self.grupo_sanguineo:
            warning = written(writer.words(NOT_FOR_TRANSFUSION))
            value = {"text": self.grupo_sanguineo.value}
            group = _observation(writer, "laboratory", BLOOD_GROUP, valueCodeableConcept=value, note=warning)
            yield FhirEntry("cuerpo/grupo_sanguineo", group, RESULTS, "grupo_sanguineo")
        for name, code, unit in (("estatura_cm", HEIGHT, "cm"), ("peso_kg", WEIGHT, "kg")):
            if value := getattr(self, name):
                size = _observation(writer, "vital-signs", code, valueQuantity=quantity(value, unit))
                yield FhirEntry(f"cuerpo/{name}", size, VITAL_SIGNS, name)
        for field, facts in (("implantes", self.implantes), ("protesis", self.protesis)):
            for fact in facts:
                own = writer.own_fields(lista=field)  # Which of the two lists it stands in.
                yield from _device(writer, fact, "cuerpo", fact.to_concept(), None, extension=own)
        told = {name: getattr(self, name) for name in ("senas_particulares", "usa_lentes", "usa_audifonos")}
        yield FhirEntry("patient", {"extension": writer.own_fields(**told)})
        yield from (FhirEntry("", None, STORY, name) for name, value in told.items() if value is not None)


Presion = Annotated[str, StringConstraints(pattern="^[0-9]{2,3}/[0-9]{2,3}$"), kind("pressure")]


class TipoDispositivo(Choice):
    MARCAPASOS = "marcapasos", "Marcapasos", "Pacemaker", "Marca-passo"
    DESFIBRILADOR = "desfibrilador", "Desfibrilador", "Defibrillator", "Desfibrilador"
    STENT = "stent", "Stent", "Stent", "Stent"
    VALVULA = "valvula", "Válvula", "Valve", "Válvula"
    OTRO = "otro", "Otro", "Other", "Outro"


class Dispositivo(Fact):
    tipo: Annotated[TipoDispositivo, Shown("Tipo", "Kind", "Tipo")]
    fabricante: Annotated[Nombre | None, Shown("Fabricante", "Maker", "Fabricante")] = None
    modelo: Annotated[Numero | None, Shown("Modelo", "Model", "Modelo")] = None
    fecha_implante: Annotated[
        FechaPasadaParcial | None, Shown("Fecha del implante", "Implanted on", "Data do implante")
    ] = None
    compatible_rm: Annotated[
        bool | None, Shown("Compatible con resonancia", "MRI safe", "Compatível com ressonância")
    ] = None

    def to_fhir(self, writer: FhirWriter) -> list[FhirEntry]:
        words = writer.words(self.tipo.words)
        kind = snomed(DEVICE_TYPES[self.tipo], words) if self.tipo in DEVICE_TYPES else {"text": words}
        own = writer.own_fields(tipo=self.tipo, compatible_rm=self.compatible_rm)
        parts = {"manufacturer": self.fabricante, "modelNumber": self.modelo, "extension": own}
        return _device(writer, self, "cardiologico", kind, self.fecha_implante, **parts)


class Cardiologico(FmdModel):
    """What is in the heart, and what it has been through."""

    about = About(
        wire="cardiologico",
        title=Translated("Corazón", "Heart", "Coração"),
        door=Door.R,
        example={
            "dispositivos": [
                {
                    "tipo": "marcapasos",
                    "fabricante": "Medtronic",
                    "modelo": "W1SR01",
                    "fecha_implante": "2020-06",
                    "compatible_rm": True,
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ],
            "antecedentes": [
                {
                    "texto": "Fibrilación auricular",
                    "sistema": "snomed",
                    "codigo": "49436004",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ],
            "anticoagulado": True,
            "presion_habitual": "130/80",
            "cardiologo": "Dr. Iván Soto",
        },
    )

    dispositivos: Annotated[list[Dispositivo], Facts, Shown("Dispositivos", "Devices", "Dispositivos")]
    ausencia: Annotated[Absence | None, absence_of("dispositivos")] = None
    antecedentes: Annotated[
        list[CodedFact], Facts, Shown("Antecedentes", "History", "Antecedentes", terms="antecedentes")
    ]
    ausencia_antecedentes: Annotated[Absence | None, absence_of("antecedentes")] = None
    anticoagulado: Annotated[
        bool | None, Shown("Toma anticoagulantes", "Takes anticoagulants", "Toma anticoagulantes")
    ] = None
    presion_habitual: Annotated[
        Presion | None, Shown("Presión habitual", "Usual blood pressure", "Pressão habitual")
    ] = None
    cardiologo: Annotated[Nombre | None, Shown("Cardiólogo", "Cardiologist", "Cardiologista")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        for device in self.dispositivos:
            yield from device.to_fhir(writer)
        for fact in self.antecedentes:
            condition = resource(
                "Condition",
                extension=fact.own_fields(writer, modelo="cardiologico"),
                code=fact.to_concept(),
                subject=writer.patient,
                asserter=fact.said_by(writer),
            )
            yield FhirEntry(f"cardiologico/{fact.id}", condition, PROBLEMS, fact)
        if self.anticoagulado:
            code = writer.own_code("cardiologico", "anticoagulado", label_of(Cardiologico, "anticoagulado"))
            category = [hl7("flag-category", "drug")]
            flag = resource("Flag", status="active", category=category, code=code, subject=writer.patient)
            yield FhirEntry("cardiologico/anticoagulado", flag, ALERTS, "anticoagulado")
        elif self.anticoagulado is False:  # Somebody asked, and it is not so.
            yield FhirEntry("patient", {"extension": writer.own_fields(anticoagulado=False)})
        if self.presion_habitual:
            parts = zip((SYSTOLIC, DIASTOLIC), self.presion_habitual.split("/"), strict=True)
            component = [{"code": loinc(code), "valueQuantity": quantity(int(value), MERCURY)} for code, value in parts]
            pressure = _observation(writer, "vital-signs", PRESSURE, component=component)
            yield FhirEntry("cardiologico/presion_habitual", pressure, VITAL_SIGNS, "presion_habitual")
        if self.cardiologo:
            own = writer.own_fields(modelo="cardiologico")
            doctor = resource("Practitioner", extension=own, name=[{"text": self.cardiologo}])
            yield FhirEntry("cardiologico/cardiologo", doctor)
            reference = writer.reference("cardiologico/cardiologo")
            yield FhirEntry("patient", {"generalPractitioner": [reference]})
