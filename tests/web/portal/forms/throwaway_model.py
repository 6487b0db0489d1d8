"""A model that exists only here, and what a service makes of it: run as a program, because a catalogue is read when the
modules that use it are imported. `python -m tests.web.portal.forms.throwaway_model <migrated SQLite file> <folder>`."""

import sys
from pathlib import Path
from typing import Annotated

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.catalog import CATALOG
from ficha.fmd.model_parts import Absence, Fact, Facts, absence_of
from ficha.fmd.translations import Translated
from ficha.fmd.values import FechaPasadaParcial, Texto


class Mascota(Fact):
    nombre: Annotated[Texto, Shown("Nombre", "Name", "Nome")]
    desde: Annotated[FechaPasadaParcial | None, Shown("Desde", "Since", "Desde")] = None


class Mascotas(FmdModel):
    """Animals that wait at home."""

    about = About(
        wire="mascotas",
        title=Translated("Mascotas en casa", "Pets at home", "Animais em casa"),
        door=Door.R,
        example={"mascotas": [{"nombre": "Firulais", "desde": "2019-03"}]},
    )

    mascotas: Annotated[list[Mascota], Facts, Shown("Mascotas", "Pets", "Animais")]
    ausencia: Annotated[Absence | None, absence_of("mascotas")] = None


def main(database: Path, folder: Path) -> None:
    from ficha.fmd.offline.summary import offline_summary
    from tests.web.portal.forms.form_filling import filled
    from tests.web.portal.page_session import logged_in
    from tests.web.sticker.sticker import sticker_of
    from tests.world import build_world, settings_for

    world = build_world(settings_for(f"sqlite:///{database}", folder))
    sticker = sticker_of(world)
    code = sticker.owner.data["attributes"]["product_codes"][0]
    user, path = logged_in(world, sticker.owner), f"/app/{code}/mascotas"
    assert f'href="{path}"' in user.get(f"/app/{code}").text
    assert "Pets at home" in user.get(f"{path}?l=en").text
    typed = {"mascotas.0.nombre": "Firulais", "mascotas.0.desde": "3/2019"}
    assert filled(user, path, typed).status_code == 303
    document = world.reader.get(f"/v2/fmd/{code}/mascotas", headers=sticker.owner.headers).json()
    [fact] = document["data"]["attributes"]["data"]["mascotas"]
    assert (fact["nombre"], fact["desde"]) == ("Firulais", "2019-03")
    page = sticker.scan().text
    assert "Mascotas en casa" in page and "Firulais" in page
    lines = offline_summary({"mascotas": {"mascotas": [fact]}}, code, world.clock.now().date()).by_urgency
    assert any("Mascotas en casa: Firulais" in line.whole for line in lines)
    world.close()


if __name__ == "__main__":
    CATALOG.__init__((*CATALOG, Mascotas))  # type: ignore[misc]
    main(Path(sys.argv[1]), Path(sys.argv[2]))
