"""The heart: devices, history, anticoagulation."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.core.text_types import Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, CodedFact, Fact, Facts, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import FechaPasadaParcial, Numero

Presion = Annotated[
    str, StringConstraints(pattern="^[0-9]{2,3}/[0-9]{2,3}$"), Field(json_schema_extra={"x-kind": "pressure"})
]


class TipoDispositivo(Choice):
    MARCAPASOS = "marcapasos", "Marcapasos", "Pacemaker", "Marca-passo"
    DESFIBRILADOR = "desfibrilador", "Desfibrilador", "Defibrillator", "Desfibrilador"
    STENT = "stent", "Stent", "Stent", "Stent"
    VALVULA = "valvula", "Válvula", "Valve", "Válvula"
    OTRO = "otro", "Otro", "Other", "Outro"


class Dispositivo(Fact):
    tipo: Annotated[TipoDispositivo, Shown(Translated("Tipo", "Kind", "Tipo"))]
    fabricante: Annotated[Nombre | None, Shown(Translated("Fabricante", "Maker", "Fabricante"))] = None
    modelo: Annotated[Numero | None, Shown(Translated("Modelo", "Model", "Modelo"))] = None
    fecha_implante: Annotated[
        FechaPasadaParcial | None, Shown(Translated("Fecha del implante", "Implanted on", "Data do implante"))
    ] = None
    compatible_rm: Annotated[
        bool | None, Shown(Translated("Compatible con resonancia", "MRI safe", "Compatível com ressonância"))
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

    dispositivos: Annotated[list[Dispositivo], Facts, Shown(Translated("Dispositivos", "Devices", "Dispositivos"))]
    ausencia: Annotated[Absence | None, absence_of("dispositivos")] = None
    antecedentes: Annotated[
        list[CodedFact], Facts, Shown(Translated("Antecedentes", "History", "Antecedentes"), terms="antecedentes")
    ]
    ausencia_antecedentes: Annotated[Absence | None, absence_of("antecedentes")] = None
    anticoagulado: Annotated[
        bool | None, Shown(Translated("Toma anticoagulantes", "Takes anticoagulants", "Toma anticoagulantes"))
    ] = None
    presion_habitual: Annotated[
        Presion | None, Shown(Translated("Presión habitual", "Usual blood pressure", "Pressão habitual"))
    ] = None
    cardiologo: Annotated[Nombre | None, Shown(Translated("Cardiólogo", "Cardiologist", "Cardiologista"))] = None
