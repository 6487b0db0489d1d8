"""Institutions on the pages of staff: each page tells of one, and roles there are given by administrators."""

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role, Token
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import OPERATOR, admin_changes
from ficha.enrolment.new_institution import create_institution
from ficha.institutions.enrol import enrol_people
from ficha.institutions.institution import InstitutionFacts, InstitutionRole, institutions_with_role
from ficha.institutions.members import members_of
from ficha.institutions.person_to_enrol import EnrolContext, PersonToEnrol
from ficha.institutions.roster_doubts import DoubtReason, NewDoubt, store_doubts
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

SECRET_NAME = "Anita Oculta"


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


def new_school(world: World, slug: str, name: str) -> InstitutionFacts:
    with world.parts.database.writing() as tx:
        return create_institution(tx, slug, name, OPERATOR, world.parts.keyring, world.clock.now())


def enrol(world: World, school: InstitutionFacts, *names: str) -> None:
    people = [PersonToEnrol(name, nombre=SECRET_NAME) for name in names]
    with world.parts.database.writing() as tx:
        enrol_people(tx, EnrolContext(school, world.parts.keyring, world.parts.secrets, world.clock.now()), people)


def test_a_page_tells_of_one_institution_and_nothing_of_a_record(world: World) -> None:
    staff = logged_in(world, world.somebody_with(Role.STAFF))
    one, other = new_school(world, "san-luis", "Colegio San Luis"), new_school(world, "bolivar", "Liceo Bolívar")
    enrol(world, one, "alumno-1")
    enrol(world, other, "otro-9")
    listed = staff.get("/admin/instituciones").text
    assert "Colegio San Luis</a>" in listed and "Liceo Bolívar</a>" in listed
    assert "Colegio" not in staff.get("/admin/instituciones?q=liceo").text
    page = staff.get("/admin/instituciones/san-luis").text
    assert "alumno-1" in page and "sin aceptar" in page
    assert "otro-9" not in page and "Bolívar" not in page and SECRET_NAME not in page
    assert "Nada coincide" in staff.get("/admin/instituciones/san-luis?estado=accepted").text
    assert staff.get("/admin/instituciones/ninguna").status_code == 404


def test_a_role_there_is_given_and_taken_and_noted(world: World, admin: PageUser) -> None:
    school = new_school(world, "san-luis", "Colegio San Luis")
    teacher = world.somebody_with(Role.OWNER)
    path = "/admin/instituciones/san-luis"
    given = admin.submit(path, cuenta=str(teacher.id), rol="medical")
    assert given.headers["location"] == f"{path}?hecho=given"
    with world.parts.database.reading() as tx:
        assert [(place.id, role) for place, role in institutions_with_role(tx, teacher.id)] == [
            (school.id, InstitutionRole.MEDICAL)
        ]
    assert teacher.correo in admin.get(path).text
    asked = admin.get(f"{path}/quitar/{teacher.id}")
    assert asked.status_code == 200 and "Colegio San Luis" in asked.text
    assert admin.submit(f"{path}/quitar/{teacher.id}").headers["location"] == f"{path}?hecho=taken"
    with world.parts.database.reading() as tx:
        assert institutions_with_role(tx, teacher.id) == []
        noted = admin_changes(tx, before_id=MAX_ID, limit=9, kind="institution_role")
    assert [(change.action, change.target) for change in noted] == [
        ("withdrawn", f"san-luis/account:{teacher.id}"),
        ("granted", f"san-luis/account:{teacher.id}"),
    ]


@pytest.mark.parametrize(("account", "role"), [("", "staff"), ("999999", "staff"), ("x", "staff"), ("1", "emperador")])
def test_a_role_for_nobody_is_told_and_kept(world: World, admin: PageUser, account: str, role: str) -> None:
    new_school(world, "san-luis", "Colegio San Luis")
    answer = admin.submit("/admin/instituciones/san-luis", cuenta=account, rol=role)
    assert answer.status_code == 422 and answer.text.count("No hay una cuenta con ese número") == 2


