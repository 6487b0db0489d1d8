"""Insurance."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from ficha.core.text_types import Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Fact, Facts, in_order
from ficha.fmd.translations import Translated
from ficha.fmd.values import Fecha, Numero, Texto

# Short, free-call and foreign lines: as printed on the card, never dialled by us.
Asistencia = Annotated[
    str,
    StringConstraints(strip_whitespace=True, pattern=r"^[0-9+*#(). -]{3,30}$"),
    Field(json_schema_extra={"x-kind": "helpline"}),
]


class Contrato(Fact):
    aseguradora: Annotated[Nombre, Shown(Translated("Aseguradora", "Insurer", "Seguradora"))]
    numero: Annotated[Numero, Shown(Translated("Número de póliza", "Policy number", "Número da apólice"))]
    plan: Annotated[Texto | None, Shown(Translated("Plan", "Plan", "Plano"))] = None
    titular: Annotated[Nombre | None, Shown(Translated("Titular", "Holder", "Titular"))] = None
    vigente_desde: Annotated[Fecha | None, Shown(Translated("Vigente desde", "Valid from", "Vigente desde"))] = None
    vigente_hasta: Annotated[Fecha | None, Shown(Translated("Vigente hasta", "Valid until", "Vigente até"))] = None
    telefono_asistencia: Annotated[
        Asistencia | None, Shown(Translated("Teléfono de asistencia", "Helpline", "Telefone de assistência"))
    ] = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Self:
        in_order(self.vigente_desde, self.vigente_hasta, "vigente_hasta")
        return self


class Poliza(FmdModel):
    """Who pays, and whom to call so that they do."""

    about = About(
        wire="poliza",
        title=Translated("Seguros", "Insurance", "Seguros"),
        door=Door.B,
        example={
            "polizas": [
                {
                    "aseguradora": "Seguros del Lago",
                    "numero": "00-4471",
                    "plan": "Familiar",
                    "titular": "María Rojas",
                    "vigente_desde": "2026-01-01",
                    "vigente_hasta": "2026-12-31",
                    "telefono_asistencia": "0500-5550000",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ]
        },
    )

    polizas: Annotated[list[Contrato], Facts, Shown(Translated("Pólizas", "Policies", "Apólices"))]
