"""Rights that others gave: used beyond what was given, kept after they ended, or asked about people."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ficha.fmd.grants import GrantKind
from tests.emergencies.scenario import EmergencyScenario, contact, father, granted
from tests.web.portal.page_session import logged_in
from tests.world import CLAVE, Person, World, build_world, settings_for


def offer(
    world: World, giver: Person, owner: Person, correo: str, tipo: str = "delegate", days: int = 30, **more: Any
) -> Any:
    code = owner.data["attributes"]["product_codes"][0]
    body = {"correo": correo, "tipo": tipo, "hasta": (world.clock.now() + timedelta(days=days)).isoformat()}
    return giver.post(f"/v2/fmd/{code}/grants", body | more)


def give(world: World, giver: Person, owner: Person, guest: Person, tipo: str = "delegate", **more: Any) -> int:
    made = offer(world, giver, owner, guest.correo, tipo, **more)
    assert made.status_code == 201, made.text
    assert world.accept_invitation(guest).status_code == 200
    return int(made.json()["data"]["id"])


def opens(guest: Person, owner: Person) -> bool:
    code = owner.data["attributes"]["product_codes"][0]
    return guest.get(f"/v2/fmd/{code}/grants").status_code in (200, 403)


@pytest.mark.parametrize("state", ["acknowledged", "resolved", "canceled"])
def test_a_delegate_who_only_reads_cannot_end_an_emergency(scenario: EmergencyScenario, state: str) -> None:
    world, sticker = scenario.world, scenario.sticker(contact())
    sticker.owner.data["attributes"]["product_codes"] = [sticker.code]
    reader, editor = world.register(), world.register()
    give(world, sticker.owner, sticker.owner, reader)
    give(world, sticker.owner, sticker.owner, editor, edita=True)
    emergency_id = scenario.press_alert(sticker).json()["data"]["id"]
    path = f"/v2/emergencies/{emergency_id}"
    for who, status in ((reader, 403), (editor, 200)):
        assert who.get(path).status_code == 200
        assert world.client.patch(path, json={"state": state}, headers=who.headers).status_code == status


def test_an_emergency_names_no_contact_that_the_record_hides(scenario: EmergencyScenario) -> None:
    """Whoever sees by consent is told who was alerted as far as the record tells her; owner and guardian, all."""
    sticker = scenario.sticker(contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    contacts = sticker.owner.get(f"/v2/fmd/{sticker.code}/emergencia").json()["data"]["attributes"]["data"]["contactos"]
    hidden = next(each["id"] for each in contacts if each["relacion"] == "madre")
    path = f"/v2/fmd/{sticker.code}/consentimiento"
    assert sticker.owner.put(path, {"visibilidad": {f"emergencia/{hidden}": "P"}}).status_code == 200
    emergency_id = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.run_until_idle()
    scenario.pass_seconds(600)

    def told(who: Person) -> tuple[set[tuple[str, str]], str]:
        steps = who.get(f"/v2/emergencies/{emergency_id}").json()["data"]["attributes"]["steps"]
        page = logged_in(scenario.world, who).get(f"/app/emergencias/{emergency_id}").text
        return {(step["relacion"], step["nombre"]) for step in steps if step["contact"]}, page

    for kind, edits in ((GrantKind.DELEGATE, False), (GrantKind.DELEGATE, True), (GrantKind.INSTITUTION, False)):
        named, page = told(granted(scenario, sticker, kind, edits=edits))
        assert named == {("madre", ""), ("padre", "Pedro Pérez")}
        assert "La madre" in page and "María" not in page and "Pedro" in page
    for sees_all in (sticker.owner, granted(scenario, sticker, GrantKind.GUARDIAN)):
        named, page = told(sees_all)
        assert named == {("madre", "María Rojas"), ("padre", "Pedro Pérez")} and "María" in page


@pytest.mark.oldest_postgresql
def test_what_a_guardian_gave_ends_with_his_own_right(world: World, ana: Person) -> None:
    guardian, friend, friend_of_friend = world.register(), world.register(), world.register()
    of_guardian = give(world, ana, ana, guardian, "guardian", days=10)
    # He cannot give longer than he has it.
    made = offer(world, guardian, ana, friend.correo, "guardian", days=300).json()["data"]
    assert made["attributes"]["hasta"] == (world.clock.now() + timedelta(days=10)).isoformat()
    assert world.accept_invitation(friend).status_code == 200
    give(world, friend, ana, friend_of_friend)
    pending = world.register()
    offer(world, guardian, ana, pending.correo)
    world.run_jobs()
    assert all(opens(each, ana) for each in (guardian, friend, friend_of_friend))

    code = ana.data["attributes"]["product_codes"][0]
    assert ana.delete(f"/v2/fmd/{code}/grants/{of_guardian}").status_code == 200
    assert not any(opens(each, ana) for each in (guardian, friend, friend_of_friend))
    assert world.accept_invitation(pending).status_code == 404
    assert ana.get(f"/v2/fmd/{code}/grants").json()["data"] == []


def test_what_a_guardian_gave_ends_with_his_account(world: World, ana: Person) -> None:
    guardian, friend = world.register(), world.register()
    give(world, ana, ana, guardian, "guardian")
    give(world, guardian, ana, friend)
    assert guardian.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert not opens(friend, ana)


def test_two_guardians_cannot_keep_each_other_in(world: World, ana: Person) -> None:
    """Each would have his right from the other, and none from the owner."""
    first, second = world.register(), world.register()
    of_first = give(world, ana, ana, first, "guardian")
    give(world, first, ana, second, "guardian")
    offer(world, second, ana, first.correo, "guardian")
    assert world.accept_invitation(first).status_code == 404
    code = ana.data["attributes"]["product_codes"][0]
    assert ana.delete(f"/v2/fmd/{code}/grants/{of_first}").status_code == 200
    assert not opens(first, ana) and not opens(second, ana)


def test_an_invitation_does_not_tell_whether_there_is_an_account(world: World, ana: Person) -> None:
    somebody = world.register(nombre="Luis Molina")
    known, unknown = offer(world, ana, ana, somebody.correo), offer(world, ana, ana, "nadie@ejemplo.com")
    assert known.status_code == unknown.status_code == 201
    seen, other = (dict(answer.json()["data"]["attributes"]) for answer in (known, unknown))
    assert seen.pop("correo") == somebody.correo and other.pop("correo") == "nadie@ejemplo.com"
    assert seen == other and "Luis" not in known.text
    code = ana.data["attributes"]["product_codes"][0]
    assert "Luis" not in ana.get(f"/v2/fmd/{code}/grants").text
    world.run_jobs()
    assert {mail.to for mail in world.mails()} == {somebody.correo, "nadie@ejemplo.com"}
    # To invite oneself tells nothing either, and gives nothing.
    assert offer(world, ana, ana, ana.correo).status_code == 201
    assert world.accept_invitation(ana).status_code == 409


def test_an_invitation_is_for_whoever_reads_the_mailbox_and_has_the_account(world: World, ana: Person) -> None:
    """A link that was passed on opens nothing to another, and a squatter of the correo has no link."""
    guest, other = world.register(), world.register()
    offer(world, ana, ana, guest.correo)
    world.run_jobs()
    assert not opens(guest, ana)
    [token] = [found.group(1) for mail in world.mails() if (found := re.search(r"/invitacion/(\w+)", mail.text))]
    assert other.post("/v2/fmd/grants/accept", {"token": token}).status_code == 404
    page = world.client.get(f"/invitacion/{token}")
    assert page.status_code == 200 and page.headers["referrer-policy"] == "no-referrer"
    assert world.client.post(f"/invitacion/{token}", data={"clave": "otra clave distinta"}).status_code == 422
    assert not opens(guest, ana)
    assert world.client.post(f"/invitacion/{token}", data={"clave": CLAVE}).status_code == 200
    assert opens(guest, ana)
    assert world.client.get(f"/invitacion/{token}").status_code == 410


@pytest.mark.oldest_postgresql
def test_an_invitation_that_nobody_took_up_ends(world: World, ana: Person) -> None:
    guest = world.register()
    offer(world, ana, ana, guest.correo)
    world.run_jobs()
    world.clock.move(days=15)
    guest.data["attributes"]["token"] = world.token_for(guest.id)
    assert world.accept_invitation(guest).status_code == 404


def links(world: World, correo: str) -> list[str]:
    """Of the invitations that were mailed there: the secret of each."""
    world.run_jobs()
    found = [re.search(r"/invitacion/(\w+)", mail.text) for mail in world.mails() if mail.to == correo]
    return [link.group(1) for link in found if link is not None]


@pytest.mark.oldest_postgresql
def test_somebody_has_one_pending_invitation_to_a_record(world: World, ana: Person) -> None:
    """The last one counts: what it says is what the owner last wanted."""
    guest, guardian = world.register(), world.register()
    give(world, ana, ana, guardian, "guardian")
    offer(world, ana, ana, guest.correo, "guardian")
    [first] = links(world, guest.correo)
    offer(world, guardian, ana, guest.correo.upper(), "delegate")
    offer(world, ana, ana, "otra@ejemplo.com")
    code = ana.data["attributes"]["product_codes"][0]
    pending = [
        (each["attributes"]["correo"].lower(), each["attributes"]["tipo"])
        for each in ana.get(f"/v2/fmd/{code}/grants").json()["data"]
        if each["attributes"]["estado"] == "invited"
    ]
    assert pending == [(guest.correo, "delegate"), ("otra@ejemplo.com", "delegate")]
    world.run_jobs()
    assert guest.post("/v2/fmd/grants/accept", {"token": first}).status_code == 404
    found = [re.search(r"/invitacion/(\w+)", mail.text) for mail in world.mails() if mail.to.lower() == guest.correo]
    [second] = {link.group(1) for link in found if link is not None} - {first}
    assert guest.post("/v2/fmd/grants/accept", {"token": second}).status_code == 200


@pytest.mark.oldest_postgresql
def test_a_mailbox_and_a_number_get_so_many_invitations_from_everybody(tmp_path: Path, database_url: str) -> None:
    limits = {"rate_limits": "on", "limit_invitation_target": "2/day", "limit_registration": "99/minute"}
    world = build_world(settings_for(database_url, tmp_path, **limits))
    try:
        owners = [world.register() for _ in range(3)]
        spellings = ("victima@ejemplo.com", "Victima@Ejemplo.com", "victima+uno@ejemplo.com")
        answers = [offer(world, owner, owner, correo) for owner, correo in zip(owners, spellings, strict=True)]
        assert [answer.status_code for answer in answers] == [201, 201, 429]
        hasta = (world.clock.now() + timedelta(days=3)).isoformat()
        number = {"cod_telefono": "+58", "telefono": "4125557777", "tipo": "delegate", "hasta": hasta}
        codes = [owner.data["attributes"]["product_codes"][0] for owner in owners]
        answers = [owner.post(f"/v2/fmd/{code}/grants", number) for owner, code in zip(owners, codes, strict=True)]
        assert [answer.status_code for answer in answers] == [201, 201, 429]
        # Others get theirs.
        assert offer(world, owners[2], owners[2], "otra@ejemplo.com").status_code == 201
    finally:
        world.close()


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("nombre", "nombres", "said"),
    [
        ("María Rojas", "Ana Lucía", "María le ofrece acceso a la ficha de emergencia de Ana,"),
        (
            "Gane dinero fácil hoy mismo",
            "Premio para usted",
            "Gane le ofrece acceso a la ficha de emergencia de Premio,",
        ),
        (
            "Llame al 04125550000",
            "ganadinero.example",
            "una persona le ofrece acceso a la ficha de emergencia de una persona,",
        ),
        ("Ganedinerofacildesdesucasa", "Gratis", "una persona le ofrece acceso a la ficha de emergencia de Gratis,"),
        ("https://malo.example", "Ana", "una persona le ofrece acceso a la ficha de emergencia de Ana,"),
    ],
)
def test_an_invitation_has_no_room_for_an_offer(world: World, nombre: str, nombres: str, said: str) -> None:
    owner = world.register(nombre=nombre)
    code = owner.data["attributes"]["product_codes"][0]
    personal = {"nombres": nombres, "apellidos": "Rojas"}
    assert owner.put(f"/v2/fmd/{code}/personal", personal).status_code == 200
    assert offer(world, owner, owner, "victima@ejemplo.com").status_code == 201
    world.run_jobs()
    [mail] = world.mails()
    assert said in mail.text
    assert not any(word in mail.text for word in ("dinero", "0412", "malo", "fácil"))


def test_the_mail_to_the_owner_has_no_room_for_an_offer_of_the_heir(world: World, ana: Person) -> None:
    heir = world.register(nombre="Escriba a mi WhatsApp ya")
    assert offer(world, ana, ana, heir.correo, "owner").status_code == 201
    assert world.accept_invitation(heir).status_code == 200
    world.run_jobs()
    [mail] = [mail for mail in world.mails() if mail.to == ana.correo]
    assert "Escriba aceptó recibir" in mail.text and "WhatsApp" not in mail.text