def test_one_is_made_renamed_and_closed(world: World, admin: PageUser) -> None:
    made = admin.submit("/admin/instituciones/nueva", slug="san-luis", name="<b>Colegio</b>")
    assert made.headers["location"] == "/admin/instituciones/san-luis?hecho=saved"
    assert "&lt;b&gt;Colegio&lt;/b&gt;" in admin.get("/admin/instituciones").text
    again = admin.submit("/admin/instituciones/nueva", slug="san-luis", name="Otra")
    assert again.status_code == 422 and "Ya hay una institución" in again.text and 'value="Otra"' in again.text
    assert admin.submit("/admin/instituciones/nueva", slug="NO VALE", name="").status_code == 422
    changed = admin.submit("/admin/instituciones/san-luis/cambiar", name="Colegio Nuevo")
    assert changed.headers["location"] == "/admin/instituciones/san-luis?hecho=saved"
    with world.parts.database.reading() as tx:
        newest = admin_changes(tx, before_id=MAX_ID, limit=1, kind="institution")[0]
    assert newest.before == {"slug": "san-luis", "name": "<b>Colegio</b>", "is_active": True}
    assert newest.after == {"slug": "san-luis", "name": "Colegio Nuevo", "is_active": False}


def test_a_doubt_of_a_roster_is_decided_once_and_by_its_own_institution(world: World, admin: PageUser) -> None:
    school, other = new_school(world, "san-luis", "Colegio San Luis"), new_school(world, "bolivar", "Liceo Bolívar")
    enrol(world, school, "alumno-1")
    parts, now = world.parts, world.clock.now()
    with parts.database.writing() as tx:
        [member] = members_of(tx, school.id, limit=1)
        row = NewDoubt(PersonToEnrol("alumno-2", nombre=SECRET_NAME), member.id, 5, DoubtReason.SAME_DOCUMENT)
        store_doubts(tx, EnrolContext(school, world.parts.keyring, world.parts.secrets, now), [row])
    listed = admin.get("/admin/instituciones/san-luis/dudas").text
    assert "alumno-2" in listed and "alumno-1" in listed and SECRET_NAME not in listed
    assert "Ninguna fila deja dudas" in admin.get("/admin/instituciones/bolivar/dudas").text
    path = "/admin/instituciones/san-luis/dudas/1"
    assert admin.get(path.replace("san-luis", other.slug)).status_code == 404
    assert admin.submit(path, to=path.replace("san-luis", other.slug), es="otra").status_code == 404
    assert admin.submit(path, es="quizas").status_code == 400
    assert admin.submit(path, es="otra").headers["location"].endswith("/dudas?hecho=decided")
    assert "alumno-2" in admin.get("/admin/instituciones/san-luis").text
    assert admin.get(path).status_code == 404
    with parts.database.reading() as tx:
        [noted] = admin_changes(tx, before_id=MAX_ID, limit=9, kind="roster_doubt")
    assert (noted.action, noted.after) == ("decided", {"state": "other"})


def test_a_token_is_shown_once_and_revoked(world: World, admin: PageUser) -> None:
    school = new_school(world, "san-luis", "Colegio San Luis")
    new_school(world, "bolivar", "Liceo Bolívar")
    path = "/admin/instituciones/san-luis/tokens"
    issued = admin.submit(path, days="30")
    assert issued.status_code == 200
    with world.parts.database.reading() as tx:
        token = tx.orm.scalars(select(Token).where(Token.account_id == school.account_id)).one()
    shown = issued.text.partition(f"{token.id}|")[2].partition("<")[0]
    headers = {"Authorization": f"Bearer {token.id}|{shown}"}
    assert world.client.get("/v2/auth/me", headers=headers).json()["data"]["id"] == school.account_id
    assert shown not in admin.get(path).text
    assert admin.get(f"/admin/instituciones/bolivar/tokens/{token.id}").status_code == 404
    assert admin.submit(path, to=f"/admin/instituciones/bolivar/tokens/{token.id}").status_code == 404
    assert admin.submit(f"{path}/{token.id}").headers["location"] == f"{path}?hecho=revoked"
    assert world.client.get("/v2/auth/me", headers=headers).status_code == 401
    assert admin.submit(path, days="4000").status_code == 422
