"""Projects and subscriptions on pages, by the rules of the API."""

from datetime import datetime, timedelta
from html import unescape

import pytest

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

PROJECT = {"slug": "campana", "name": "Campaña", "url": "https://ejemplo.com/campana", "is_active": "1"}


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


def test_a_project_is_made_and_changed_and_never_replaced_by_a_new_one(world: World, admin: PageUser) -> None:
    assert admin.submit("/admin/proyectos/nuevo", **PROJECT).headers["location"] == "/admin/proyectos?hecho=saved"
    again = admin.submit("/admin/proyectos/nuevo", **PROJECT | {"name": "<script>"})
    assert again.status_code == 422 and '<a href="#slug">' in again.text and "<script>" not in again.text
    assert admin.submit("/admin/proyectos/campana", **PROJECT | {"name": "<script>"}).status_code == 303
    assert "&lt;script&gt;" in admin.get("/admin/proyectos?q=CAMP").text
    with world.parts.database.reading() as tx:
        noted = admin_changes(tx, before_id=MAX_ID, limit=9, kind="project")
    assert [change.action for change in noted] == ["changed", "created"]


def test_staff_get_a_signed_link_to_an_active_project(world: World, admin: PageUser) -> None:
    admin.submit("/admin/proyectos/nuevo", **PROJECT)
    staff = logged_in(world, world.somebody_with(Role.STAFF))
    assert "/admin/proyectos/campana/enlace" in staff.get("/admin/proyectos").text
    page = staff.get("/admin/proyectos/campana/enlace").text
    url = unescape(page.partition('<code class="path">')[2].partition("<")[0])
    followed = world.client.get(url[url.index("/p/") :], follow_redirects=False)
    assert followed.headers["location"] == PROJECT["url"]
    admin.submit("/admin/proyectos/campana", **PROJECT | {"is_active": ""})
    assert staff.get("/admin/proyectos/campana/enlace").status_code == 404


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("field", "typed"),
    [("slug", "NO VALE"), ("slug", ""), ("name", ""), ("url", "javascript:alert(1)"), ("url", "//evil.example")],
)
def test_a_wrong_project_is_told_beside_its_field(admin: PageUser, field: str, typed: str) -> None:
    answer = admin.submit("/admin/proyectos/nuevo", **PROJECT | {field: typed})
    assert answer.status_code == 422 and f'<a href="#{field}">' in answer.text
    assert "Todavía no hay proyectos" in admin.get("/admin/proyectos").text


def test_a_subscription_changes_by_known_steps_and_is_noted(world: World, admin: PageUser) -> None:
    ana = world.somebody_with(Role.OWNER)
    assert ana.post("/v2/subscription", {"plan": "familiar"}).is_success
    path = f"/admin/suscripciones/{ana.id}"
    assert "inició la suscripción de" in admin.get(path).text  # That she asked for it is the beginning of its history.
    assert "prueba" in admin.get("/admin/suscripciones?estado=trial").text
    assert admin.submit(path, state="past_due", plan="familiar").status_code == 422
    assert admin.submit(path, state="active", plan="familiar").status_code == 303
    assert admin.submit(path, state="active", plan="familiar").status_code == 303  # Nothing to change.
    form = admin.get(path).text
    assert '<option value="canceled">' in form and 'value="trial"' not in form
    assert admin.submit(path, state="emperador").status_code == 422
    asked = admin.submit(path, state="canceled", plan="familiar")
    assert asked.status_code == 200 and "siguen como están" in asked.text
    assert "no se puede deshacer" not in asked.text, "it can be active again"
    listed = {lang: admin.get(f"/admin/suscripciones?l={lang}").text.partition("<tbody")[2] for lang in ("es", "en")}
    assert "Familiar" in listed["es"] and "Family" in listed["en"] and "familiar" not in "".join(listed.values())
    assert admin.submit(path, state="canceled", plan="<script>", confirmed="1").status_code == 422
    with world.parts.database.reading() as tx:
        noted, _asked = admin_changes(tx, before_id=MAX_ID, limit=9, kind="subscription")
    assert (noted.before["state"], noted.after["state"]) == ("trial", "active")
    assert admin.submit(path, state="canceled", plan="familiar", confirmed="1").status_code == 303
    assert ana.get("/v2/subscription").json()["data"]["attributes"]["state"] == "canceled"
    assert admin.get("/admin/suscripciones/999").status_code == 404


def test_what_was_asked_for_is_given_and_extended_by_an_administrator(world: World, admin: PageUser) -> None:
    ana = world.somebody_with(Role.OWNER)
    assert ana.post("/v2/subscription", {"plan": "personal"}).json()["data"]["attributes"]["state"] == "requested"
    path = f"/admin/suscripciones/{ana.id}"
    assert f'href="{path}"' in admin.get("/admin/suscripciones?estado=requested").text
    assert admin.submit(path, state="active", plan="personal").status_code == 303
    first = ana.get("/v2/subscription").json()["data"]["attributes"]
    assert first["state"] == "active"
    assert "por 30 días" in admin.get(f"{path}/ampliar").text
    assert admin.submit(f"{path}/ampliar").headers["location"] == f"{path}?hecho=saved"
    second = ana.get("/v2/subscription").json()["data"]["attributes"]
    days = datetime.fromisoformat(second["ends_at"]) - datetime.fromisoformat(first["ends_at"])
    assert days == timedelta(days=30)
    # Another plan that she asked for stands chosen in the form, and counts once it is given.
    assert world.client.patch("/v2/subscription", json={"plan": "cuidador"}, headers=ana.headers).is_success
    assert '<option value="cuidador" selected>' in admin.get(path).text
    assert admin.submit(path, state="active", plan="cuidador").status_code == 303
    given = ana.get("/v2/subscription").json()["data"]["attributes"]
    assert (given["plan"], given["asked_plan"]) == ("cuidador", None)


def test_nobody_activates_her_own_not_even_an_administrator(world: World) -> None:
    person = world.somebody_with(Role.OWNER, Role.ADMIN)
    admin, path = logged_in(world, person), f"/admin/suscripciones/{person.id}"
    assert person.post("/v2/subscription", {"plan": "personal"}).is_success
    assert admin.submit(path, state="active", plan="personal").status_code == 403
    assert admin.submit(f"{path}/ampliar").status_code == 403
    assert person.get("/v2/subscription").json()["data"]["attributes"]["state"] == "requested"
