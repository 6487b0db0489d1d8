"""Services and navigation buttons: administrators keep them, everybody reads the active ones, and browsers cache."""

from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.administration.admin_changes import AdminChange, admin_changes
from tests.world import Person, World

WHOLE = {
    "external_id": "ambulancias",
    "name": "Ambulancias San Luis",
    "description": "Traslados.\nLas 24 horas.",
    "path": "/ambulancias",
    "template": "general",
    "primary_color": "#B3261E",
    "logo_url": "https://ejemplo.com/logo.svg",
    "logo_alt": "Logo",
    "qr_code_url": "https://ejemplo.com/qr.svg",
    "qr_code_alt": "QR",
    "is_active": True,
}
BUTTON = {"label": "Pedir", "url": "https://ejemplo.com/pedir", "position": 2, "icon": "ambulance", "color": "#112233"}
SERVICE, BUTTON_PATH = "/v1/services/ambulancias", "/v1/navigation-buttons/pedir"


@pytest.fixture
def admin(world: World) -> Person:
    return world.somebody_with(Role.ADMIN)


def changes_of(world: World) -> list[AdminChange]:
    with world.parts.database.reading() as tx:
        return admin_changes(tx, before_id=2**62, limit=50)


def test_put_makes_replaces_and_repeats(world: World, admin: Person) -> None:
    made = admin.put(SERVICE, WHOLE)
    assert (made.status_code, made.json()["meta"]["status"]) == (200, 200)
    stored = WHOLE | {"id": 1, "primary_color": "#b3261e"}
    assert made.json()["data"] == {"type": "service", "id": 1, "attributes": stored}
    again = admin.put(SERVICE, WHOLE)
    assert (again.status_code, again.json()["data"]) == (200, made.json()["data"])
    by_number = admin.put("/v1/services/1", {"name": "Otro nombre"})
    assert by_number.status_code == 200
    emptied = dict.fromkeys(WHOLE) | {"id": 1, "external_id": "ambulancias", "name": "Otro nombre", "is_active": True}
    assert by_number.json()["data"]["attributes"] == emptied
    changed, created = changes_of(world)
    assert (created.action, created.before, created.after) == ("created", {}, stored)
    assert (changed.action, changed.before, changed.after) == ("changed", stored, emptied)
    assert changed.actor == f"account:{admin.id}"
    assert (changed.kind, changed.target) == ("service", "1")


def test_a_number_of_the_caller_s_is_kept(admin: Person) -> None:
    assert admin.put("/v1/services/7", {"name": "Siete"}).json()["data"]["id"] == 7
    assert admin.put("/v1/services/ocho", {"name": "Ocho", "id": 8}).json()["data"]["id"] == 8
    assert admin.put("/v1/services/nueve", {"name": "Nueve"}).json()["data"]["id"] == 9


WRONG: list[tuple[str, dict[str, Any], int, str]] = [
    ("/v1/services/7", {"name": "x", "id": 8}, 422, "id_distinto"),
    ("/v1/services/uno", {"name": "x", "external_id": "dos"}, 422, "external_id_distinto"),
    ("/v1/services/UNO", {"name": "x"}, 422, "nombre_invalido"),
    ("/v1/services/0", {"name": "x"}, 422, "nombre_invalido"),
    ("/v1/services/99999999999", {"name": "x"}, 422, "nombre_invalido"),
    ("/v1/services/9", {"name": "x", "external_id": "ambulancias"}, 409, "registro_en_uso"),
    ("/v1/services/uno", {"name": "x", "id": 1}, 409, "registro_en_uso"),
    ("/v1/services/uno", {}, 422, "falta"),
    ("/v1/services/uno", {"name": "x", "nombre": "x"}, 422, "campo_desconocido"),
    ("/v1/services/uno", {"name": "x", "primary_color": "red;}"}, 422, "formato_invalido"),
    ("/v1/services/uno", {"name": "x", "template": "../../etc"}, 422, "formato_invalido"),
    ("/v1/services/uno", {"name": "x\u0000"}, 422, "caracteres_invalidos"),
    ("/v1/services/uno", {"name": "x", "is_active": "yes"}, 422, "tipo_invalido"),
    ("/v1/navigation-buttons/uno", BUTTON | {"service_id": 99}, 422, "servicio_desconocido"),
    ("/v1/navigation-buttons/uno", BUTTON | {"position": -1}, 422, "fuera_de_rango"),
]


def test_what_is_wrong_is_named_and_changes_nothing(world: World, admin: Person) -> None:
    admin.put(SERVICE, WHOLE)
    before = world.rows()
    for path, body, status, code in WRONG:
        answer = admin.put(path, body)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code), body
    assert world.rows() == before


