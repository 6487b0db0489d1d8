"""Allergies: to medicines; to food, insects, latex and what is in the air."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import MAY_KILL, Absence, Coded, Criticidad, Fact, Facts, absence_of, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Parrafo, Texto


class AlergiaMedicamento(Fact):
    medicamento: Annotated[Coded, Shown("Medicamento", "Medicine", "Medicamento", terms="medicamento")]
    criticidad: Annotated[Criticidad | None, MAY_KILL] = None
    reacciones: Annotated[list[Coded], at_most(10), Shown("Reacciones", "Reactions", "Reações", terms="reacciones")]
    notas: Annotated[Parrafo | None, Shown("Notas", "Notes", "Notas")] = None


class AlergiasM(FmdModel):
    """Medicines the person must not be given."""

    about = About(
        wire="alergiasm",
        title=Translated("Alergias a medicamentos", "Medicine allergies", "Alergias a medicamentos"),
        door=Door.R,
        fresh_days=730,
        example={
            "alergias": [
                {
                    "medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"},
                    "criticidad": "alta",
                    "reacciones": [{"texto": "Urticaria", "sistema": "snomed", "codigo": "126485001"}],
                    "notas": "A los seis años, en el hospital.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ]
        },
    )

    alergias: Annotated[list[AlergiaMedicamento], Facts, Shown("Alergias", "Allergies", "Alergias")]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None


class Categoria(Choice):
    ALIMENTO = "alimento", "Alimento", "Food", "Alimento"
    AMBIENTE = "ambiente", "Ambiente", "Environment", "Ambiente"
    INSECTO = "insecto", "Insecto", "Insect", "Inseto"
    LATEX = "latex", "Látex", "Latex", "Látex"
    OTRO = "otro", "Otro", "Other", "Outro"


class Alergia(Fact):
    agente: Annotated[Coded, Shown("A qué", "To what", "A quê", terms="agente")]
    categoria: Annotated[Categoria | None, Shown("Categoría", "Category", "Categoria")] = None
    criticidad: Annotated[Criticidad | None, MAY_KILL] = None
    reacciones: Annotated[list[Coded], at_most(10), Shown("Reacciones", "Reactions", "Reações", terms="reacciones")]
    autoinyector: Annotated[
        bool | None,
        Shown("Lleva autoinyector de adrenalina", "Carries an adrenaline autoinjector", "Tem consigo autoinjetor"),
    ] = None
    guardado_en: Annotated[
        Texto | None, Shown("Dónde está el autoinyector", "Where the autoinjector is kept", "Onde está o autoinjetor")
    ] = None
    notas: Annotated[Parrafo | None, Shown("Notas", "Notes", "Notas")] = None


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

    alergias: Annotated[list[Alergia], Facts, Shown("Alergias", "Allergies", "Alergias")]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None
