"""Who answers for the person."""

from typing import Annotated

from ficha.core.text_types import Correo, Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import PHONE, PREFIX, CodTelefono, Phone, Telefono
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Numero


class Custodia(Choice):
    TOTAL = "total", "Total", "Sole", "Total"
    COMPARTIDA = "compartida", "Compartida", "Shared", "Compartilhada"
    OTRA = "otra", "Otra", "Other", "Outra"


class Representante(Phone, FmdModel):
    """Parent, guardian or whoever decides when the person cannot."""

    about = About(
        wire="representante",
        title=Translated("Representante", "Guardian", "Responsável"),
        door=Door.R,
        example={
            "nombre": "María Rojas",
            "documento": "V-12.555.111",
            "relacion": "madre",
            "cod_telefono": "+58",
            "telefono": "4125551111",
            "correo": "maria@ejemplo.com",
            "custodia": "compartida",
        },
    )

    nombre: Annotated[Nombre, Shown(Translated("Nombre", "Name", "Nome"))]
    documento: Annotated[
        Numero | None, Shown(Translated("Documento", "Identity document", "Documento"), door=Door.B)
    ] = None
    relacion: Annotated[Etiqueta, Shown(Translated("Relación", "Relationship", "Relação"))]
    cod_telefono: Annotated[CodTelefono | None, PREFIX] = None
    telefono: Annotated[Telefono | None, PHONE] = None
    correo: Annotated[Correo | None, Shown(Translated("Correo", "E-mail", "E-mail"), widget="email")] = None
    custodia: Annotated[Custodia | None, Shown(Translated("Custodia", "Custody", "Guarda"))] = None
