"""The person's doctors."""

from typing import Annotated

from ficha.core.text_types import Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import PHONE, PREFIX, CodTelefono, Fact, Facts, Phone, Telefono
from ficha.fmd.translations import Translated
from ficha.fmd.values import Numero, Texto


class Medico(Fact, Phone):
    nombre: Annotated[Nombre, Shown(Translated("Nombre", "Name", "Nome"))]
    especialidad: Annotated[Nombre | None, Shown(Translated("Especialidad", "Speciality", "Especialidade"))] = None
    cod_telefono: Annotated[CodTelefono | None, PREFIX] = None
    telefono: Annotated[Telefono | None, PHONE] = None
    institucion: Annotated[Texto | None, Shown(Translated("Institución", "Institution", "Instituição"))] = None
    registro: Annotated[Numero | None, Shown(Translated("Registro médico", "Licence number", "Registro médico"))] = None


class PersonalSermed(FmdModel):
    """Who knows the person's case."""

    about = About(
        wire="personalsermed",
        title=Translated("Médicos", "Doctors", "Médicos"),
        door=Door.B,
        example={
            "medicos": [
                {
                    "nombre": "Dra. Inés Molina",
                    "especialidad": "endocrinología",
                    "cod_telefono": "+58",
                    "telefono": "2615553333",
                    "institucion": "Hospital Coromoto",
                    "registro": "MPPS 55.123",
                    "confirmado_en": "2026-03-01",
                    "fuente": "titular",
                }
            ]
        },
    )

    medicos: Annotated[list[Medico], Facts, Shown(Translated("Médicos", "Doctors", "Médicos"))]
