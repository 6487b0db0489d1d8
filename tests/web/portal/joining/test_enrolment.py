"""The page behind an institution's invitation: the record becomes the reader's, and she decides what is seen."""

import re
from pathlib import Path

import pytest
from sqlalchemy import select

from ficha.institutions.consents import Consent
from ficha.institutions.invitations import new_token
from ficha.institutions.members import Member
from tests.api.administration.institutions import PERSONAL, Site, mailed_token, new_institution
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, World, build_world, settings_for


@pytest.fixture
def school(world: World) -> Site:
    return new_institution(world, "colegio-san-luis")


GO_ON = ">Ir a sus fichas</a>"


def decisions(world: World) -> list[tuple[bool, bool]]:
    with world.parts.database.reading() as tx:
        return [(each.sees, each.edits) for each in tx.orm.scalars(select(Consent).order_by(Consent.id))]


def record_of_school(owner: Person) -> tuple[str, str]:
    """What she is to the person of the record that a school prepared, and its code."""
    known = [one["attributes"] for one in owner.get("/v2/fmd").json()["data"]]
    [hers] = [one for one in known if one["bp_codes"]]
    return hers["relacion"], hers["bp_codes"][0]


def test_she_accepts_with_her_clave_and_the_link_is_spent(world: World, school: Site, ana: Person) -> None:
    school.enrol(personal=PERSONAL | {"nombres": "<script>alert(1)</script>"})
    path = f"/institucion/{mailed_token(world)}"
    page = world.client.get(path)
    assert page.status_code == 200 and "Colegio San Luis" in page.text and "<script>alert" not in page.text
    assert page.headers["referrer-policy"] == "no-referrer"
    wrong = world.client.post(path, data={"correo": ana.correo, "clave": "no es la clave", "ve": "si"})
    assert wrong.status_code == 422 and decisions(world) == []
    done = world.client.post(path, data={"correo": ana.correo, "clave": CLAVE})
    assert done.status_code == 200 and "no ve nada" in done.text and GO_ON in done.text
    assert decisions(world) == [(False, False)]
    assert len(ana.get("/v2/auth/me").json()["data"]["attributes"]["bp_codes"]) == 1
    for answer in (world.client.get(path), world.client.post(path, data={"correo": ana.correo, "clave": CLAVE})):
        assert answer.status_code == 410


def test_what_she_ticks_is_what_the_institution_may(world: World, school: Site, ana: Person) -> None:
    school.enrol()
    path = f"/institucion/{mailed_token(world)}"
    said = {"correo": ana.correo, "clave": CLAVE, "ve": "si", "edita": "si"}
    kept = world.client.post(f"{path}?l=pt", data=said | {"do": "idioma"})
    assert kept.status_code == 200 and '<html lang="pt">' in kept.text and decisions(world) == []
    assert ana.correo in kept.text and kept.text.count(" checked") == 2 and CLAVE not in kept.text
    world.client.post(path, data=said)
    assert decisions(world) == [(True, True)]
    dead = [world.client.get(f"/{where}/x") for where in ("institucion", "invitacion", "etiqueta")]
    assert all(page.status_code == 410 and GO_ON in page.text for page in dead)


def test_a_mother_without_an_account_makes_one_there(world: World, school: Site) -> None:
    """The normal case: the school has her mailbox, and she never heard of us."""
    school.enrol()
    path = f"/institucion/{mailed_token(world)}"
    mother = PageUser(world)
    page = mother.get(path).text
    assert "cree aquí mismo su cuenta, con el correo maria@ejemplo.com" in page and 'name="correo"' not in page
    assert "No tengo cuenta: crearla aquí" in mother.get(f"{path}?cuenta=mia").text
    short = mother.submit(path, cuenta="nueva", nombre="María Rojas", clave_nueva="corta", ve="si")
    assert short.status_code == 422 and "María Rojas" in short.text and decisions(world) == []
    done = mother.submit(path, cuenta="nueva", nombre="María Rojas", clave_nueva=CLAVE, ve="si")
    assert done.status_code == 200 and "puede ver lo que usted permitió" in done.text
    assert decisions(world) == [(True, False)]
    [record] = re.findall(r'href="(/app/\w+)">Abrir la ficha</a>', done.text)
    assert mother.get(record).status_code == 200, "she is logged in"
    assert mother.get(path).status_code == 410


