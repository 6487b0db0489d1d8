"""The person at school."""

from typing import Annotated

from ficha.core.text_types import Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.model_parts import Fact, Facts, Phone
from ficha.fmd.translations import Translated
from ficha.fmd.values import Numero, Texto


class Autorizado(Fact, Phone):
    nombre: Annotated[Nombre, Shown(Translated("Nombre", "Name", "Nome"))]
    relacion: Annotated[Etiqueta | None, Shown(Translated("Relación", "Relationship", "Relação"))] = None
    documento: Annotated[Numero | None, Shown(Translated("Documento", "Identity document", "Documento"))] = None


class Estudiante(FmdModel):
    """Where the person studies, and who may take her home."""

    about = About(
        wire="estudiante",
        title=Translated("Estudiante", "Student", "Estudante"),
        door=Door.B,
        example={
            "institucion": "Colegio San Luis",
            "grado": "3.er año",
            "seccion": "B",
            "matricula": "2026-0117",
            "turno": "mañana",
            "transporte": "Ruta 4, Sr. Díaz",
            "autorizados_retirar": [
                {
                    "nombre": "Luis Pérez",
                    "relacion": "padre",
                    "documento": "V-11.555.222",
                    "cod_telefono": "+58",
                    "telefono": "4125552222",
                    "confirmado_en": "2026-09-15",
                    "fuente": "representante",
                }
            ],
        },
    )

    institucion: Annotated[Texto | None, Shown(Translated("Institución", "School", "Instituição"))] = None
    grado: Annotated[Etiqueta | None, Shown(Translated("Grado", "Grade", "Série"))] = None
    seccion: Annotated[Etiqueta | None, Shown(Translated("Sección", "Class", "Turma"))] = None
    matricula: Annotated[Numero | None, Shown(Translated("Matrícula", "Enrolment number", "Matrícula"))] = None
    turno: Annotated[Etiqueta | None, Shown(Translated("Turno", "Shift", "Turno"))] = None
    transporte: Annotated[Texto | None, Shown(Translated("Transporte", "Transport", "Transporte"))] = None
    autorizados_retirar: Annotated[
        list[Autorizado],
        Facts,
        Shown(Translated("Quién puede retirarla", "Who may pick her up", "Quem pode buscá-la")),
    ]
