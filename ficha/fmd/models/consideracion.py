"""How to treat the person."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Absence, Fact, Facts, absence_of
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Parrafo


class TipoConsideracion(Choice):
    AUTISMO = "autismo", "Autismo", "Autism", "Autismo"
    NO_VERBAL = "no_verbal", "No habla", "Does not speak", "Não fala"
    SORDERA = "sordera", "Sordera", "Deafness", "Surdez"
    CEGUERA = "ceguera", "Ceguera", "Blindness", "Cegueira"
    DEMENCIA = "demencia", "Demencia", "Dementia", "Demência"
    MOVILIDAD = "movilidad", "Movilidad", "Mobility", "Mobilidade"
    EPILEPSIA = "epilepsia", "Epilepsia", "Epilepsy", "Epilepsia"
    RELIGIOSA = "religiosa", "Religiosa", "Religious", "Religiosa"
    OTRA = "otra", "Otra", "Other", "Outra"


class ConsideracionDeTrato(Fact):
    tipo: Annotated[TipoConsideracion, Shown(Translated("Tipo", "Kind", "Tipo"))]
    descripcion: Annotated[Parrafo | None, Shown(Translated("Descripción", "Description", "Descrição"))] = None
    como_ayudar: Annotated[Parrafo | None, Shown(Translated("Cómo ayudar", "How to help", "Como ajudar"))] = None


class Consideracion(FmdModel):
    """What changes how the person is spoken to, moved or calmed."""

    about = About(
        wire="consideracion",
        title=Translated("Consideraciones", "Special considerations", "Considerações"),
        door=Door.R,
        example={
            "consideraciones": [
                {
                    "tipo": "autismo",
                    "descripcion": "Le asustan las sirenas y que la toquen sin avisar.",
                    "como_ayudar": "Hablar despacio y mostrarle lo que se va a hacer.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "representante",
                }
            ]
        },
    )

    consideraciones: Annotated[
        list[ConsideracionDeTrato], Facts, Shown(Translated("Consideraciones", "Considerations", "Considerações"))
    ]
    ausencia: Annotated[Absence | None, absence_of("consideraciones")] = None
