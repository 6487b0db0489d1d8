"""Every page of the console with every kind of caller, against the table of pages."""

import re

import pytest

from ficha.accounts.accounts import Role
from ficha.asgi.routes import served_routes
from tests.web.console.console_table import FORMS, PAGES, ConsolePage
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

CALLERS = {
    "owner": (Role.OWNER,),
    "institution": (Role.OWNER, Role.INSTITUTION),
    "medical": (Role.OWNER, Role.MEDICAL),
    "staff": (Role.STAFF,),
    "admin": (Role.ADMIN,),
}
PLACE = re.compile(r"{\w+}")


def example(path: str) -> str:
    """With the number or the name of something that does not exist."""
    for place, name in (("{slug}", "ninguna"), ("{code_text}", "ZZZZZZ"), ("{role}", "staff"), ("{kind}", "sign")):
        path = path.replace(place, name)
    return PLACE.sub("777", path)


@pytest.fixture
def users(world: World) -> dict[str, PageUser]:
    return {name: logged_in(world, world.somebody_with(*roles)) for name, roles in CALLERS.items()}


def ask(user: PageUser, page: ConsolePage, token: str = "") -> int:
    path = example(page.path)
    if page.method == "GET":
        return user.get(path).status_code
    return user.post(path, _token=token, **FORMS.get(page.path, {})).status_code


def token_of(user: PageUser) -> str:
    found = re.search(r'name="_token" value="([0-9a-f]+)"', user.get("/logout").text)
    assert found
    return found.group(1)


def test_no_page_is_left_out(world: World) -> None:
    served = {
        (method, route.path)
        for route in served_routes(world.app.routes)
        for method in (route.methods or set()) - {"HEAD"}
        if route.path.startswith("/admin")
    }
    assert served == {(page.method, page.path) for page in PAGES}
    assert all(page.isolation.endswith(".") for page in PAGES)


def test_each_caller_gets_what_the_table_says(world: World, users: dict[str, PageUser]) -> None:
    tokens = {name: token_of(user) for name, user in users.items()}
    wrong = []
    for page in PAGES:
        for name, user in users.items():
            is_in = name == "admin" or (name == "staff" and page.opens == "staff")
            expected = page.status if is_in else 404
            if (status := ask(user, page, tokens[name])) != expected:
                wrong.append((page.method, page.path, name, status))
    assert wrong == []


def test_who_is_not_let_in_sees_what_an_unknown_page_shows(users: dict[str, PageUser]) -> None:
    number = re.compile(r"<code>[^<]+</code>")
    for name in ("owner", "institution", "medical"):
        html = {"Accept": "text/html"}
        unknown = users[name].client.get("/admin/no-hay-tal-pagina", headers=html)
        real = users[name].client.get("/admin/personas", headers=html)
        assert unknown.status_code == real.status_code == 404
        assert number.sub("", unknown.text) == number.sub("", real.text)


def test_who_is_signed_out_is_sent_to_the_login_page(world: World) -> None:
    nobody = PageUser(world)
    for page in PAGES:
        path = example(page.path)
        answer = nobody.get(path) if page.method == "GET" else nobody.post(path)
        assert answer.status_code == 303, page.path
        assert answer.headers["location"].startswith("/login?next=%2Fadmin"), page.path


def test_a_post_without_the_token_of_its_session_is_refused(world: World, users: dict[str, PageUser]) -> None:
    stolen = token_of(users["staff"])
    before = world.rows()
    for page in PAGES:
        if page.method == "POST":
            assert ask(users["admin"], page) == 419, page.path
            assert ask(users["admin"], page, stolen) == 419, page.path
    assert world.rows() == before
