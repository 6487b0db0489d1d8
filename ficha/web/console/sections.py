"""The sections of the console's menu, and who sees which."""

from collections.abc import Sequence
from typing import NamedTuple

from ficha.asgi.routes import Routes
from ficha.web.console.staff_access import Visit
from ficha.web.kit.language import Phrases
from ficha.web.kit.sections import MenuEntry, MenuPages
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "frame")


class ConsoleEntry(NamedTuple):
    """A page of the menu. Its name is also the key of its title."""

    name: str
    path: str
    admin_only: bool = False


# Queues first.
MENU = (
    ConsoleEntry("home", "/admin"),
    ConsoleEntry("emergencies", "/admin/emergencias"),
    ConsoleEntry("jobs", "/admin/trabajos"),
    ConsoleEntry("webhooks", "/admin/webhooks"),
    ConsoleEntry("alarms", "/admin/alarmas"),
    ConsoleEntry("statistics", "/admin/estadisticas"),
    ConsoleEntry("people", "/admin/personas"),
    ConsoleEntry("institutions", "/admin/instituciones"),
    ConsoleEntry("rules", "/admin/consejos", admin_only=True),
    ConsoleEntry("codes", "/admin/codigos", admin_only=True),
    ConsoleEntry("batches", "/admin/lotes", admin_only=True),
    ConsoleEntry("services", "/admin/servicios"),
    ConsoleEntry("buttons", "/admin/botones"),
    ConsoleEntry("projects", "/admin/proyectos"),
    ConsoleEntry("subscriptions", "/admin/suscripciones"),
    ConsoleEntry("changes", "/admin/cambios", admin_only=True),
)


class MenuSection(MenuPages[Visit]):
    """The pages below one entry of the menu."""

    frame = "console/frame.html"

    def __init__(self, name: str, phrases: Phrases, routes: Routes | None = None) -> None:
        super().__init__(name, {**PHRASES, **phrases}, routes)
        self.path = next(entry.path for entry in MENU if entry.name == name)

    def menu(self, visit: Visit) -> Sequence[MenuEntry]:
        return [MenuEntry(one.name, one.path) for one in MENU if visit.is_admin or not one.admin_only]
