"""How the owner likes the service to behave."""

from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Canal, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import EachOnce, Idioma, ZonaHoraria


class Unidades(Choice):
    METRICO = "metrico", "Métrico (kg, cm)", "Metric (kg, cm)", "Métrico (kg, cm)"
    IMPERIAL = "imperial", "Imperial (lb, in)", "Imperial (lb, in)", "Imperial (lb, in)"


class Preferencia(FmdModel):
    """Language, units, and when to be told something."""

    about = About(
        wire="preferencia",
        title=Translated("Preferencias", "Preferences", "Preferências"),
        door=Door.P,
        example={
            "idioma": "es",
            "zona_horaria": "America/Caracas",
            "canales": ["whatsapp", "correo"],
            "unidades": "metrico",
            "aviso_por_lectura": True,
            "recordatorios": True,
        },
    )

    idioma: Annotated[Idioma | None, Shown(Translated("Idioma", "Language", "Idioma"))] = None
    zona_horaria: Annotated[ZonaHoraria | None, Shown(Translated("Zona horaria", "Time zone", "Fuso horário"))] = None
    canales: Annotated[
        list[Canal],
        at_most(len(Canal)),
        EachOnce,
        Shown(Translated("Avisarme por", "Tell me by", "Avisar-me por")),
    ]
    unidades: Annotated[Unidades | None, Shown(Translated("Unidades", "Units", "Unidades"))] = None
    aviso_por_lectura: Annotated[
        bool | None,
        Shown(Translated("Avisarme cuando alguien lea", "Tell me when somebody reads", "Avisar-me quando alguém ler")),
    ] = None
    recordatorios: Annotated[
        bool | None, Shown(Translated("Recordarme confirmar", "Remind me to confirm", "Lembrar-me de confirmar"))
    ] = None
