"""Renders pages for tests, and parses them into elements and text."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Door
from ficha.fmd.responder.build_view import responder_view
from ficha.web.kit.small_pages.compression import JoinedPage
from ficha.web.sticker.page_facts import BreakGlassForm, ResponderFacts
from ficha.web.sticker.responder_page import render_responder
from tests.fmd.documents import NOW

# Ten segments of 1,460 bytes: what a server may send before the phone has answered once. Headers count.
FIRST_ROUND_TRIP = 14_600
ALERT, GLASS = "/e/K7M2QX/TAG/alert", "/e/K7M2QX/TAG/glass"


def facts(language: str = "es", **more: Any) -> ResponderFacts:
    usual: dict[str, Any] = {"code": "K7M2QX", "read_at": NOW, "alert_action": ALERT, "glass": BreakGlassForm(GLASS)}
    return ResponderFacts(language=Idioma(language), **usual | {"photo_base": "/e/K7M2QX/TAG/photo/"} | more)


def page(
    documents: dict[str, Any], language: str = "es", door: Door = Door.R, *, known: Any = None, **more: Any
) -> str:
    return joined_page(documents, language, door, known=known, **more).whole().decode()


def joined_page(
    documents: dict[str, Any], language: str = "es", door: Door = Door.R, *, known: Any = None, **more: Any
) -> JoinedPage:
    """As it is handed to the compression."""
    view = responder_view(documents, door, NOW, language, **known or {})
    return render_responder(view, facts(language, **more))


@dataclass
class ParsedPage(HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    elements: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.values += [value for _, value in attrs if value]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.elements.append(("<!--", ()))

    @property
    def text(self) -> str:
        return "".join(self.texts)


def parsed(html: str) -> ParsedPage:
    found = ParsedPage()
    found.feed(html)
    found.close()
    return found
