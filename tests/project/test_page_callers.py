"""Every page of the route table with every kind of caller, against an explicit table."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from httpx2 import Response as ClientResponse
from starlette.responses import Response
from starlette.testclient import TestClient

from ficha.accounts.accounts import Account
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.tokens import issue_token
from ficha.api.catalog import catalogue
from ficha.asgi.routes import RouteGroup, ServedRoute, served_routes
from ficha.http.dependencies import CurrentCaller
from ficha.web.console.staff_access import AdminVisit
from ficha.web.kit.signed_in import signed_in_routes
from tests.app_client import client_of
from tests.http.test_missing_keys import OtherMachine
from tests.project.matrix_people import (
    CALLERS,
    SETTINGS,
    MatrixPeople,
    alert_family,
    give_access,
    people_around,
)
from tests.project.page_table import PAGES, Outcomes, console_row
from tests.web.console.console_table import FORMS as CONSOLE_FORMS
from tests.web.console.console_table import ConsolePage
from tests.world import World, build_world, settings_for

PLACE = re.compile(r"{\w+(:\w+)?}")
# What a page names that does not exist: it tells who comes in, and changes nothing.
NOT_THERE = {"slug": "ninguna", "code_text": "ZZZZZZ", "role": "staff", "project": "ninguno", "name": "ninguno.css"}
NOT_THERE |= {"kind": "sign", "rule": "ninguna"}
NO_TAG, NO_LINK = "QX7M2K5TNBP4RWZC6DHJ3VFYGA", "A" * 24
# What a form needs at least to be understood, where without it nobody would be looked at.
FORMS = CONSOLE_FORMS | {
    "/a/{token}": {"respuesta": "voy"},
    "/recordatorio/{token}": {"respuesta": "si"},
    "/app/emergencias/{emergency_id}": {"do": "voy"},
    "/app/{code}/inicio": {"nombres": "Ana"},
    "/centros/{slug}/personas/{code}": {"salio": "si"},
    "/centros/{slug}/invitaciones": {"reenviar": "777"},
    "/centros/{slug}/dudas/{doubt_id}": {"es": "otra"},
}
# Ends the sessions, so it comes last.
LOGOUT = ("POST", "/logout")
# Our own page posted it: who comes in does not depend on the form's token, which has its own tests.
OWN_PAGE = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", metrics_door="admin", **SETTINGS))
    yield world
    world.close()


def pages_in(routes: Iterable[ServedRoute], world: World) -> list[tuple[str, str]]:
    """Whatever the table of routes has that is no operation."""
    operations = {(row.method, row.path) for row in catalogue(world.parts.settings)}
    return [
        (method, route.path)
        for route in routes
        for method in sorted((route.methods or set()) - {"HEAD"})
        if (method, route.path_format) not in operations
    ]


def outcome(answer: ClientResponse) -> str:
    """The class of an answer: `in` is whatever somebody meets inside, be it that a form is not understood."""
    place = answer.headers.get("location", "")
    if answer.status_code in (303, 307) and place.startswith("/login"):
        return "login"
    if answer.status_code == 303 and place.startswith("/app/mi-cuenta/segundo?hace_falta"):
        return "factor"
    is_in = answer.status_code < 400 or answer.status_code in (409, 413, 415, 422)
    return "in" if is_in else str(answer.status_code)


def browsers_of(found: MatrixPeople) -> dict[str, TestClient]:
    """Whoever has an account comes with the cookie of a session; the session of `expired` is over, and the cookie of
    `wrong` is somebody's guess. The others have none, and `signed` shows signatures."""
    world, browsers = found.world, {}
    now = world.clock.now()
    for who in CALLERS:
        browser = browsers[who] = client_of(world.app)
        browser.headers.update(OWN_PAGE)
        if who in found.people:
            with world.parts.database.writing() as tx:
                account = tx.orm.get_one(Account, found.people[who].id)
                token = issue_token(tx, account, now, 60)
                secret = start_session(tx, token, now, 0 if who == "expired" else 60)
            browser.cookies.set("ficha_session", secret)
        elif who == "wrong":
            browser.cookies.set("ficha_session", "A" * 40)
        give_access(found, who)
    return browsers


