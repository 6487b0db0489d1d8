"""The history of a record on pages: as it was on a day, and one section restored."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

from httpx2 import Response

from tests.web.portal.page_session import HIDDEN, PageUser, again, logged_in
from tests.world import Person, World


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def put(person: Person, model: str, document: object) -> dict[str, Any]:
    answer = person.put(f"/v2/fmd/{code_of(person)}/{model}", document)
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["data"]["attributes"]["data"])


def restore(user: PageUser, page: str, model: str) -> Response:
    """Presses the button of that section."""
    for form in re.findall(r"<form method=\"post\".*?</form>", user.get(page).text, re.S):
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(form)}
        if hidden.get("model") == model:
            return user.post(page.partition("?")[0], **hidden)
    raise AssertionError(f"{model} cannot be restored there")


def test_a_section_is_restored_as_it_was_on_a_day(world: World, ana: Person) -> None:
    code, allergy = code_of(ana), {"medicamento": {"texto": "Penicilina"}}
    first = put(ana, "alergiasm", {"alergias": [allergy]})
    [fact] = first["alergias"]
    put(ana, "consentimiento", {"visibilidad": {f"alergiasm/{fact['id']}": "P"}})
    day = world.clock.now().date().isoformat()
    world.clock.move(days=3)
    ana = again(world, ana)
    put(ana, "alergiasm", {"ausencia": "ninguna_conocida"})
    user, path = logged_in(world, ana), f"/app/{code}/historia"
    page = user.get(path).text
    assert "Usted cambió hoy a las" in page and "Usted cambió el" in page
    then = user.get(f"{path}?el={day}")
    assert "Penicilina" in then.text and "Hoy es distinto" in then.text and "Igual que hoy" in then.text
    link = re.findall(r'href="(/app/\w+/historia\?el=[^"]+)"', page)
    assert "Penicilina" in user.get(link[-1]).text and "Penicilina" not in user.get(link[0]).text
    # Somebody changes the section meanwhile: nothing is restored, and it is said.
    hidden = then.text
    put(ana, "alergiasm", {"ausencia": "no_preguntado"})
    stale = next(form for form in re.findall(r"<form method=\"post\".*?</form>", hidden, re.S) if "alergiasm" in form)
    refused = user.post(path, **{name: unescape(value) for name, value in HIDDEN.findall(stale)})
    assert "nada se restauró" in user.get(refused.headers["location"]).text
    done = restore(user, f"{path}?el={day}", "alergiasm")
    assert done.headers["location"] == f"/app/{code}/alergiasm?guardado=1"
    now = world.reader.get(f"/v2/fmd/{code}/alergiasm", headers=ana.headers).json()["data"]["attributes"]
    # A new version; the fact has its id of then, so that it is still hidden from strangers.
    assert now["version"] == 4 and now["data"] == first
    changes = ana.get(f"/v2/fmd/{code}/history", params={"model": "alergiasm"}).json()["data"]
    assert [change["attributes"]["models"]["alergiasm"]["version"] for change in changes] == [4, 3, 2, 1]
    assert "Igual que hoy" in user.get(f"{path}?el={day}&l=es").text


def test_history_is_for_the_owner_and_of_her_record_alone(world: World, ana: Person) -> None:
    code = code_of(ana)
    put(ana, "salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    luis = world.register()
    stranger = logged_in(world, luis)
    assert stranger.get(f"/app/{code}/historia").status_code == 404
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta, "edita": True})
    world.accept_invitation(luis)
    assert stranger.get(f"/app/{code}/historia").status_code == 403
    assert stranger.submit(f"/app/{code}/salud", to=f"/app/{code}/historia", model="salud").status_code == 403
    user = logged_in(world, ana)
    assert user.get(f"/app/{code}/historia?el=ayer").status_code == 422
    assert user.get(f"/app/{code}/historia?el=2999-01-01").status_code == 422
    assert "vacía" in user.get(f"/app/{code}/historia?el=2001-01-01").text
    bad = {"model": "salud", "version": "7", "current": "1"}
    assert user.submit(f"/app/{code}/salud", to=f"/app/{code}/historia", **bad).status_code == 404
    assert user.post(f"/app/{code}/historia", **bad).status_code == 419
