"""What holds for every page of the portal, read without a browser: its door, its policy, its size, its languages."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import served_routes
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import form_of
from ficha.web.kit import rendering
from ficha.web.kit.assets import assets
from tests.fmd.documents import example_of
from tests.web.portal.forms.form_filling import filled, typed
from tests.web.portal.page_session import PageUser, logged_in
from tests.web.portal.portal_table import PAGES, Family, example_paths, shown_paths
from tests.world import Person, World

MOST_BYTES = 40_000
# Read by programs, or behind a link that somebody was sent: tested with what sends it.
OTHERS = re.compile(r"/(codigo|push-worker\.js|\.well-known/.+|p/.+|.+/{token}.*)")
SPOKEN = ("alt", "aria-label", "placeholder", "title", "data-show", "data-hide")
WORD = re.compile(r"[^\W\d_]{3,}")
# Names, and words that the three languages share.
SHARED = (
    "Ficha",
    "Ana Pérez",
    "Español",
    "English",
    "Português",
    "WhatsApp",
    "Hospital",
    "SMS",
    "Stent",
    "Imperial",
)

TRICK = '"><img src=x onerror=alert(1)>'
FREE = re.compile(r'<(?:textarea|input) id="[^"]+" name="([^"]+)" (?:type="text"[^>]* inputmode="text"|rows)')
DATE = re.compile(r"\d{4}(-\d\d){0,2}")
# A day is told as the language writes it: 16/11/2026.
ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Switches and choices only.
WITHOUT_TEXT = ("modulo", "preferencia")

one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def family_of(user: PageUser, owner: Person) -> Family:
    """With a drill and an alert, which nobody has answered."""
    code = code_of(owner)
    drill = user.submit(f"/app/{code}/simulacro", do="run").headers["location"]
    alert = owner.post("/v2/emergencies", {"code": code})
    assert alert.status_code == 201, alert.text
    return Family(code, int(drill.rpartition("/")[2]), alert.json()["data"]["id"])


class SpokenTexts(HTMLParser):
    """What a page says, also to a screen reader."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._silent = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent = tag == "code" or (tag in ("a", "b") and "lang" in dict(attrs))
        self.texts |= {value.strip() for name, value in attrs if name in SPOKEN and value}

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.texts.add(data.strip())

    def handle_endtag(self, tag: str) -> None:
        self._silent = False


def served_paths(world: World) -> set[str]:
    portal = ("ficha.web.portal", "ficha.web.preview")
    routes = [route for route in served_routes(world.app.routes) if route.served.function.__module__.startswith(portal)]
    return {route.path for route in routes if not OTHERS.fullmatch(route.path)}


@one_database
def test_no_page_is_left_out(world: World) -> None:
    assert served_paths(world) == {page.path for page in PAGES}


def test_no_template_writes_a_day_as_machines_do() -> None:
    """Also on pages that show none in the tests below: keys, grants, stickers."""
    portal = Path(rendering.__file__).parents[1] / "templates" / "portal"
    assert [page.name for page in portal.rglob("*.html") if "strftime" in page.read_text("utf-8")] == []


@one_database
def test_who_is_not_logged_in_and_who_posts_from_elsewhere_gets_nothing(world: World, ana: Person) -> None:
    user, stranger, code = logged_in(world, ana), PageUser(world), code_of(ana)
    for page in PAGES:
        for path in example_paths(page, Family(code))[:1]:
            if page.needs_login:
                assert stranger.get(path).headers["location"].startswith("/login?next="), path
                if page.posts:
                    assert user.post(path, do="save").status_code == 419, path
                    assert user.post(path, do="save", _token="0" * 64).status_code == 419, path
                    assert stranger.post(path, do="save").headers["location"].startswith("/login?next="), path


@one_database
def test_every_page_is_strict_small_and_in_three_languages(world: World, ana: Person) -> None:
    user, code = logged_in(world, ana), code_of(ana)
    family = family_of(user, ana)
    by_url = {asset.url: asset for asset in assets().values()}
    known = re.compile("|".join(map(re.escape, (*SHARED, code, ana.correo))))
    untranslated: set[str] = set()
    for path in shown_paths(family):
        said = []
        for language in Idioma:
            page = user.get(f"{path}?l={language}")
            assert page.status_code == 200, path
            policy = page.headers["content-security-policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
            assert page.headers["x-frame-options"] == "DENY"
            assert page.headers["cache-control"] == "no-store" or path in ("/", "/clave", "/registro"), path
            assert not re.search(r"<script(?! src=\"/static/)|<style|\sstyle=|\son\w+=", page.text), path
            assert set(re.findall(r'(?:src|href)="(https?:)?//', page.text)) == set(), path
            used = set(re.findall(r"/static/[\w.-]+", page.text))
            assert len(page.content) + sum(len(by_url[url].content) for url in used) <= MOST_BYTES, path
            said.append(SpokenTexts(page.text).texts)
            assert not [text for text in said[-1] if ISO_DAY.search(text)], path
        untranslated |= {text for text in set.intersection(*said) if WORD.search(known.sub("", text))}
    assert untranslated == set()


@one_database
def test_what_people_write_stays_text(world: World, ana: Person) -> None:
    """Stored and shown again, or refused and shown again: in no form it becomes markup."""
    user, code = logged_in(world, ana), code_of(ana)
    family, stored = family_of(user, ana), 0
    for model in CATALOG:
        path = f"/app/{code}/{model.about.wire}"
        free = set(FREE.findall(user.get(path).text))
        values = dict(typed(example_of(model) | {"visibilidad": {}}, form_of(model)))
        tricks = {name for name in values if re.sub(r"\d+", "0", name) in free and not DATE.fullmatch(values[name])}
        answer = filled(user, path, values | dict.fromkeys(tricks, TRICK))
        stored += answer.status_code == 303
        text = user.get(path).text if answer.status_code == 303 else answer.text
        assert "<img src=x" not in text, path
        assert "&lt;img src=x" in text or model.about.wire in WITHOUT_TEXT, path
    assert stored >= 8
    for path in shown_paths(family):
        assert "<img src=x" not in user.get(path).text, path
