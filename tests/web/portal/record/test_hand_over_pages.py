"""A record is handed over on pages: the owner confirms who accepted it, and the new owner chooses who stays."""

from datetime import timedelta

import pytest

from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World


def accepted(world: World, owner: Person, guest: Person, tipo: str) -> None:
    """By the form of the page and by the link."""
    [code] = owner.data["attributes"]["product_codes"]
    until = f"{world.clock.now() + timedelta(days=30):%Y-%m-%d}"
    user = logged_in(world, owner)
    sent = user.submit(f"/app/{code}/personas", do="invite", correo=guest.correo, hasta=until, tipo=tipo)
    assert sent.headers["location"].endswith("hecho=invitado")
    assert world.accept_invitation(guest).status_code == 200


def number_of(owner: Person, estado: str) -> int:
    [code] = owner.data["attributes"]["product_codes"]
    listed = owner.get(f"/v2/fmd/{code}/grants").json()["data"]
    [found] = [each["id"] for each in listed if each["attributes"]["estado"] == estado]
    return int(found)


def test_the_owner_sees_who_accepted_and_hands_it_over(world: World, ana: Person) -> None:
    heir, guardian = world.register(nombre="Luisa Molina"), world.register(nombre="Pedro Pérez")
    [code] = ana.data["attributes"]["product_codes"]
    path, owner = f"/app/{code}/personas", logged_in(world, ana)
    accepted(world, ana, guardian, "representa")
    accepted(world, ana, heir, "recibe")
    page = owner.get(path).text
    assert (
        "Luisa Molina aceptó recibir la ficha" in page and heir.correo in page and "Entregarla a Luisa Molina" in page
    )
    for where in ("/app", f"/app/{code}"):
        assert "Confirme a quién entrega la ficha" in owner.get(where).text
    # A guardian sees it too, and cannot confirm it, whatever he sends.
    waiting = number_of(ana, "waiting")
    stand_in = logged_in(world, guardian)
    assert "Solo la persona titular puede confirmarlo" in stand_in.get(path).text
    assert stand_in.submit(path, do=f"confirm:{waiting}").status_code == 403
    assert owner.submit(path, do="confirm:999999").headers["location"] == f"{path}?hecho=cambio"
    done = owner.submit(path, do=f"confirm:{waiting}")
    assert done.headers["location"] == "/app?hecho=entregada"
    assert "La ficha ya no es suya" in owner.get("/app?hecho=entregada").text
    assert owner.get(path).status_code == 404 and stand_in.get(path).status_code == 404


@pytest.mark.oldest_postgresql
def test_the_new_owner_is_asked_who_stays_before_she_writes(world: World, ana: Person) -> None:
    heir, guardian = world.register(nombre="Luisa Molina"), world.register(nombre="Pedro Pérez")
    [code] = ana.data["attributes"]["product_codes"]
    path, mother = f"/app/{code}/personas", str(ana.body["nombre"])
    accepted(world, ana, guardian, "representa")
    accepted(world, ana, heir, "recibe")
    assert world.confirm_hand_over(ana, code).status_code == 200
    user = logged_in(world, heir)
    for where in ("/app", f"/app/{code}"):
        assert "elija quién más puede abrirla" in user.get(where).text
    page = user.get(path).text
    assert "Que siga Pedro Pérez" in page and f"Que siga {mother}" in page and "Ninguna otra persona." in page
    held = {each["attributes"]["nombre"]: each["id"] for each in heir.get(f"/v2/fmd/{code}/grants").json()["data"]}
    kept = user.submit(path, do=f"keep:{held['Pedro Pérez']}")
    assert kept.headers["location"] == f"{path}?hecho=sigue" and _opens(world, guardian, path)
    dropped = user.submit(path, do=f"withdraw:{held[mother]}")
    assert dropped.headers["location"] == f"{path}?hecho=retirado" and not _opens(world, ana, path)
    assert user.submit(path, do=f"keep:{held[mother]}").headers["location"] == f"{path}?hecho=cambio"
    page = user.get(path).text
    assert "Quién podía abrirla antes" not in page and "Representa a la persona" in page
    assert "elija quién más puede abrirla" not in user.get("/app").text
    log = user.get(f"/app/{code}/accesos").text
    assert "Usted dejó seguir a alguien" in log and "Usted recibió la ficha" in log


def test_the_owner_refuses_who_accepted(world: World, ana: Person) -> None:
    heir = world.register(nombre="Luisa Molina")
    [code] = ana.data["attributes"]["product_codes"]
    path, owner = f"/app/{code}/personas", logged_in(world, ana)
    accepted(world, ana, heir, "recibe")
    assert "No entregarla" in owner.get(path).text
    assert owner.submit(path, do=f"withdraw:{number_of(ana, 'waiting')}").headers["location"].endswith("retirado")
    assert "aceptó recibir" not in owner.get(path).text and not _opens(world, heir, path)


def _opens(world: World, person: Person, path: str) -> bool:
    user: PageUser = logged_in(world, person)
    return user.get(path).status_code == 200
