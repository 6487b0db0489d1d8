"""The pages of an institution: where one lands, rosters with their template, invitations and stickers."""

import csv
import io
import re
from html import unescape

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.fmd.entries import Entry
from ficha.institutions import people_list
from ficha.institutions.members import Member
from ficha.institutions.person_to_enrol import InvitedContact, open_contact
from ficha.institutions.roster_columns import COLUMNS, column_named
from ficha.institutions.roster_template import xlsx_template
from ficha.institutions.roster_words import WORDS
from tests.api.administration.institutions import mailed_token
from tests.web.institution.schools import NAME, SECRET, Schools, two_schools
from tests.web.portal.page_session import TOKEN, PageUser, logged_in
from tests.world import World

HOME = "/centros/colegio-san-luis"


@pytest.fixture
def found(world: World) -> Schools:
    return two_schools(world, "undecided")


def upload(user: PageUser, content: bytes, name: str = "n.csv") -> str:
    token = TOKEN.search(user.get(f"{HOME}/nominas").text)
    assert token is not None
    sent = user.client.post(
        f"{HOME}/nominas",
        data={"_token": token.group(1)},
        files={"nomina": (name, content, "application/octet-stream")},
        follow_redirects=False,
    )
    assert sent.status_code == 303, sent.text
    return str(sent.headers["location"])


def test_who_works_there_lands_there_and_finds_her_family_beside_it(world: World, found: Schools) -> None:
    nurse = PageUser(world)
    assert nurse.log_in(found.people["nurse"]).headers["location"] == "/centros"
    assert nurse.get("/centros").headers["location"] == HOME
    assert 'href="/app"' in nurse.get(HOME).text
    assert f'href="{HOME}"' in nurse.get("/app").text
    mother = PageUser(world)
    assert mother.log_in(found.mother).headers["location"] == "/app"
    assert mother.get("/centros").headers["location"] == "/app" and "/centros" not in mother.get("/app").text
    page = nurse.get(HOME).text
    assert NAME in page and "3.er año B" in page and "Nadie ha aceptado la invitación todavía" in page
    assert "Nobody has accepted" in nurse.get(f"{HOME}?l=en").text
    assert NAME not in nurse.get(f"{HOME}?q=pedro").text and NAME in nurse.get(f"{HOME}?q=PEREZ 3.er").text
    assert NAME not in nurse.get(f"{HOME}?estado=sees").text


def test_the_template_is_read_back_and_its_example_enrols_nobody(world: World, found: Schools) -> None:
    secretary = found.users["secretary"]
    assert list(WORDS) == list(COLUMNS)
    for column, words in WORDS.items():
        assert column_named(column) == column
        assert column_named(words.title.es) == column, words.title.es
    answer = secretary.get(f"{HOME}/nominas/plantilla.csv")
    titles, example = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert titles == list(COLUMNS)
    workbook = secretary.get(f"{HOME}/nominas/plantilla.xlsx?l=pt")
    assert "plantilla.xlsx" in workbook.headers["content-disposition"] and xlsx_template("pt")
    assert secretary.get(f"{HOME}/nominas/plantilla.exe").status_code == 404
    for content, name in ((answer.content, "n.csv"), (workbook.content, "n.xlsx")):
        page = upload(secretary, content, name)
        world.run_jobs()
        told = secretary.get(page).text
        assert "Fila 2: Ana Lucía Pérez Rojas" in told and "Es la fila de ejemplo" in told
        assert "It is the example row" in secretary.get(f"{page}?l=en").text
        assert "ninguna fila se puede importar" in told and ">Importar<" not in told
        assert secretary.submit(page).status_code == 409
    real = [*example]
    real[0], real[titles.index("representante_correo")] = "A-77", "otra@ejemplo.com"
    page = upload(secretary, f"{','.join(titles)}\n{','.join(real)}\n".encode())
    world.run_jobs()
    tried = secretary.get(page).text
    assert "<dt>nuevas</dt><dd>1</dd>" in tried and ">Importar<" in tried
    assert secretary.submit(page).status_code == 303
    world.run_jobs()
    assert "Ana Lucía Pérez Rojas" in secretary.get(HOME).text