def example(found: MatrixPeople, path: str, who: str) -> str:
    """The address as this caller knows it: who scanned the sticker knows its tag, and who was alerted her link."""
    known = NOT_THERE | {
        "code": found.code,
        "model": "salud",
        "emergency_id": str(found.emergency),
        "tag": found.tag if who == "responder" else NO_TAG,
        "token": found.link if who == "contact" else NO_LINK,
        "ending": "csv",
    }
    if path.startswith("/centros"):
        known["slug"] = "colegio-san-luis"
    return PLACE.sub(lambda place: known.get(place.group().strip("{}").partition(":")[0], "777"), path)


def outcomes_of(found: MatrixPeople, pages: list[tuple[str, str]]) -> dict[tuple[str, str], Outcomes]:
    browsers = browsers_of(found)
    answers: dict[tuple[str, str], Outcomes] = {}
    for method, path in sorted(pages, key=lambda page: page == LOGOUT):
        for who, browser in browsers.items():
            # A stream that was begun never ends: nobody is asked to open one here.
            asked = example(found, path, "none" if path.endswith("/vivo") else who)
            form = FORMS.get(path, {}) if method == "POST" else None
            answer = browser.request(method, asked, data=form, follow_redirects=False)
            answers.setdefault((method, path), {})[who] = outcome(answer)
            if answer.text.startswith("<!doctype html>"):
                check_page(answer.text, path, who)
    return answers


def check_page(html: str, path: str, who: str) -> None:
    """What holds for every page that anybody meets, errors too: one heading, and times that are somebody's own."""
    assert len(re.findall(r"<h1[ >]", html)) == 1, (path, who)
    if not path.startswith(("/sandbox", "/docs")):
        # As a word: a page of login has random letters.
        assert not re.search(r"\bUTC\b", html), (path, who)


def expected_of(row: Outcomes) -> Outcomes:
    return {who: row.get(who, row["else"]) for who in CALLERS}


def test_each_caller_gets_what_the_table_says(world: World) -> None:
    found = people_around(world)
    alert_family(found)
    pages = pages_in(served_routes(world.app.routes), world)
    assert set(pages) == set(PAGES), "a page that is new fails here until somebody has said for whom it is"
    wrong = {}
    for page, outcomes in outcomes_of(found, pages).items():
        expected = expected_of(PAGES[page])
        if different := {who: said for who, said in outcomes.items() if said != expected[who]}:
            wrong[page] = different
    assert wrong == {}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_page_whose_key_is_missing_here_is_a_page_that_says_whom_to_call(world: World, tmp_path: Path) -> None:
    """Another machine has rotated the master key, and this one does not have the new one yet."""
    found = people_around(world)
    alert_family(found)
    everybody = browsers_of(found)
    callers = ("owner", "responder", "contact", "admin", "worker")
    OtherMachine(world, tmp_path / "other").rotate()
    refused = set()
    for method, path in sorted(pages_in(served_routes(world.app.routes), world), key=lambda page: page == LOGOUT):
        for who in callers:
            asked = example(found, path, "none" if path.endswith("/vivo") else who)
            form = FORMS.get(path, {}) if method == "POST" else None
            answer = everybody[who].request(method, asked, data=form, follow_redirects=False)
            if answer.status_code >= 500:
                refused.add(who)
                assert answer.status_code == 503 and int(answer.headers["Retry-After"]) > 0, (method, path, who)
                assert answer.headers["content-type"].startswith("text/html"), (method, path, who)
                assert 'href="tel:' in answer.text, (method, path, who)
    assert {"owner", "responder"} <= refused


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_check_that_somebody_takes_away_is_noticed(world: World) -> None:
    """Two pages of the console, of which one has forgotten to look who comes."""
    routes = signed_in_routes("/admin/toys")

    @routes.page("/shut")
    def shut(_visit: AdminVisit) -> Response:
        return Response()

    @routes.page("/open")
    def left_open(_caller: CurrentCaller) -> Response:
        return Response()

    world.app.router.routes.append(RouteGroup(routes.under))
    pages = [("GET", "/admin/toys/shut"), ("GET", "/admin/toys/open")]
    assert set(pages_in(served_routes(world.app.routes), world)) - set(PAGES) == set(pages), "without a row it fails"
    expected = expected_of(console_row(ConsolePage("GET", "", "admin", "Of nobody.")))
    outcomes = outcomes_of(people_around(world), pages)
    assert outcomes[pages[0]] == expected
    assert outcomes[pages[1]]["other owner"] == outcomes[pages[1]]["unproven admin"] == "in"
