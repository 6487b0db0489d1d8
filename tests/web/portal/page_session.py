"""Somebody who uses the pages with a browser that runs no scripts."""

import re
from dataclasses import replace
from html import unescape

from httpx2 import Response
from starlette.testclient import TestClient

from tests.app_client import client_of
from tests.world import CLAVE, Person, World

TOKEN = re.compile(r'name="_token" value="([0-9a-f]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')


def hidden_in(html: str) -> dict[str, str]:
    """The hidden fields of a page, as a browser sends them."""
    return {name: unescape(value) for name, value in HIDDEN.findall(html)}


class PageUser:
    """Sends forms with the hidden fields of the page that they stand on, as a browser does."""

    def __init__(self, world: World) -> None:
        self.client: TestClient = client_of(world.app)

    def get(self, path: str) -> Response:
        return self.client.get(path, follow_redirects=False)

    def post(self, path: str, /, **fields: str) -> Response:
        return self.client.post(path, data=fields, follow_redirects=False)

    def submit(self, page: str, /, to: str | None = None, **fields: str) -> Response:
        """Opens the page, and sends its form with these fields."""
        token = TOKEN.search(self.get(page).text)
        assert token is not None, "the page has no form"
        return self.post(to or page, _token=token.group(1), **fields)

    def log_in(self, person: Person, page: str = "/login", **fields: str) -> Response:
        return self.post(
            "/login", **hidden_in(self.get(page).text) | {"correo": person.correo, "clave": CLAVE} | fields
        )


def logged_in(world: World, person: Person) -> PageUser:
    user = PageUser(world)
    assert user.log_in(person).status_code == 303
    return user


def again(world: World, person: Person) -> Person:
    """The same person with a new token: one lives for an hour."""
    attributes = person.data["attributes"] | {"token": world.token_for(person.id)}
    return replace(person, data=person.data | {"attributes": attributes})
