"""Vaccines."""

from typing import Annotated

from pydantic import Field

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, Coded, Fact, absence_of, at_most
from ficha.fmd.translations import Translated
from ficha.fmd.values import FechaPasadaParcial, Numero, Texto


class DosisVacuna(Fact):
    vacuna: Annotated[Coded, Shown(Translated("Vacuna", "Vaccine", "Vacina"), terms="vacuna")]
    fecha: Annotated[FechaPasadaParcial | None, Shown(Translated("Fecha", "Date", "Data"))] = None
    dosis_numero: Annotated[
        Annotated[int, Field(ge=1, le=30)] | None, Shown(Translated("Dosis número", "Dose number", "Dose número"))
    ] = None
    lote: Annotated[Numero | None, Shown(Translated("Lote", "Lot", "Lote"))] = None
    lugar: Annotated[Texto | None, Shown(Translated("Lugar", "Place", "Local"))] = None


class Vacuna(FmdModel):
    """The vaccines received, one line per dose."""

    about = About(
        wire="vacuna",
        title=Translated("Vacunas", "Vaccines", "Vacinas"),
        door=Door.B,
        example={
            "vacunas": [
                {
                    "vacuna": {"texto": "Fiebre amarilla", "sistema": "atc", "codigo": "J07BL01"},
                    "fecha": "2018-07-20",
                    "dosis_numero": 1,
                    "lote": "YF-2231",
                    "lugar": "Ambulatorio Norte",
                    "confirmado_en": "2026-03-01",
                    "fuente": "institucion",
                }
            ]
        },
    )

    # A child's card alone has some thirty doses.
    vacunas: Annotated[list[DosisVacuna], at_most(120), Shown(Translated("Vacunas", "Vaccines", "Vacinas"))]
    ausencia: Annotated[Absence | None, absence_of("vacunas")] = None
