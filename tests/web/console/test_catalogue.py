"""Services and navigation buttons made on pages: the same rules as by the API, and every change is noted."""

import pytest

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import AdminChange, admin_changes
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

SCRIPT = "<script>alert('x')</script>"
SERVICE = {
    "external_id": "ambulancias",
    "name": "Ambulancias San Luis",
    "description": "Las 24 horas.\nTodo el año.",
    "path": "/ambulancias",
    "primary_color": "#B3261E",
    "logo_url": "https://ejemplo.com/logo.svg",
    "is_active": "1",
}
BUTTON = {
    "external_id": "pedir",
    "label": "Pedir",
    "url": "https://ejemplo.com/pedir",
    "position": "2",
    "is_active": "1",
}


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


def changes(world: World, kind: str) -> list[AdminChange]:
    with world.parts.database.reading() as tx:
        return admin_changes(tx, before_id=MAX_ID, limit=50, kind=kind)


def test_a_service_is_made_changed_and_noted(world: World, admin: PageUser) -> None:
    made = admin.submit("/admin/servicios/nuevo", **SERVICE)
    assert made.headers["location"] == "/admin/servicios?hecho=saved"
    assert "Se guardó" in admin.get(made.headers["location"]).text
    public = world.client.get("/v1/services/ambulancias").json()["data"]["attributes"]
    assert public["description"] == "Las 24 horas.\nTodo el año." and public["primary_color"] == "#b3261e"

    form = admin.get("/admin/servicios/1").text
    assert 'value="Ambulancias San Luis"' in form and "checked" in form
    assert admin.submit("/admin/servicios/1", external_id="ambulancias", name="Otro nombre").status_code == 303
    assert world.client.get("/v1/services/ambulancias").status_code == 404  # No longer shown to the public.
    newest, first = changes(world, "service")
    assert (first.action, newest.action) == ("created", "changed")
    assert newest.before["name"] == "Ambulancias San Luis" and newest.after["name"] == "Otro nombre"
    noted = admin.get("/admin/cambios?tipo=service&q=1").text
    assert "nombre, de «Ambulancias San Luis» a «Otro nombre»" in noted
    assert "Nada coincide" in admin.get("/admin/cambios?tipo=role").text


def test_the_same_form_again_changes_nothing(world: World, admin: PageUser) -> None:
    assert admin.submit("/admin/servicios/nuevo", **SERVICE).status_code == 303
    assert admin.submit("/admin/servicios/1", **SERVICE).status_code == 303
    assert len(changes(world, "service")) == 1


def test_a_new_one_never_replaces_another(world: World, admin: PageUser) -> None:
    assert admin.submit("/admin/servicios/nuevo", **SERVICE).status_code == 303
    again = admin.submit("/admin/servicios/nuevo", **SERVICE | {"name": "Otra"})
    assert again.status_code == 422 and "Ya hay uno con ese nombre" in again.text
    assert 'value="Otra"' in again.text
    assert admin.submit("/admin/servicios/nuevo", name="Sin nombre").text.count("Dé un nombre para direcciones") == 2
    assert len(changes(world, "service")) == 1


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("page", "good", "field", "typed"),
    [
        ("/admin/servicios/nuevo", SERVICE, "logo_url", "javascript:alert(1)"),
        ("/admin/servicios/nuevo", SERVICE, "qr_code_url", "java\tscript:alert(1)"),
        ("/admin/servicios/nuevo", SERVICE, "path", "//evil.example"),
        ("/admin/servicios/nuevo", SERVICE, "primary_color", "red;background:url(x)"),
        ("/admin/servicios/nuevo", SERVICE, "name", "a\0b"),
        ("/admin/servicios/nuevo", SERVICE, "name", ""),
        ("/admin/botones/nuevo", BUTTON, "url", "javascript:alert(1)"),
        ("/admin/botones/nuevo", BUTTON, "url", "//evil.example"),
        ("/admin/botones/nuevo", BUTTON, "position", "dos"),
        ("/admin/botones/nuevo", BUTTON, "position", "9" * 30),
        ("/admin/botones/nuevo", BUTTON, "service_id", "77"),
        ("/admin/botones/nuevo", BUTTON, "icon", SCRIPT),
    ],
)
def test_what_the_api_refuses_is_told_beside_its_field(
    world: World, admin: PageUser, page: str, good: dict[str, str], field: str, typed: str
) -> None:
    answer = admin.submit(page, **good | {field: typed})
    assert answer.status_code == 422
    assert f'<a href="#{field}">' in answer.text and f'id="{field}-fault"' in answer.text
    assert "<script>" not in answer.text
    for name, value in good.items():
        if name not in (field, "is_active", "description"):
            assert f'value="{value}"' in answer.text, name
    assert changes(world, "service") == changes(world, "navigation_button") == []


def test_a_script_in_any_text_is_shown_as_text(world: World, admin: PageUser) -> None:
    texts = dict.fromkeys(("name", "description", "logo_alt", "qr_code_alt"), SCRIPT)
    assert admin.submit("/admin/servicios/nuevo", **SERVICE | texts).status_code == 303
    assert admin.submit("/admin/botones/nuevo", **BUTTON | {"label": SCRIPT, "service_id": "1"}).status_code == 303
    for page in ("servicios", "servicios/1", "botones", "botones/1", "botones/nuevo", "cambios"):
        text = admin.get(f"/admin/{page}").text
        assert "<script>" not in text and "alert(&#39;x&#39;)" in text, page


def test_a_button_belongs_to_a_service_and_is_found_by_its_text(world: World, admin: PageUser) -> None:
    assert admin.submit("/admin/servicios/nuevo", **SERVICE).status_code == 303
    assert admin.submit("/admin/botones/nuevo", **BUTTON | {"service_id": "1"}).status_code == 303
    form = admin.get("/admin/botones/1").text
    assert '<option value="1" selected>Ambulancias San Luis</option>' in form
    [listed] = world.client.get("/v1/navigation-buttons").json()["data"]
    assert listed["attributes"]["service_id"] == 1 and listed["attributes"]["position"] == 2
    assert "Pedir</a>" in admin.get("/admin/botones?q=PED").text
    assert "Nada coincide" in admin.get("/admin/botones?q=otra").text


def test_staff_sees_them_and_has_no_form(world: World, admin: PageUser) -> None:
    admin.submit("/admin/servicios/nuevo", **SERVICE | {"is_active": ""})
    page = logged_in(world, world.somebody_with(Role.STAFF)).get("/admin/servicios").text
    assert "Ambulancias San Luis" in page and "/admin/servicios/1" not in page and "Nuevo servicio" not in page
    assert "Cambios" not in page
