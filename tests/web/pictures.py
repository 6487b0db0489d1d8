"""Pictures of the pages that matter most, for docs/pictures: `make pictures`."""

import base64
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.databases import sqlite_template
from tests.web.browsing import Visitor, address_of, demo_server, launched, reload_until_shown
from tests.web.console.test_browser_console import log_in
from tests.web.portal.joining.test_browser_joining import join
from tests.web.sticker.demo_people import DemoPeople, StickerOwner, sandbox_phone

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
FULLEST = "ana"
WIDTHS = (320, 390, 1280)
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"media": "screen", "color_scheme": "light"},
    "dark": {"media": "screen", "color_scheme": "dark"},
    "print": {"media": "print", "color_scheme": "light"},
}
LANGUAGES = ("es", "en", "pt")
# Small enough to be kept with the code, good enough to read every letter.
QUALITY = 55


def take(page: "Page", name: str) -> None:
    """The whole page, however long. Playwright itself knows no WebP, Chromium does."""
    tools = page.context.new_cdp_session(page)
    size = tools.send("Page.getLayoutMetrics")["cssContentSize"]
    asked = {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True, "clip": size | {"scale": 1}}
    picture = base64.b64decode(tools.send("Page.captureScreenshot", asked)["data"])
    tools.detach()
    (FOLDER / f"{name}.webp").write_bytes(picture)
    sys.stdout.write(f"{name}.webp {len(picture) // 1024} kB\n")


@contextmanager
def opened(visitor: Visitor, path: str, language: str = "es", **more: Any) -> Iterator["Page"]:
    with visitor.at(path, locale=language, **more) as page:
        yield page


def responders(visitor: Visitor, demo_people: DemoPeople) -> None:
    for language in LANGUAGES:
        with opened(visitor, demo_people.path_of(FULLEST), language) as page:
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                for look, media in LOOKS.items():
                    page.emulate_media(**media)
                    take(page, f"responder-{width}-{look}-{language}")


def others(visitor: Visitor, demo_people: DemoPeople) -> None:
    """Once each: a typed code, an alert under way and its copy without a network, the contact's page, her phone."""
    person = demo_people.new_owner()
    link = alerted(visitor, person)
    with opened(visitor, person.path) as page:
        for width in WIDTHS[1:]:
            page.set_viewport_size({"width": width, "height": 800})
            for name, path in (
                ("typed", demo_people.path_of(FULLEST).rpartition("/")[0]),
                ("contact", link),
                ("sandbox-alert", "/sandbox"),
            ):
                page.goto(visitor.address + path)
                take(page, f"{name}-{width}")


def joining(visitor: Visitor, demo_people: DemoPeople) -> None:
    """From the front page to the family's cards, as a new user sees it on a phone; then a form."""
    code, _ = demo_people.printed_sticker()
    with opened(visitor, "/", width=390) as page:
        join(page, code, lambda screen: take(page, f"joining-{screen}-390"))
        take(page, "joining-done-390")
        for name, path in (("family", "/app"), ("form", f"/app/{code}/emergencia")):
            page.goto(visitor.address + path)
            take(page, f"{name}-390")
        page.set_viewport_size({"width": 1280, "height": 800})
        page.goto(visitor.address + "/app")
        take(page, "family-1280")


def alerted(visitor: Visitor, person: StickerOwner) -> str:
    """Gives where the contact can answer."""
    here: dict[str, Any] = {
        "geolocation": {"latitude": 10.4806, "longitude": -66.9036, "accuracy": 25},
        "permissions": ["geolocation"],
    }
    with opened(visitor, person.scanned, width=390, **here) as page:
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("La hija recibió el aviso por WhatsApp").first.wait_for()
        page.evaluate("document.activeElement.blur()")
        take(page, "alerted-390")
        page.context.set_offline(True)
        page.reload()
        take(page, "kept-390")
    with opened(visitor, "/sandbox") as page:
        found = reload_until_shown(
            page, sandbox_phone(page, person.contact_phone).get_by_role("link", name="Ver dónde")
        ).first
        return "/a/" + (found.get_attribute("href") or "").rpartition("/")[2]


def console(visitor: Visitor) -> None:
    """What waits for staff, and the list of people."""
    with opened(visitor, "/login") as page:
        log_in(page, visitor.address)
        for width in WIDTHS[1:]:
            page.set_viewport_size({"width": width, "height": 800})
            for name, path in (("console", "/admin"), ("console-people", "/admin/personas")):
                page.goto(visitor.address + path)
                take(page, f"{name}-{width}")


def main() -> int:
    try:
        with (
            launched() as browser,
            tempfile.TemporaryDirectory() as folder,
            demo_server(Path(folder), sqlite_template(Path(folder))) as server,
        ):
            visitor, demo_people = Visitor(browser, address_of(server)), DemoPeople(server)
            responders(visitor, demo_people)
            others(visitor, demo_people)
            joining(visitor, demo_people)
            console(visitor)
    except pytest.skip.Exception as reason:
        sys.stderr.write(f"No pictures: {reason}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
