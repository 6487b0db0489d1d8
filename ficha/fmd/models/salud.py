"""Conditions, surgeries, pregnancy."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.model_parts import Absence, Coded, CodedFact, Fact, Facts, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Fecha, FechaPasadaParcial, Parrafo


class Estado(Choice):
    ACTIVA = "activa", "Activa", "Active", "Ativa"
    CONTROLADA = "controlada", "Controlada", "Controlled", "Controlada"
    RESUELTA = "resuelta", "Resuelta", "Resolved", "Resolvida"


class Gravedad(Choice):
    LEVE = "leve", "Leve", "Mild", "Leve"
    MODERADA = "moderada", "Moderada", "Moderate", "Moderada"
    GRAVE = "grave", "Grave", "Severe", "Grave"


class Condicion(Fact):
    condicion: Annotated[Coded, Shown(Translated("Condición", "Condition", "Condição"), terms="condicion")]
    estado: Annotated[Estado | None, Shown(Translated("Estado", "Status", "Estado"))] = None
    gravedad: Annotated[Gravedad | None, Shown(Translated("Gravedad", "Severity", "Gravidade"))] = None
    desde: Annotated[FechaPasadaParcial | None, Shown(Translated("Desde", "Since", "Desde"))] = None
    plan: Annotated[Parrafo | None, Shown(Translated("Qué hacer", "What to do", "O que fazer"))] = None


class Cirugia(CodedFact):
    fecha: Annotated[FechaPasadaParcial | None, Shown(Translated("Fecha", "Date", "Data"))] = None


class EstadoEmbarazo(Choice):
    EMBARAZADA = "embarazada", "Embarazada", "Pregnant", "Grávida"
    POSIBLE = "posible", "Posible", "Possible", "Possível"
    NO_EMBARAZADA = "no_embarazada", "No embarazada", "Not pregnant", "Não grávida"


class Embarazo(Shape):
    estado: Annotated[EstadoEmbarazo | None, Shown(Translated("Estado", "Status", "Estado"))] = None
    fecha_probable_parto: Annotated[
        Fecha | None, Shown(Translated("Fecha probable de parto", "Due date", "Data provável do parto"))
    ] = None


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

    condiciones: Annotated[list[Condicion], Facts, Shown(Translated("Condiciones", "Conditions", "Condições"))]
    ausencia: Annotated[Absence | None, absence_of("condiciones")] = None
    cirugias: Annotated[list[Cirugia], Facts, Shown(Translated("Cirugías", "Surgeries", "Cirurgias"), terms="cirugias")]
    ausencia_cirugias: Annotated[Absence | None, absence_of("cirugias")] = None
    via_aerea_dificil: Annotated[
        bool | None,
        Shown(Translated("Vía aérea difícil", "Difficult airway", "Via aérea difícil")),
    ] = None
    hipertermia_maligna: Annotated[
        bool | None,
        Shown(Translated("Hipertermia maligna", "Malignant hyperthermia", "Hipertermia maligna")),
    ] = None
    embarazo: Annotated[Embarazo | None, Shown(Translated("Embarazo", "Pregnancy", "Gravidez"))] = None
