"""Projects: administrators keep them, staff give out links that end and lead to the project's own address only."""

import pytest
from httpx2 import Response

from ficha.accounts.accounts import Role
from ficha.administration.admin_changes import admin_changes
from tests.world import Person, World

PATH = "/v2/projects/campana"
BODY = {"name": "Campaña", "url": "https://ejemplo.com/campana?de=ficha"}


@pytest.fixture
def admin(world: World) -> Person:
    return world.somebody_with(Role.ADMIN)


def follow(world: World, link: str) -> Response:
    return world.client.get(link.removeprefix("http://testserver"), follow_redirects=False)


def test_put_makes_replaces_and_is_noted(world: World, admin: Person) -> None:
    assert admin.put(PATH, BODY).status_code == 201
    assert admin.put(PATH, BODY).status_code == 200
    changed = admin.put(PATH, BODY | {"name": "Otra"})
    assert (changed.status_code, changed.json()["data"]["attributes"]["name"]) == (200, "Otra")
    staff = world.somebody_with(Role.STAFF)
    assert [each["id"] for each in staff.get("/v2/projects").json()["data"]] == ["campana"]
    assert staff.get(PATH).json()["data"] == changed.json()["data"]
    with world.parts.database.reading() as tx:
        noted = admin_changes(tx, before_id=2**62, limit=9, kind="project", target="campana")
    assert [(each.action, each.before.get("name"), each.after["name"]) for each in noted] == [
        ("changed", "Campaña", "Otra"),
        ("created", None, "Campaña"),
    ]


def test_a_link_leads_to_the_project_until_it_ends(world: World, admin: Person) -> None:
    admin.put(PATH, BODY)
    staff = world.somebody_with(Role.STAFF)
    given = staff.get(f"{PATH}/access-url").json()["data"]
    link = given["url"]
    assert given["expires_at"] == "2026-11-15T13:00:00+00:00"
    answer = follow(world, link)
    assert (answer.status_code, answer.headers["location"]) == (303, BODY["url"])
    assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["cache-control"] == "no-store"
    world.clock.move(minutes=59)
    assert follow(world, link).status_code == 303
    world.clock.move(minutes=1)
    assert follow(world, link).status_code == 410


def test_nothing_that_a_caller_sends_leads_elsewhere(world: World, admin: Person) -> None:
    admin.put(PATH, BODY)
    admin.put("/v2/projects/otro", BODY | {"url": "https://otro.example/"})
    link = admin.get(f"{PATH}/access-url").json()["data"]["url"]
    unsigned = follow(world, "/p/campana")
    forged = [
        link.replace("/p/campana", "/p/otro"),
        link.replace("/p/campana", "/p/ninguno"),
        link.replace("expires=", "expires=9"),
        link[:-1],
        link + "x",
        link.replace("signature=", "signature=%C3%B1"),
        "/p/ninguno",
        "/p/campana?expires=99999999999&signature=",
        "/p/campana?expires=x&signature=x",
    ]
    for each in forged:
        answer = follow(world, each)
        assert answer.status_code == 404 and answer.json()["errors"] == unsigned.json()["errors"], each
        assert "location" not in answer.headers
    for more in ("url=https://evil.example", "next=//evil.example", "redirect=javascript:alert(1)"):
        answer = follow(world, f"{link}&{more}")
        assert "evil" not in answer.headers.get("location", "") and answer.status_code in (303, 422)
    assert follow(world, "/p//evil.example").status_code == 404


def test_one_that_is_not_active_leads_nowhere(world: World, admin: Person) -> None:
    admin.put(PATH, BODY)
    link = admin.get(f"{PATH}/access-url").json()["data"]["url"]
    admin.put(PATH, BODY | {"is_active": False})
    assert follow(world, link).status_code == 404
    assert admin.get(f"{PATH}/access-url").status_code == 404
    assert admin.get(PATH).status_code == 200


def test_bad_input_changes_nothing(world: World, admin: Person) -> None:
    before = world.rows()
    for url in ("javascript:alert(1)", "//evil.example", "ftp://ejemplo.com", "https://a@evil.example", ""):
        assert admin.put(PATH, BODY | {"url": url}).status_code == 422, url
    for path in ("/v2/projects/1campana", "/v2/projects/Campana", "/v2/projects/a%20b", "/v2/projects/x"):
        assert admin.put(path, BODY).status_code == 422, path
    assert admin.put(PATH, {"name": "x"}).status_code == 422
    assert admin.put(PATH, BODY | {"slug": "x"}).status_code == 422
    assert world.rows() == before
