"""The menu of an institution's pages."""

from collections.abc import Sequence

from ficha.asgi.routes import Routes
from ficha.web.institution.worker_access import INSTITUTIONS, WorkVisit
from ficha.web.kit.language import Phrases
from ficha.web.kit.sections import MenuEntry, MenuPages
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "frame")


class WorkSection(MenuPages[WorkVisit]):
    """The pages below one entry of the menu."""

    frame = "institution/frame.html"

    def __init__(self, name: str, phrases: Phrases, routes: Routes | None = None) -> None:
        super().__init__(name, {**phrases, **PHRASES}, routes)

    def menu(self, visit: WorkVisit) -> Sequence[MenuEntry]:
        """Her own family last, apart from her work."""
        home = visit.home
        here = [
            MenuEntry("people", home),
            MenuEntry("lacks", f"{home}/faltas"),
            MenuEntry("rosters", f"{home}/nominas"),
            MenuEntry("doubts", f"{home}/dudas"),
            MenuEntry("invitations", f"{home}/invitaciones"),
            MenuEntry("stickers", f"{home}/etiquetas"),
        ]
        elsewhere = [MenuEntry("institutions", INSTITUTIONS)] if visit.works_elsewhere else []
        return [*here, *elsewhere, MenuEntry("family", "/app")]
