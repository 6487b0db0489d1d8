"""Rights that others gave: used beyond what was given, kept after they ended, or asked about people."""

import re
from datetime import timedelta
from typing import Any

import pytest

from tests.emergencies.scenario import EmergencyScenario, contact
from tests.world import CLAVE, Person, World


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


def test_an_invitation_that_nobody_took_up_ends(world: World, ana: Person) -> None:
    guest = world.register()
    offer(world, ana, ana, guest.correo)
    world.run_jobs()
    world.clock.move(days=15)
    guest.data["attributes"]["token"] = world.token_for(guest.id)
    assert world.accept_invitation(guest).status_code == 404