def test_phones_as_an_office_writes_them_are_read(world: World, found: Schools) -> None:
    """Without a column for the prefix: the service is in Venezuela. One of another country needs its prefix."""
    secretary = found.users["secretary"]
    phones = ("0412-555-1000", "(0412) 555.10.01", "4125551002", "584125551003", "+57 301 123 4567", "301 123 4567")
    rows = [f"P-{number},Ana {number},Pérez,María,{phone}" for number, phone in enumerate(phones)]
    page = upload(
        secretary, "\n".join(["Código,Nombres,Apellidos,Representante,Teléfono del representante", *rows]).encode()
    )
    world.run_jobs()
    told = unescape(secretary.get(page).text)
    assert "Fila 7" in told and "El prefijo y el teléfono van juntos" in told and "de otro país" in told
    assert not any(f"Fila {number}" in told for number in range(2, 7))


def test_a_doubt_tells_both_names_and_is_decided_there(world: World, found: Schools) -> None:
    secretary = found.users["secretary"]
    row = b"external_id,nombres,apellidos,documento_numero\nX-1,Ana,Perez,V-31.555.777\n"
    page = upload(secretary, row)
    world.run_jobs()
    tried = secretary.get(page).text
    assert "<dt>con duda</dt><dd>1</dd>" in tried and "se deciden después" in tried
    assert "Decidir las dudas" not in tried, "there are none to decide yet"
    assert secretary.submit(page).status_code == 303
    world.run_jobs()
    assert "Decidir las dudas" in secretary.get(page).text
    listed = secretary.get(f"{HOME}/dudas").text
    [doubt] = re.findall(r'href="/centros/colegio-san-luis/(dudas/\d+)"', listed)
    assert "Ana Perez" in listed
    asked = secretary.get(f"{HOME}/{doubt}").text
    assert "Ana Perez" in asked and NAME in asked
    for told in (listed, asked):
        assert f'<a href="{page}">1</a>' in told, "a row of which roster"
    assert found.users["nurse there"].get(f"/centros/otro-colegio/{doubt}").status_code == 404
    assert secretary.submit(f"{HOME}/{doubt}", es="misma").headers["location"].endswith("hecho=decided")
    assert "Ninguna fila deja dudas" in secretary.get(f"{HOME}/dudas").text


def test_an_invitation_is_sent_again_within_limits_and_ended(world: World, found: Schools) -> None:
    page, secretary = f"{HOME}/invitaciones", found.users["secretary"]
    first = mailed_token(world)
    with world.parts.database.reading() as tx:
        [member] = tx.orm.scalars(select(Member.id))
    listed = secretary.get(page).text
    assert NAME in listed and "maria@ejemplo.com" in listed and "enviada, sin respuesta" in listed
    soon = secretary.submit(page, reenviar=str(member))
    assert soon.status_code == 422 and "hace menos de un día" in soon.text
    theirs = found.users["nurse there"]
    for do in ("reenviar", "terminar"):
        answer = theirs.submit("/logout", to="/centros/otro-colegio/invitaciones", **{do: str(member)})
        assert answer.status_code == 404
    for sent in range(2, 6):
        world.clock.move(days=1, minutes=1)
        secretary.log_in(found.people["secretary"])
        assert secretary.submit(page, reenviar=str(member)).headers["location"] == f"{page}?hecho=sent&de={member}"
        world.run_jobs()
        assert len([mail for mail in world.mails() if mail.to == "maria@ejemplo.com"]) == sent
    newest = mailed_token(world)
    assert world.client.get(f"/institucion/{first}").status_code == 410, "a new link ends the one before"
    assert world.client.get(f"/institucion/{newest}").status_code == 200
    world.clock.move(days=2)
    secretary.log_in(found.people["secretary"])
    often = secretary.submit(page, reenviar=str(member))
    assert often.status_code == 422 and "cinco veces" in often.text
    assert secretary.submit(page, terminar=str(member)).headers["location"] == f"{page}?hecho=ended&de={member}"
    assert world.client.get(f"/institucion/{newest}").status_code == 410
    assert "terminada" in secretary.get(page).text
    for form in ({}, {"reenviar": "x"}, {"terminar": "99999999999999999999"}):
        assert secretary.submit(page, **form).status_code == 400
    assert secretary.submit(page, terminar="999").status_code == 404
    with world.parts.database.reading() as tx:
        noted = [one.action for one in admin_changes(tx, before_id=MAX_ID, limit=9, kind="institution_invitation")]
    assert noted == ["ended", *["sent_again"] * 4]