def test_a_mother_is_not_taken_for_her_daughter(world: World, school: Site, ana: Person) -> None:
    """Where the school wrote nobody who answers for the girl, the reader says what she is to her: what she confirms is
    not confirmed by the girl."""
    born = {"correo": "maria@ejemplo.com", "fecha_nacimiento": "2015-04-02"}
    school.enrol(representante=None, personal=PERSONAL | born)
    path, said = f"/institucion/{mailed_token(world)}", {"correo": ana.correo, "clave": CLAVE, "cuenta": "mia"}
    assert "¿De quién es la ficha?" in world.client.get(path).text
    for relacion in ("", "x" * 61):
        refused = world.client.post(path, data=said | {"relacion": relacion})
        assert refused.status_code == 422 and "Elija de quién es" in refused.text and decisions(world) == []
    assert world.client.post(path, data=said | {"relacion": "madre"}).status_code == 200
    relacion, code = record_of_school(ana)
    assert relacion == "madre"
    mother = logged_in(world, ana)
    assert "Su hija o hijo" in mother.get("/app").text
    assert 'value="02/04/2015"' in mother.get(f"/app/{code}/inicio").text, "the school knew the day"
    # Who accepted before anybody asked says it later.
    people = f"/app/{code}/personas"
    assert '<option value="madre" selected>' in mother.get(people).text
    mother.submit(people, do="whose", relacion="titular")
    assert record_of_school(ana) == ("titular", code)
    mother.submit(people, do="whose", relacion="")
    assert '<option value="titular" selected>' in mother.get(people).text


def test_by_the_api_she_says_it_too(world: World, school: Site, ana: Person) -> None:
    school.enrol(representante=None, personal=PERSONAL | {"correo": "maria@ejemplo.com"})
    accepted = {"token": mailed_token(world), "ve": False, "relacion": "hija"}
    assert ana.post("/v2/institutions/accept", accepted | {"relacion": " "}).status_code == 422
    assert ana.post("/v2/institutions/accept", accepted).status_code == 200
    assert record_of_school(ana)[0] == "hija"


def test_who_was_reached_by_her_number_says_which_mailbox_is_hers(world: World, school: Site) -> None:
    guardian = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    school.enrol(representante=guardian)
    with world.parts.database.writing() as tx:
        path = f"/institucion/{new_token(tx.orm.scalars(select(Member)).one(), world.clock.now())}"
    mother = PageUser(world)
    page = mother.get(path).text
    assert 'name="clave_nueva"' in page and 'name="correo"' in page and f"{path}?cuenta=mia" in page
    said = {"cuenta": "nueva", "nombre": "María Rojas", "clave_nueva": CLAVE}
    assert "Escriba un correo completo" in mother.submit(path, **said).text
    assert mother.submit(path, **said, correo="otra@ejemplo.com").status_code == 200
    assert decisions(world) == [(False, False)]


def test_to_let_it_change_what_it_may_not_see_is_asked_about(world: World, school: Site, ana: Person) -> None:
    school.enrol()
    path = f"/institucion/{mailed_token(world)}"
    said = {"correo": ana.correo, "clave": CLAVE, "edita": "si"}
    asked = world.client.post(path, data=said)
    assert asked.status_code == 422 and "permita también que lo vea" in asked.text and decisions(world) == []
    assert world.client.post(path, data=said | {"ve": "si"}).status_code == 200
    assert decisions(world) == [(True, True)]


def test_whose_mailbox_has_an_account_is_asked_for_its_clave(world: World, school: Site) -> None:
    maria = world.register(correo="maria@ejemplo.com")
    school.enrol()
    path = f"/institucion/{mailed_token(world)}"
    page = world.client.get(path).text
    assert 'name="clave"' in page and 'name="clave_nueva"' not in page and 'value="maria@ejemplo.com"' in page
    assert "No tengo cuenta" not in page
    assert world.client.post(path, data={"correo": maria.correo, "clave": CLAVE}).status_code == 200


def test_it_counts_against_the_limit_of_the_account(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path, account_records=1))
    ana = world.register()
    new_institution(world, "colegio-san-luis").enrol()
    token = mailed_token(world)
    full = world.client.post(f"/institucion/{token}", data={"correo": ana.correo, "clave": CLAVE})
    assert full.status_code == 409 and "máximo de fichas" in full.text and decisions(world) == []
    asked = {"token": token, "ve": True, "edita": False}
    refused = ana.post("/v2/institutions/accept", asked)
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "demasiadas_fichas"
    # Joined to the record that she has, it is none more.
    code = ana.data["attributes"]["product_codes"][0]
    assert ana.post("/v2/institutions/accept", asked | {"code": code}).status_code == 200
    world.close()
