"""Who may see what, and what the person wants done or left undone."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.core.text_types import Etiqueta
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.model_parts import FACT_ID_LENGTH
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import ArchivoId, FechaPasada, FechaPasadaParcial, KnownModel, Parrafo, Texto

ModelOrFact = Annotated[
    str,
    StringConstraints(pattern=f"^[a-z0-9_]{{1,40}}(/[A-Za-z0-9]{{{FACT_ID_LENGTH}}})?$"),
    KnownModel,
]


class TipoVoluntad(Choice):
    NO_REANIMAR = "no_reanimar", "No reanimar", "Do not resuscitate", "Não reanimar"
    LIMITAR = "limitar", "Limitar tratamientos", "Limit treatment", "Limitar tratamentos"
    TODO = "todo", "Hacer todo lo posible", "Do everything possible", "Fazer todo o possível"
    DELEGAR = "delegar", "Que decida otra persona", "Another person decides", "Outra pessoa decide"
    OTRA = "otra", "Otra", "Other", "Outra"


class AceptaTerminos(Shape):
    version: Annotated[Etiqueta | None, Shown(Translated("Versión", "Version", "Versão"))] = None
    fecha: Annotated[FechaPasada | None, Shown(Translated("Fecha", "Date", "Data"))] = None


class VoluntadAnticipada(Shape):
    tipo: Annotated[TipoVoluntad | None, Shown(Translated("Tipo", "Kind", "Tipo"))] = None
    resumen: Annotated[Parrafo | None, Shown(Translated("Resumen", "Summary", "Resumo"))] = None
    documento_id: Annotated[
        ArchivoId | None, Shown(Translated("Documento firmado", "Signed document", "Documento assinado"), widget="file")
    ] = None
    lugar: Annotated[Texto | None, Shown(Translated("Dónde está", "Where it is", "Onde está"))] = None
    fecha: Annotated[FechaPasadaParcial | None, Shown(Translated("Fecha", "Date", "Data"))] = None


class Consentimiento(FmdModel):
    """Private, except what the person wants those who treat her to know."""

    about = About(
        wire="consentimiento",
        title=Translated("Consentimiento", "Consent", "Consentimento"),
        door=Door.P,
        example={
            "visibilidad": {"vacuna": "R", "salud/k7M2qX9a": "P"},
            "comparte_ubicacion": True,
            "acepta_terminos": {"version": "2026-01", "fecha": "2026-03-01"},
            "voluntad_anticipada": {
                "tipo": "limitar",
                "resumen": "No desea ventilación mecánica prolongada.",
                "documento_id": "doc_7Kq2ZpX9",
                "lugar": "Notaría Segunda de Maracaibo",
                "fecha": "2024-11",
            },
            "rechaza_transfusion": False,
            "donante_organos": True,
        },
    )

    visibilidad: Annotated[
        dict[ModelOrFact, Door],
        Field(default_factory=dict, max_length=200),
        Shown(Translated("Quién ve qué", "Who sees what", "Quem vê o quê"), door=Door.P, widget="doors"),
    ]
    comparte_ubicacion: Annotated[
        bool | None,
        Shown(Translated("Compartir la ubicación", "Share the position", "Compartilhar a posição"), door=Door.P),
    ] = None
    acepta_terminos: Annotated[
        AceptaTerminos | None, Shown(Translated("Términos aceptados", "Accepted terms", "Termos aceitos"), door=Door.P)
    ] = None
    voluntad_anticipada: Annotated[
        VoluntadAnticipada | None,
        Shown(Translated("Voluntad anticipada", "Advance directive", "Diretiva antecipada"), door=Door.R),
    ] = None
    rechaza_transfusion: Annotated[
        bool | None,
        Shown(Translated("Rechaza transfusiones", "Refuses transfusion", "Recusa transfusões"), door=Door.R),
    ] = None
    donante_organos: Annotated[
        bool | None, Shown(Translated("Donante de órganos", "Organ donor", "Doador de órgãos"), door=Door.R)
    ] = None