def test_whoever_searched_among_invitations_stays_there(world: World, found: Schools) -> None:
    assert found.here.enrol(external_id="C-1", personal={"nombres": "Carla", "apellidos": "Araujo"}).is_success
    world.run_jobs()
    searched, secretary = f"{HOME}/invitaciones?q=Araujo", found.users["secretary"]
    listed = secretary.get(searched).text
    [(action, number)] = re.findall(r'<form method="post" action="([^"]+)">.*name="terminar" value="(\d+)"', listed)
    soon = secretary.submit(searched, to=unescape(action), reenviar=number)
    assert soon.status_code == 422 and "Carla" in soon.text and NAME not in soon.text
    ended = secretary.submit(searched, to=unescape(action), terminar=number)
    assert ended.headers["location"] == f"{searched}&hecho=ended&de={number}"
    page = secretary.get(ended.headers["location"]).text
    assert "La invitación de Carla Araujo terminó" in page and NAME not in page
    elsewhere = secretary.get(f"{HOME}/invitaciones?hecho=sent&de=999&l=en").text
    assert "The invitation for somebody who is not in this list any more is on its way" in elsewhere


def test_one_that_was_ended_while_it_waited_is_not_sent(world: World, found: Schools) -> None:
    page, secretary = f"{HOME}/invitaciones", found.users["secretary"]
    with world.parts.database.reading() as tx:
        [member] = tx.orm.scalars(select(Member.id))
    before = len(world.mails())
    assert secretary.submit(page, reenviar=str(member)).status_code == 303
    assert secretary.submit(page, terminar=str(member)).status_code == 303
    world.run_jobs()
    assert [mail for mail in world.mails() if mail.to == "maria@ejemplo.com"] == [] and len(world.mails()) >= before


def test_what_nobody_wrote_or_is_hidden_is_not_left_out_without_a_word(world: World) -> None:
    """Silence about allergies would read as none."""
    found = two_schools(world, "sees")
    person, nurse = f"{HOME}/personas/{found.code}", found.users["nurse"]
    page = nurse.get(person).text
    for title in ("Medicinas", "Condiciones"):
        assert "Sin registrar" in page.partition(f"<h2>{title}</h2>")[2].partition("<h2>")[0], title
    assert page.count("<h2>Alergias</h2>") == 0, "the section with the facts says it"
    hidden = {"visibilidad": {"alergiasa": "P"}}
    assert found.mother.put(f"/v2/fmd/{found.code}/consentimiento", hidden).is_success
    page = nurse.get(person).text
    assert SECRET not in page
    assert "reserv" in page.partition("<h2>Alergias</h2>")[2].partition("<h2>")[0]
    with world.parts.database.writing() as tx:
        entry = tx.orm.scalars(select(Entry).where(Entry.model == "consentimiento")).one()
        entry.sealed = entry.sealed[:-1] + bytes([entry.sealed[-1] ^ 1])
    page = nurse.get(person).text
    assert SECRET not in page, "what is hidden is not known any more"
    people = f"/v2/institutions/{found.here.facts.slug}/people/{found.code}"
    assert SECRET not in found.people["nurse"].get(people).text
    assert "No se pudo leer qué permite mostrar la persona" in page and "No se ve nada" not in page


def test_who_left_is_ended_and_the_family_keeps_the_record_and_is_told(world: World) -> None:
    found = two_schools(world, "sees")
    person, secretary, nurse = f"{HOME}/personas/{found.code}", found.users["secretary"], found.users["nurse"]
    assert "sigue siendo de la familia" in secretary.get(person).text
    assert secretary.submit(person).status_code == 400
    there = found.users["nurse there"].submit("/logout", to=f"/centros/otro-colegio/personas/{found.code}", salio="si")
    assert there.status_code == 404
    left = secretary.submit(person, salio="si")
    assert (
        left.headers["location"] == f"{HOME}?hecho=left"
        and "ya no está en la lista" in secretary.get(f"{HOME}?hecho=left").text
    )
    assert nurse.get(person).status_code == 404
    for page in (HOME, f"{HOME}?q={found.code}", f"{HOME}/etiquetas"):
        assert "<tbody" not in nurse.get(page).text, "not even a row without a name"
    world.run_jobs()
    [told] = [mail for mail in world.mails() if "ya no ve la ficha" in mail.subject]
    assert told.to == found.mother.correo and "Ana" in told.subject
    assert found.mother.get(f"/v2/fmd/{found.code}/alergiasa").status_code == 200
    path = "/v2/institutions/colegio-san-luis/consent"
    assert found.mother.put(path, {"code": found.code, "ve": True, "edita": False}).status_code == 404
    log = found.users["mother"].get(f"/app/{found.code}/accesos").text
    assert "dijo que la persona ya no está allí" in log
    with world.parts.database.reading() as tx:
        [noted] = admin_changes(tx, before_id=MAX_ID, limit=9, kind="institution_member")
    assert noted.action == "ended"
    console = logged_in(world, world.somebody_with(Role.STAFF)).get("/admin/instituciones/colegio-san-luis").text
    listed = console.rpartition("<tbody")[2]
    assert "salió o se borró" in listed and "borrada" not in listed, "the record is still the family's"
    again = found.here.enrol()
    assert again.status_code == 200 and again.json()["data"]["attributes"]["estado"] == "unclaimed"


