"""The list of people: found by name, correo, number and role, and nothing of a record in it."""

from sqlalchemy import update

from ficha.accounts.accounts import Account, Role
from tests.statement_counter import count_statements
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World


def named(world: World, nombre: str, *roles: Role) -> int:
    person = world.somebody_with(*(roles or (Role.OWNER,)))
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Account).where(Account.id == person.id).values(nombre=nombre))
    return person.id


def staff_of(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.STAFF))


def test_people_are_found_by_name_correo_number_and_role(world: World) -> None:
    staff = staff_of(world)
    lucia, pedro = named(world, "Lucía Rojas"), named(world, "Pedro 100%_Gil", Role.OWNER, Role.MEDICAL)

    def found(query: str) -> set[int]:
        page = staff.get(f"/admin/personas?{query}")
        assert page.status_code == 200
        return {number for number in (lucia, pedro) if f'href="/admin/personas/{number}"' in page.text}

    assert found("") == {lucia, pedro}
    assert found("q=luc%C3%ADa") == {lucia}
    assert found("q=lucia") == found("q=LUCIA") == found("q=LUC%C3%8DA") == {lucia}, "accents or none, great or small"
    assert found("q=100%25_g") == {pedro}
    assert found("q=%25%25") == set()
    assert found(f"q={pedro}") >= {pedro}
    assert found("rol=medical") == {pedro}
    assert found("q=&rol=") == {lucia, pedro}
    assert found("rol=medical&q=Luc%C3%ADa") == set()
    account = world.account(lucia)
    assert account is not None and found(f"q={account.correo.upper()}") == {lucia}


def test_no_word_of_a_record_is_shown(world: World) -> None:
    staff = staff_of(world)
    ana = world.register(nombre="Ana Pérez")
    [code] = ana.data["attributes"]["product_codes"]
    assert ana.put(f"/v2/fmd/{code}/alergiasm", {"alergias": [{"medicamento": {"texto": "Penicilina"}}]}).is_success
    person = {"nombres": "Anita", "apellidos": "Oculta", "documento_numero": "V-1234567"}
    assert ana.put(f"/v2/fmd/{code}/personal", person).is_success
    page = staff.get("/admin/personas").text
    assert "Ana Pérez" in page
    for private in ("Penicilina", "Oculta", "1234567", code, str(ana.data["attributes"]["fmd_code"]), "4125551111"):
        assert private not in page


def test_long_lists_have_pages_that_keep_their_filters(world: World) -> None:
    staff = staff_of(world)
    with world.parts.database.writing() as tx:
        now = world.clock.now()
        usual = {"clave_hash": "x", "cod_telefono": "", "telefono": "", "idioma": "es", "roles": ["owner"]}
        for number in range(120):
            correo = f"grupo{number}@ejemplo.com"
            tx.orm.add(Account(correo=correo, correo_key=correo, nombre="Grupo & Co", created_at=now, **usual))
    link, pages = "/admin/personas?q=Grupo+%26", []
    while link:
        page = staff.get(link).text
        pages.append(page.count("Grupo &amp; Co</a>"))
        _, _, rest = page.partition('rel="next" href="')
        link = rest.partition('"')[0].replace("&amp;", "&")
    assert pages == [50, 50, 20]


def test_a_page_takes_as_many_statements_with_many_people_as_with_few(world: World) -> None:
    staff = staff_of(world)
    staff.get("/admin/personas")
    counts = []
    for more in (1, 30):
        for number in range(more):
            named(world, f"Persona {number}")
        with count_statements(world.parts.database) as counted:
            staff.get("/admin/personas")
        counts.append(counted.statements)
    assert counts[0] == counts[1] <= 3


def test_a_search_that_no_text_can_be_is_refused(world: World) -> None:
    staff = staff_of(world)
    for query in ("q=%00", "q=" + "a" * 200, "rol=emperador", "cursor=%00"):
        assert staff.get(f"/admin/personas?{query}").status_code == 422, query


def test_a_name_with_a_script_is_text(world: World) -> None:
    staff = staff_of(world)
    named(world, "<script>alert(1)</script>")
    page = staff.get("/admin/personas?q=%3Cscript%3E").text
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 1
    assert 'value="&lt;script&gt;"' in page
