"""Which sections this record uses."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.translations import Translated
from ficha.fmd.values import KnownModel

ModelName = Annotated[str, StringConstraints(pattern="^[a-z0-9_]{1,40}$"), KnownModel]


class Modulo(FmdModel):
    """Set from the template type. It chooses what the form asks for; it hides nothing that holds data."""

    about = About(
        wire="modulo",
        title=Translated("Secciones", "Sections", "Seções"),
        door=Door.P,
        example={"modulos": {"salud": True, "estudiante": False}},
    )

    modulos: Annotated[
        dict[ModelName, bool],
        Field(default_factory=dict, max_length=100),
        Shown(Translated("Secciones en uso", "Sections in use", "Seções em uso"), widget="modules"),
    ]