def test_who_left_before_anybody_accepted_leaves_nothing(world: World, found: Schools) -> None:
    person, secretary = f"{HOME}/personas/{found.code}", found.users["secretary"]
    link = f"/institucion/{mailed_token(world)}"
    assert "se borra con su código" in secretary.get(person).text
    assert secretary.submit(person, salio="si").status_code == 303
    world.run_jobs()
    assert world.client.get(link).status_code == 410 and NAME not in secretary.get(HOME).text
    assert not any("ya no ve la ficha" in mail.subject for mail in world.mails())
    assert found.here.enrol().json()["data"]["attributes"]["bp_code"] != found.code


def test_a_class_is_found_without_the_others(world: World, found: Schools) -> None:
    for number, (grado, seccion) in enumerate((("4.º", "A"), ("4.º", "B"), ("14.º", "A"))):
        personal = {"nombres": f"Carla{number}", "apellidos": "Araujo"}
        assert found.here.enrol(
            external_id=f"C-{number}", personal=personal, estudiante={"grado": grado, "seccion": seccion}
        ).is_success
    secretary = found.users["secretary"]
    for page in (HOME, f"{HOME}/etiquetas"):
        for typed in ("4.º A", "4 a"):
            listed = secretary.get(f"{page}?q={typed}").text
            assert [f"Carla{number}" in listed for number in range(3)] == [True, False, False], typed
    assert "Carla2" in secretary.get(f"{HOME}?q=carla 14").text


def test_stickers_of_its_people_are_printed(world: World, found: Schools) -> None:
    page, secretary = f"{HOME}/etiquetas", found.users["secretary"]
    listed = secretary.get(page).text
    assert found.code in listed and NAME in listed
    printed = secretary.submit(page, formato="wallet", papel="letter")
    assert printed.headers["content-type"] == "application/pdf" and printed.content.startswith(b"%PDF")
    assert secretary.submit(page, formato="no", papel="no").content.startswith(b"%PDF"), "the usual instead"
    nobody = secretary.submit(page, q="nadie")
    assert nobody.status_code == 422 and "Ninguno de estos códigos" in nobody.text


def test_a_number_is_found_without_opening_a_name_and_a_search_by_name_is_bounded(
    world: World, found: Schools, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, surname in enumerate(("Uno", "Dos", "Tres", "Cuatro", "Quinto")):
        personal = {"nombres": "Lía", "apellidos": f"Mora {surname}"}
        assert found.here.enrol(external_id=f"L-{number}", personal=personal).is_success
    secretary, opened = found.users["secretary"], list[int]()

    def watched(sealed: bytes, record_id: int, key: bytes) -> InvitedContact:
        opened.append(record_id)
        return open_contact(sealed, record_id, key)

    monkeypatch.setattr(people_list, "MOST_OPENED", 4)
    monkeypatch.setattr(people_list, "OPENED_AT_ONCE", 2)
    monkeypatch.setattr(people_list, "open_contact", watched)
    assert "Lía Mora Cuatro" in secretary.get(f"{HOME}?q=L-3").text and len(opened) == 1
    opened.clear()
    first = secretary.get(f"{HOME}?q=mora quinto")
    assert "Lía Mora" not in first.text and "Aún no se ha buscado en todas las personas" in first.text
    assert len(opened) == 4
    [following] = re.findall(r'rel="next" href="([^"]+)"', first.text)
    second = secretary.get(unescape(following)).text
    assert "Lía Mora Quinto" in second and "Aún no se ha buscado" not in second
    assert "Nada coincide" in secretary.get(unescape(following).replace("mora", "ninguna")).text
