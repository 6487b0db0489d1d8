"""Allergies to food, insects, latex and what is in the air."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, Coded, Criticidad, Fact, Facts, absence_of, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Parrafo, Texto


class Categoria(Choice):
    ALIMENTO = "alimento", "Alimento", "Food", "Alimento"
    AMBIENTE = "ambiente", "Ambiente", "Environment", "Ambiente"
    INSECTO = "insecto", "Insecto", "Insect", "Inseto"
    LATEX = "latex", "Látex", "Latex", "Látex"
    OTRO = "otro", "Otro", "Other", "Outro"


class Alergia(Fact):
    agente: Annotated[Coded, Shown(Translated("A qué", "To what", "A quê"), terms="agente")]
    categoria: Annotated[Categoria | None, Shown(Translated("Categoría", "Category", "Categoria"))] = None
    criticidad: Annotated[
        Criticidad | None, Shown(Translated("Gravedad posible", "Criticality", "Gravidade possível"))
    ] = None
    reacciones: Annotated[
        list[Coded],
        at_most(10),
        Shown(Translated("Reacciones", "Reactions", "Reações"), terms="reacciones"),
    ]
    autoinyector: Annotated[
        bool | None,
        Shown(
            Translated(
                "Lleva autoinyector de adrenalina", "Carries an adrenaline autoinjector", "Tem consigo autoinjetor"
            )
        ),
    ] = None
    guardado_en: Annotated[
        Texto | None,
        Shown(Translated("Dónde está el autoinyector", "Where the autoinjector is kept", "Onde está o autoinjetor")),
    ] = None
    notas: Annotated[Parrafo | None, Shown(Translated("Notas", "Notes", "Notas"))] = None


class AlergiasA(FmdModel):
    """What the person must not eat, touch or breathe."""

    about = About(
        wire="alergiasa",
        title=Translated(
            "Alergias a alimentos y ambiente", "Food and other allergies", "Alergias a alimentos e ambiente"
        ),
        door=Door.R,
        fresh_days=730,
        example={
            "alergias": [
                {
                    "agente": {"texto": "Maní", "sistema": "snomed", "codigo": "762952008"},
                    "categoria": "alimento",
                    "criticidad": "alta",
                    "reacciones": [{"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}],
                    "autoinyector": True,
                    "guardado_en": "mochila",
                    "notas": "El autoinyector está en la mochila.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ]
        },
    )

    alergias: Annotated[list[Alergia], Facts, Shown(Translated("Alergias", "Allergies", "Alergias"))]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None
