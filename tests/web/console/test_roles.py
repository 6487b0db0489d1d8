"""Roles granted and withdrawn on a person's page: by administrators, noted, and never the last one's."""

import re

import pytest

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from tests.web.portal.page_session import logged_in
from tests.world import World


def test_a_role_counts_from_the_next_step_and_is_noted(world: World) -> None:
    boss, ines = world.somebody_with(Role.ADMIN), world.somebody_with(Role.OWNER)
    admin, user = logged_in(world, boss), logged_in(world, ines)
    path = f"/admin/personas/{ines.id}"
    assert user.get("/admin").status_code == 404
    assert admin.submit(path, rol="staff").headers["location"] == f"{path}?hecho=granted"
    assert user.get("/admin").status_code == 200
    assert "personal" in user.get(path).text and "Quitar" not in user.get(path).text

    asked = admin.get(f"{path}/quitar/staff")
    assert asked.status_code == 200 and "¿Quitar el rol personal" in asked.text
    assert admin.submit(f"{path}/quitar/staff").headers["location"] == f"{path}?hecho=withdrawn"
    assert user.get("/admin").status_code == 404
    with world.parts.database.reading() as tx:
        newest, first = admin_changes(tx, before_id=MAX_ID, limit=9, kind="role")
    assert (first.action, newest.action) == ("granted", "withdrawn")
    assert first.actor == f"account:{boss.id}" and "staff" in first.after["roles"]
    assert f"(cuenta {first.target.removeprefix('account:')}): roles, de" in admin.get("/admin/cambios?tipo=role").text


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(("language", "day"), [("es", "15/11/2026"), ("en", "15 Nov 2026"), ("pt", "15/11/2026")])
def test_days_are_written_as_the_language_writes_them(world: World, language: str, day: str) -> None:
    admin, ines = logged_in(world, world.somebody_with(Role.ADMIN)), world.somebody_with(Role.OWNER)
    pages = [admin.get(f"{path}?l={language}").text for path in ("/admin/personas", f"/admin/personas/{ines.id}")]
    for page in pages:
        shown = re.findall(r"<time[^>]*>(.*?)</time>", page)
        assert shown and all(text.startswith(f"{day} ") for text in shown)


def test_the_last_administrator_stays_and_odd_roles_are_refused(world: World) -> None:
    boss, ines = world.somebody_with(Role.ADMIN), world.somebody_with(Role.OWNER)
    admin = logged_in(world, boss)
    refused = admin.submit(f"/admin/personas/{boss.id}/quitar/admin")
    assert refused.status_code == 422 and "única cuenta que administra" in refused.text
    for role in ("owner", "institution", "emperador", ""):
        assert admin.submit(f"/admin/personas/{ines.id}", rol=role).status_code == 400, role
    assert admin.get(f"/admin/personas/{ines.id}/quitar/staff").status_code == 404
    assert admin.get("/admin/personas/999999").status_code == 404
