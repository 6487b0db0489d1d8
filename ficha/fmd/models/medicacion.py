"""What the person takes."""

from typing import Annotated, Self

from pydantic import model_validator

from ficha.core.text_types import Etiqueta
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, Coded, Fact, Facts, absence_of, in_order
from ficha.fmd.translations import Translated
from ficha.fmd.values import FechaParcial, Texto


class Medicamento(Fact):
    medicamento: Annotated[Coded, Shown(Translated("Medicamento", "Medicine", "Medicamento"), terms="medicamento")]
    dosis: Annotated[Texto | None, Shown(Translated("Dosis", "Dose", "Dose"))] = None
    via: Annotated[Etiqueta | None, Shown(Translated("Vía", "Route", "Via"))] = None
    frecuencia: Annotated[Texto | None, Shown(Translated("Cada cuánto", "How often", "Com que frequência"))] = None
    desde: Annotated[FechaParcial | None, Shown(Translated("Desde", "Since", "Desde"))] = None
    hasta: Annotated[FechaParcial | None, Shown(Translated("Hasta", "Until", "Até"))] = None
    critico: Annotated[
        bool | None,
        Shown(Translated("No suspender sin consultar", "Do not stop without asking", "Não suspender sem consultar")),
    ] = None
    motivo: Annotated[Texto | None, Shown(Translated("Para qué", "What for", "Para quê"))] = None
    guardado_en: Annotated[Texto | None, Shown(Translated("Dónde está", "Where it is kept", "Onde está"))] = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        in_order(self.desde, self.hasta, "hasta")
        return self


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

    medicamentos: Annotated[list[Medicamento], Facts, Shown(Translated("Medicinas", "Medicines", "Medicamentos"))]
    ausencia: Annotated[Absence | None, absence_of("medicamentos")] = None
