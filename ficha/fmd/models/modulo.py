"""Which sections this record uses."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.values import KnownModel
from ficha.fmd.words import Words

ModelName = Annotated[str, StringConstraints(pattern="^[a-z0-9_]{1,40}$"), KnownModel]


class Modulo(FmdModel):
    """Set from the template type. It chooses what the form asks for; it hides nothing that holds data."""

    about = About(
        wire="modulo",
        title=Words("Secciones", "Sections", "Seções"),
        door=Door.P,
        example={"modulos": {"salud": True, "estudiante": False}},
    )

    modulos: Annotated[
        dict[ModelName, bool],
        Field(default_factory=dict, max_length=100),
        Shown(Words("Secciones en uso", "Sections in use", "Seções em uso"), widget="modules"),
    ]
