"""Allergies to medicines."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, Coded, Criticidad, Fact, Facts, absence_of, at_most
from ficha.fmd.translations import Translated
from ficha.fmd.values import Parrafo


class AlergiaMedicamento(Fact):
    medicamento: Annotated[Coded, Shown(Translated("Medicamento", "Medicine", "Medicamento"), terms="medicamento")]
    criticidad: Annotated[
        Criticidad | None, Shown(Translated("Gravedad posible", "Criticality", "Gravidade possível"))
    ] = None
    reacciones: Annotated[
        list[Coded],
        at_most(10),
        Shown(Translated("Reacciones", "Reactions", "Reações"), terms="reacciones"),
    ]
    notas: Annotated[Parrafo | None, Shown(Translated("Notas", "Notes", "Notas"))] = None


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

    alergias: Annotated[list[AlergiaMedicamento], Facts, Shown(Translated("Alergias", "Allergies", "Alergias"))]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None
