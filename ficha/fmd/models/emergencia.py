"""Whom to call."""

from typing import Annotated

from pydantic import Field

from ficha.core.text_types import Correo, Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import PHONE, PREFIX, Canal, CodTelefono, Fact, Phone, Telefono, at_most
from ficha.fmd.translations import Translated
from ficha.fmd.values import EachOnce, Idioma, Parrafo, Texto

MAX_CONTACTS = 10


class Contacto(Fact, Phone):
    nombre: Annotated[Nombre, Shown(Translated("Nombre", "Name", "Nome"))]
    relacion: Annotated[Etiqueta, Shown(Translated("Relación", "Relationship", "Relação"))]
    cod_telefono: Annotated[CodTelefono, PREFIX]
    telefono: Annotated[Telefono, PHONE]
    correo: Annotated[Correo | None, Shown(Translated("Correo", "E-mail", "E-mail"), widget="email")] = None
    prioridad: Annotated[
        Annotated[int, Field(ge=1, le=MAX_CONTACTS)] | None,
        Shown(Translated("Orden de llamada", "Order of calling", "Ordem de chamada")),
    ] = None
    canales: Annotated[
        list[Canal],
        at_most(len(Canal)),
        EachOnce,
        Shown(Translated("Avisar por", "Alert by", "Avisar por")),
    ]
    puede_decidir: Annotated[
        bool | None, Shown(Translated("Puede decidir por la persona", "May decide for the person", "Pode decidir"))
    ] = None
    idioma: Annotated[Idioma | None, Shown(Translated("Idioma", "Language", "Idioma"))] = None


class Emergencia(FmdModel):
    """Whom to call, in which order, and what to tell whoever is with the person."""

    about = About(
        wire="emergencia",
        title=Translated("En una emergencia", "In an emergency", "Em uma emergência"),
        door=Door.R,
        example={
            "contactos": [
                {
                    "nombre": "María Rojas",
                    "relacion": "madre",
                    "cod_telefono": "+58",
                    "telefono": "4125551111",
                    "correo": "maria@ejemplo.com",
                    "prioridad": 1,
                    "canales": ["whatsapp", "correo", "push"],
                    "puede_decidir": True,
                    "idioma": "es-VE",
                    "confirmado_en": "2026-10-01",
                    "fuente": "titular",
                }
            ],
            "instrucciones": "No la sujeten; háblenle despacio.",
            "hospital_preferido": "Hospital Coromoto, Maracaibo",
        },
    )

    contactos: Annotated[
        list[Contacto],
        at_most(MAX_CONTACTS),
        Shown(Translated("Contactos", "Contacts", "Contatos")),
    ]
    instrucciones: Annotated[Parrafo | None, Shown(Translated("Instrucciones", "Instructions", "Instruções"))] = None
    hospital_preferido: Annotated[
        Texto | None, Shown(Translated("Hospital preferido", "Preferred hospital", "Hospital preferido"))
    ] = None
