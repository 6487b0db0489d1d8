"""The page behind an invitation: who has no account makes one there, the second factor is asked for, access may last
until it is ended, and a handed-over record counts."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ficha.channels.mail import KeptMail
from ficha.fmd.jobs import REMIND_ALL
from ficha.products.product import Product, ProductState
from tests.web.portal.account.test_second_factor import set_up
from tests.web.portal.page_session import PageUser, again, logged_in
from tests.world import CLAVE, Person, World, build_world, new_correo, settings_for


def invited(world: World, owner: Person, guest: Person, tipo: str) -> str:
    """The path of the page."""
    [code] = owner.data["attributes"]["product_codes"]
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    offer = owner.post(f"/v2/fmd/{code}/grants", {"correo": guest.correo, "tipo": tipo, "hasta": hasta})
    assert offer.status_code == 201
    world.run_jobs()
    assert ("pasará a ser suya" if tipo == "owner" else "hasta el 18/11/2026") in world.mails()[0].text
    [found] = [found for mail in world.mails() if (found := re.search(r"/invitacion/\w+", mail.text))]
    return found[0]


def test_the_second_factor_is_asked_for(world: World, ana: Person) -> None:
    guest = world.register()
    path = invited(world, ana, guest, "delegate")
    app, _ = set_up(world, guest)
    world.clock.move(seconds=30)
    stranger = PageUser(world)
    assert "18/11/2026" in stranger.get(path).text
    assert 'name="codigo"' not in stranger.post(path, clave="otra clave distinta").text
    asked = stranger.post(path, clave=CLAVE)
    assert asked.status_code == 422 and 'name="codigo"' in asked.text and CLAVE not in asked.text
    assert stranger.post(path, clave=CLAVE, codigo="000000").status_code == 422
    guest.data["attributes"]["token"] = world.token_for(guest.id)
    assert len(guest.get("/v2/fmd").json()["data"]) == 1
    done = stranger.post(path, clave=CLAVE, codigo=app.at(world.clock.now()))
    [code] = ana.data["attributes"]["product_codes"]
    assert done.status_code == 200 and f'href="/app/{code}">Abrir la ficha</a>' in done.text
    assert len(guest.get("/v2/fmd").json()["data"]) == 2


def offered(world: World, owner: Person, correo: str, **changes: Any) -> str:
    """The path of the page of somebody who may have no account."""
    [code] = owner.data["attributes"]["product_codes"]
    body = {"correo": correo, "tipo": "delegate", "hasta": None} | changes
    assert owner.post(f"/v2/fmd/{code}/grants", body).status_code == 201
    world.run_jobs()
    links = [re.search(r"/invitacion/\w+", mail.text) for mail in world.mails() if mail.to == correo]
    assert links and links[0] is not None
    return links[0][0]


def test_who_has_no_account_makes_one_on_the_page_and_is_let_in(world: World, ana: Person) -> None:
    [code] = ana.data["attributes"]["product_codes"]
    assert ana.put(f"/v2/fmd/{code}/personal", {"nombres": "Ana", "apellidos": "Rojas"}).status_code == 200
    correo = new_correo()
    path = offered(world, ana, correo)
    assert "la crea ahí mismo" in world.mails()[0].text and "hasta" not in world.mails()[0].text.partition("Para")[0]
    guest, wanted = PageUser(world), {"nombre": "Luisa Molina", "clave_nueva": CLAVE}
    shown = guest.get(path).text
    assert correo in shown and 'name="clave"' not in shown and "El acceso dura hasta que lo retiren." in shown
    assert PageUser(world).post(path, **wanted).status_code == 419, "it opens a session, so the form must be ours"
    for wrong, field in (({"nombre": ""}, "nombre"), ({"clave_nueva": "corta"}, "clave_nueva")):
        refused = guest.submit(path, **wanted | wrong)
        assert refused.status_code == 422 and f'<a href="#{field}">' in refused.text and "corta" not in refused.text
    kept = guest.submit(f"{path}?l=en", **wanted, do="idioma")
    assert kept.status_code == 200 and "Create the account" in kept.text
    assert "Luisa Molina" in kept.text and CLAVE not in kept.text, "another language keeps what was typed"
    done = guest.submit(path, **wanted)
    assert done.status_code == 200 and "Ya tiene acceso" in done.text and f'href="/app/{code}"' in done.text
    assert "Ana Rojas" in guest.get(f"/app/{code}").text, "she is logged in"
    assert guest.get(path).status_code == 410
    # The link proved the mailbox; and what every account has is offered, and has no card before something is in it.
    assert guest.get("/app/mi-cuenta/verificar").text.count("Sin verificar") == 1, (
        "the telephone, which she did not give"
    )
    family = guest.get("/app").text
    assert family.count('class="card"') == 1 and "Ana Rojas" in family
    own = re.search(r'href="(/app/\w{6}/inicio)"><b>Empezar mi propia ficha', family)
    assert own is not None
    first = guest.get(own[1])
    assert 'value="Luisa"' in first.text
    assert guest.submit(own[1], nombres="Luisa", apellidos="Molina").status_code == 303
    family = guest.get("/app").text
    assert family.count('class="card"') == 2 and "Luisa Molina" in family and "Empezar mi propia" not in family


@pytest.mark.parametrize("language", ["es", "en", "pt"])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_form_of_a_new_account_is_in_three_languages(world: World, ana: Person, language: str) -> None:
    said = {"es": "Crear la cuenta y aceptar", "en": "Create the account and accept", "pt": "Criar a conta e aceitar"}
    assert said[language] in PageUser(world).get(f"{offered(world, ana, new_correo())}?l={language}").text


def test_access_until_it_is_ended_is_told_each_year(world: World, ana: Person) -> None:
    guest = world.register(nombre="Luisa Molina")
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    people = f"/app/{code}/personas"
    given = {"do": "invite", "correo": guest.correo, "tipo": "edita"}
    assert user.submit(people, **given).status_code == 422, "a day, or until she ends it"
    assert user.submit(people, **given, sin_fin="si").headers["location"] == f"{people}?hecho=invitado"
    assert world.accept_invitation(guest).status_code == 200
    assert "Hasta que usted lo retire" in user.get(people).text
    [grant] = ana.get(f"/v2/fmd/{code}/grants").json()["data"]
    assert grant["attributes"]["hasta"] is None
    listed = guest.get("/v2/fmd").json()["data"]
    assert [one["attributes"]["hasta"] for one in listed if one["attributes"]["via"] == "delegate"] == [None]

    def reminded() -> list[KeptMail]:
        world.do(REMIND_ALL)
        world.run_jobs()
        return [mail for mail in world.mails() if "Quién puede abrir" in mail.subject]

    world.clock.move(days=364)
    assert reminded() == []
    world.clock.move(days=2)
    [mail] = reminded()
    assert mail.to == ana.correo and "Luisa" in mail.text and f"/app/{code}/personas" in mail.text
    assert len(reminded()) == 1, "once a year"
    world.clock.move(days=366)
    assert len(reminded()) == 2
    assert again(world, ana).delete(f"/v2/fmd/{code}/grants/{grant['id']}").status_code == 200
    world.clock.move(days=366)
    assert len(reminded()) == 2


def test_a_record_that_is_handed_over_counts_against_the_limit(tmp_path: Path, database_url: str) -> None:
    world = build_world(settings_for(database_url, tmp_path, account_records=2))
    try:
        ana, guest = world.register(), world.register()
        assert guest.post("/v2/fmd", {"relacion": "hija"}).status_code == 201
        path = invited(world, ana, guest, "owner")
        token = path.rpartition("/")[2]
        refused = guest.post("/v2/fmd/grants/accept", {"token": token})
        assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "demasiadas_fichas"
        page = PageUser(world).post(path, clave=CLAVE)
        assert page.status_code == 409 and "llegó al máximo de fichas" in page.text
        extra = next(one for one in guest.get("/v2/fmd").json()["data"] if one["attributes"]["relacion"] == "hija")
        [code] = extra["attributes"]["product_codes"]
        assert guest.delete(f"/v2/fmd/{code}", {"clave": CLAVE}).status_code == 200
        assert "Falta que lo confirmen" in PageUser(world).post(path, clave=CLAVE).text
        # Meanwhile there is no room again: the owner is told why she cannot hand it over yet.
        assert guest.post("/v2/fmd", {"relacion": "hijo"}).status_code == 201
        [mine] = ana.data["attributes"]["product_codes"]
        full = world.confirm_hand_over(ana, mine)
        assert full.status_code == 409 and full.json()["errors"][0]["code"] == "sin_lugar_para_la_ficha"
        owner, people = logged_in(world, ana), f"/app/{mine}/personas"
        [waiting] = ana.get(f"/v2/fmd/{mine}/grants").json()["data"]
        assert owner.submit(people, do=f"confirm:{waiting['id']}").headers["location"] == f"{people}?hecho=lleno"
        assert "llegó al máximo de fichas" in owner.get(f"{people}?hecho=lleno").text
        extra = next(one for one in guest.get("/v2/fmd").json()["data"] if one["attributes"]["relacion"] == "hijo")
        assert guest.delete(f"/v2/fmd/{extra['attributes']['product_codes'][0]}", {"clave": CLAVE}).status_code == 200
        assert world.confirm_hand_over(ana, mine).status_code == 200
        assert len(guest.get("/v2/fmd").json()["data"]) == 2
    finally:
        world.close()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_record_whose_last_code_ended_gets_a_new_one(world: World, ana: Person) -> None:
    """Until 2.1.0 operations left one without."""
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    assert "Darle un código nuevo" not in user.get("/app").text
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Product, code).state = ProductState.LOST
    shown = user.get("/app").text
    assert f"/app/{code}" not in shown
    number = re.search(r'name="record" value="(\d+)"', shown)
    assert number is not None
    strange = logged_in(world, world.register())
    for wrong in (number.group(1), "0", "x", "9" * 30):
        assert strange.submit("/logout", to="/app", record=wrong).status_code == 404
    given = user.submit("/app", record=number.group(1)).headers["location"]
    assert user.get(given).status_code == 200
    assert user.submit("/logout", to="/app", record=number.group(1)).headers["location"] == given
    assert given.removesuffix("/etiquetas") in user.get("/app").text