BAD_URLS = (
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "//evil.example",
    "/relative",
    "https:evil",
    "https:///evil",
    "https:\\\\evil.example",
    "https://user:clave@evil.example",
    "https://ejemplo.com/\"onload='x'",
    "https://ejemplo.com/<script>",
    "https://ejemplo.com:99999/",
    "https://[::1",
    "file:///etc/passwd",
    "",
)


BAD_PATHS = ("//evil.example", "https://evil.example", "/\\evil.example", "/a/../..", "x", "/ a")


def test_only_http_addresses_are_taken_and_a_path_stays_on_this_site(admin: Person) -> None:
    for url in BAD_URLS:
        for field in ("logo_url", "qr_code_url"):
            assert admin.put(SERVICE, WHOLE | {field: url}).status_code == 422, url
        assert admin.put(BUTTON_PATH, BUTTON | {"url": url}).status_code == 422, url
    for path in BAD_PATHS:
        assert admin.put(SERVICE, WHOLE | {"path": path}).status_code == 422, path


def test_text_is_text(world: World, admin: Person) -> None:
    """It is told as it was written, as JSON that no browser takes for a page."""
    text = "<script>alert('x')</script>"
    admin.put(SERVICE, WHOLE | {"name": text, "description": text, "logo_alt": text})
    answer = world.client.get(SERVICE, headers={"Accept": "text/html"})
    assert answer.json()["data"]["attributes"]["name"] == text
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_public_sees_active_ones_only(world: World, admin: Person) -> None:
    admin.put("/v1/services/1", {"name": "Activo"})
    admin.put("/v1/services/2", {"name": "Apagado", "is_active": False, "external_id": "apagado"})
    for place, (service, active) in enumerate([(1, True), (1, False), (2, True), (None, True)]):
        body = BUTTON | {"service_id": service, "is_active": active, "position": 9 - place}
        assert admin.put(f"/v1/navigation-buttons/{place + 1}", body).status_code == 200
    for reader in (world.client, admin):
        assert [each["id"] for each in reader.get("/v1/services").json()["data"]] == [1]
        assert [each["id"] for each in reader.get("/v1/navigation-buttons").json()["data"]] == [4, 1]
        assert [each["id"] for each in reader.get("/v1/navigation-buttons?service_id=2").json()["data"]] == []
        unknown = reader.get("/v1/services/nadie").json()["errors"]
        assert reader.get("/v1/services/2").json()["errors"] == unknown
        assert reader.get("/v1/services/apagado").json()["errors"] == unknown
        for place in (2, 3, 77):
            assert reader.get(f"/v1/navigation-buttons/{place}").json()["errors"] == unknown


def test_lists_come_in_pages(world: World, admin: Person) -> None:
    for number in range(1, 6):
        admin.put(f"/v1/services/{number}", {"name": f"Servicio {number}"})
        admin.put(f"/v1/navigation-buttons/{number}", BUTTON | {"position": 6 - number})
    for path, expected in (("/v1/services", [1, 2, 3, 4, 5]), ("/v1/navigation-buttons", [5, 4, 3, 2, 1])):
        seen, cursor = [], ""
        while cursor is not None:
            page = world.client.get(f"{path}?size=2{cursor and '&cursor=' + cursor}").json()
            seen += [each["id"] for each in page["data"]]
            cursor = page["meta"]["page"]["next"]
        assert seen == expected
        assert world.client.get(f"{path}?cursor=x").status_code == 422


def test_a_browser_keeps_what_has_not_changed(world: World, admin: Person) -> None:
    admin.put(SERVICE, WHOLE)
    admin.put(BUTTON_PATH, BUTTON)
    tags = {}
    for path in ("/v1/services", SERVICE, "/v1/navigation-buttons", BUTTON_PATH):
        first = world.client.get(path)
        tag = tags[path] = first.headers["etag"]
        assert "max-age" in first.headers["cache-control"] and "set-cookie" not in first.headers
        for header in (tag, tag.removeprefix("W/"), f'"x", {tag}', "*"):
            kept = world.client.get(path, headers={"If-None-Match": header})
            assert (kept.status_code, kept.content, kept.headers["etag"]) == (304, b"", tag)
    admin.put(SERVICE, WHOLE | {"name": "Otro"})
    admin.put(BUTTON_PATH, BUTTON | {"label": "Otro"})
    for path, tag in tags.items():
        changed = world.client.get(path, headers={"If-None-Match": tag})
        assert changed.status_code == 200 and changed.headers["etag"] != tag


def test_nobody_but_administrators_changes_them(world: World, admin: Person) -> None:
    admin.put(SERVICE, WHOLE)
    for role in (Role.OWNER, Role.STAFF, Role.INSTITUTION, Role.MEDICAL):
        assert world.somebody_with(role).put(SERVICE, WHOLE | {"name": "Otro"}).status_code == 403
    with world.parts.database.reading() as tx:
        assert len(tx.orm.scalars(select(AdminChange)).all()) == 1
