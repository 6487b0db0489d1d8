"""The body: blood group, size, implants, marks; the heart with its devices and its history."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.core.text_types import Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, CodedFact, Fact, Facts, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import FechaPasadaParcial, Numero, Parrafo, kind


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
            help=Translated("No se usa para transfundir.", "Not for transfusion.", "Não serve para transfusão."),
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
