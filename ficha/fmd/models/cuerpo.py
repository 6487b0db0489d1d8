"""The body: blood group, size, implants, marks."""

from typing import Annotated

from pydantic import Field

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, CodedFact, Facts, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Parrafo


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
            Translated("Grupo sanguíneo", "Blood group", "Grupo sanguíneo"),
            help=Translated("No se usa para transfundir.", "Not for transfusion.", "Não serve para transfusão."),
        ),
    ] = None
    estatura_cm: Annotated[
        Annotated[float, Field(ge=20, le=280)] | None, Shown(Translated("Estatura (cm)", "Height (cm)", "Altura (cm)"))
    ] = None
    peso_kg: Annotated[
        Annotated[float, Field(ge=0.2, le=700)] | None, Shown(Translated("Peso (kg)", "Weight (kg)", "Peso (kg)"))
    ] = None
    implantes: Annotated[
        list[CodedFact], Facts, Shown(Translated("Implantes", "Implants", "Implantes"), terms="implantes")
    ]
    ausencia: Annotated[Absence | None, absence_of("implantes")] = None
    protesis: Annotated[
        list[CodedFact], Facts, Shown(Translated("Prótesis", "Prostheses", "Próteses"), terms="implantes")
    ]
    ausencia_protesis: Annotated[Absence | None, absence_of("protesis")] = None
    senas_particulares: Annotated[
        Parrafo | None, Shown(Translated("Señas particulares", "Distinguishing marks", "Sinais particulares"))
    ] = None
    usa_lentes: Annotated[bool | None, Shown(Translated("Usa lentes", "Wears glasses", "Usa óculos"))] = None
    usa_audifonos: Annotated[
        bool | None, Shown(Translated("Usa audífonos", "Wears hearing aids", "Usa aparelho auditivo"))
    ] = None
