"""The page behind an invitation: the second factor is asked for, and a handed-over record counts."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.web.portal.account.test_second_factor import set_up
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, World, build_world, settings_for


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
    assert stranger.post(path, clave=CLAVE, codigo=app.at(world.clock.now())).status_code == 200
    assert len(guest.get("/v2/fmd").json()["data"]) == 2


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
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    assert "Darle un código nuevo" not in user.get("/app").text
    assert ana.post(f"/v2/products/{code}/lost").status_code == 200
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
