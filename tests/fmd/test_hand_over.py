"""A hand-over is final: the owner confirms who accepted it, and all that was given before ends."""

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from ficha.products.codes import issue_code
from tests.api.administration.institutions import mailed_token, new_institution
from tests.web.portal.page_session import again
from tests.world import Person, World

pytestmark = pytest.mark.oldest_postgresql


def code_of(owner: Person) -> str:
    return str(owner.data["attributes"]["product_codes"][0])


def offer(world: World, owner: Person, correo: str, tipo: str = "owner", code: str = "", **more: Any) -> int:
    body = {"correo": correo, "tipo": tipo, "hasta": (world.clock.now() + timedelta(days=60)).isoformat()}
    made = owner.post(f"/v2/fmd/{code or code_of(owner)}/grants", body | more)
    assert made.status_code == 201, made.text
    return int(made.json()["data"]["id"])


def give(world: World, owner: Person, guest: Person, tipo: str, **more: Any) -> int:
    made = offer(world, owner, guest.correo, tipo, **more)
    assert world.accept_invitation(guest).status_code == 200
    return made


def hand_over(world: World, owner: Person, heir: Person, **more: Any) -> None:
    give(world, owner, heir, "owner", **more)
    answer = world.confirm_hand_over(owner, code_of(owner))
    assert answer.status_code == 200, answer.text


def token_for(world: World, guest: Person) -> str:
    world.run_jobs()
    found = [re.search(r"/invitacion/(\w+)", mail.text) for mail in world.mails() if mail.to == guest.correo]
    return next(link.group(1) for link in found if link is not None)


def states(person: Person, code: str) -> dict[str, str]:
    listed = person.get(f"/v2/fmd/{code}/grants").json()["data"]
    return {each["attributes"]["correo"]: each["attributes"]["estado"] for each in listed}


def sees(person: Person, code: str) -> bool:
    return person.get(f"/v2/fmd/{code}/grants").status_code in (200, 403)


def mails_to(world: World, person: Person) -> set[str]:
    """Their subjects."""
    world.run_jobs()
    return {mail.subject for mail in world.mails() if mail.to == person.correo}


def test_what_the_former_owner_offered_is_over_once_the_record_is_handed_over(world: World, ana: Person) -> None:
    """She had two more hand-overs and a guardian in hand, and took the record back by them."""
    heir, second, guardian = world.register(), world.register(), world.register()
    code = code_of(ana)
    offer(world, ana, second.correo)
    offer(world, ana, guardian.correo, "guardian")
    tokens = {guest.id: token_for(world, guest) for guest in (second, guardian)}
    hand_over(world, ana, heir)
    for guest in (second, guardian):
        assert guest.post("/v2/fmd/grants/accept", {"token": tokens[guest.id]}).status_code == 404
        assert world.client.get(f"/invitacion/{tokens[guest.id]}").status_code == 410
    assert states(heir, code) == {}
    assert not sees(ana, code)


def test_the_first_record_of_who_receives_one_stays_the_first(world: World, ana: Person) -> None:
    """Though the one that she receives is older."""
    world.clock.move(days=1)
    heir = world.register()
    own, received = heir.data["attributes"]["fmd_code"], ana.data["attributes"]["fmd_code"]
    ana, heir = again(world, ana), again(world, heir)
    hand_over(world, ana, heir)
    me = heir.get("/v2/auth/me").json()["data"]["attributes"]
    assert me["fmd_code"] == own != received and code_of(ana) not in me["product_codes"][:1]
    with world.parts.database.writing() as tx:
        sticker = issue_code(tx, world.clock.now())
    claimed = heir.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag})
    assert claimed.json()["data"]["attributes"]["fmd_code"] == own


def test_an_invitation_counts_only_while_its_giver_may_give_it(world: World, ana: Person) -> None:
    """Whatever way a record changed hands by, and whatever was forgotten to be ended then."""
    guest, heir = world.register(), world.register()
    offer(world, ana, guest.correo, "guardian")
    token = token_for(world, guest)
    with world.parts.database.writing() as tx:
        mine = Record.id == ana.data["attributes"]["fmd_code"]
        tx.orm.execute(update(Record).where(mine).values(account_id=heir.id))
    assert guest.post("/v2/fmd/grants/accept", {"token": token}).status_code == 404
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Record).where(mine).values(account_id=ana.id))
    assert guest.post("/v2/fmd/grants/accept", {"token": token}).status_code == 200


def test_a_guardians_invitation_counts_only_while_he_is_one(world: World, ana: Person) -> None:
    guardian, friend = world.register(), world.register()
    own = give(world, ana, guardian, "guardian")
    offer(world, guardian, friend.correo, "guardian", code=code_of(ana))
    token = token_for(world, friend)
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Grant).where(Grant.id == own).values(kind="delegate"))
    assert friend.post("/v2/fmd/grants/accept", {"token": token}).status_code == 404
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Grant).where(Grant.id == own).values(kind="guardian"))
    assert friend.post("/v2/fmd/grants/accept", {"token": token}).status_code == 200


def test_the_new_owner_sees_who_could_open_it_and_keeps_whom_she_wants(world: World, ana: Person) -> None:
    heir, guardian, friend, reader = (world.register() for _ in range(4))
    code = code_of(ana)
    give(world, ana, guardian, "guardian")
    give(world, guardian, friend, "delegate", code=code, edita=True)
    give(world, ana, reader, "delegate")
    give(world, ana, heir, "delegate")
    hand_over(world, ana, heir, edita=True)
    # Nobody reads what she writes now, before she has decided.
    assert not any(sees(each, code) for each in (ana, guardian, friend, reader))
    expected = {each.correo: "held" for each in (ana, guardian, friend, reader)}
    assert states(heir, code) == expected
    listed = {each["attributes"]["correo"]: each for each in heir.get(f"/v2/fmd/{code}/grants").json()["data"]}
    assert listed[ana.correo]["attributes"]["edita"] and listed[ana.correo]["attributes"]["tipo"] == "delegate"
    ids = {correo: each["id"] for correo, each in listed.items()}
    kept = heir.post(f"/v2/fmd/{code}/grants/{ids[friend.correo]}/keep")
    assert kept.json()["data"]["attributes"]["estado"] == "accepted"
    assert kept.json()["data"]["attributes"]["hasta"] == listed[friend.correo]["attributes"]["hasta"]
    assert sees(friend, code) and not sees(guardian, code)
    assert heir.post(f"/v2/fmd/{code}/grants/{ids[friend.correo]}/keep").status_code == 404
    assert heir.delete(f"/v2/fmd/{code}/grants/{ids[ana.correo]}").status_code == 200
    assert heir.post(f"/v2/fmd/{code}/grants/{ids[ana.correo]}/keep").status_code == 404
    # Whoever is kept as a guardian does not decide about the others.
    assert heir.post(f"/v2/fmd/{code}/grants/{ids[guardian.correo]}/keep").status_code == 200
    assert guardian.post(f"/v2/fmd/{code}/grants/{ids[reader.correo]}/keep").status_code == 403
    assert states(guardian, code) == {guardian.correo: "accepted", friend.correo: "accepted"}
    log = heir.get(f"/v2/fmd/{code}/access-log").json()["data"]
    actions = [entry["attributes"]["action"] for entry in log]
    assert {"handover.accepted", "record.handed_over", "access.kept", "access.withdrawn"} <= set(actions)
    # Whom she kept nothing of within a month is out for good.
    world.clock.move(days=31)
    assert reader.correo not in states(again(world, heir), code)
    late = again(world, heir).post(f"/v2/fmd/{code}/grants/{ids[reader.correo]}/keep")
    assert late.status_code == 404


def test_who_was_let_in_anew_has_one_access_and_no_second_to_keep(world: World, ana: Person) -> None:
    heir, friend = world.register(), world.register()
    code = code_of(ana)
    held = give(world, ana, friend, "guardian")
    hand_over(world, ana, heir)
    offer(world, heir, friend.correo, "delegate", code=code)
    assert world.accept_invitation(friend).status_code == 200
    assert states(heir, code) == {friend.correo: "accepted"}
    assert heir.post(f"/v2/fmd/{code}/grants/{held}/keep").status_code == 404
    [seen] = [each for each in friend.get("/v2/fmd").json()["data"] if each["attributes"]["via"] != "owner"]
    assert seen["attributes"]["via"] == "delegate"


def test_an_institution_sees_nothing_until_the_new_owner_consents(world: World, ana: Person) -> None:
    school = new_institution(world, "colegio-san-luis")
    school.enrol()
    accepted = {"token": mailed_token(world), "ve": True, "code": code_of(ana)}
    assert ana.post("/v2/institutions/accept", accepted).status_code == 200
    heir = world.register()
    assert sees(school.service, code_of(ana))
    hand_over(world, ana, heir)
    assert not sees(school.service, code_of(ana)) and states(heir, code_of(ana)) == {}
    [shown] = heir.get("/v2/institutions").json()["data"]
    assert shown["attributes"]["consentimiento"]["ve"] is False


def test_the_owner_confirms_the_account_that_accepted_by_its_name(world: World, ana: Person) -> None:
    heir, code = world.register(nombre="Luisa Molina"), code_of(ana)
    given = offer(world, ana, heir.correo)
    path = f"/v2/fmd/{code}/grants/{given}/confirm"
    assert ana.post(path).status_code == 404  # Nobody has accepted.
    assert world.accept_invitation(heir).status_code == 200
    assert not sees(heir, code)
    [waiting] = ana.get(f"/v2/fmd/{code}/grants").json()["data"]
    said = waiting["attributes"]
    assert (said["estado"], said["nombre"], said["correo"], said["tipo"]) == (
        "waiting",
        "Luisa Molina",
        heir.correo,
        "owner",
    )
    world.run_jobs()
    [mail] = [mail for mail in world.mails() if mail.to == ana.correo]
    assert mail.subject == "Confirme a quién entrega una ficha"
    assert "Luisa aceptó recibir" in mail.text and f"/app/{code}/personas" in mail.text
    # A guardian stands in for her in all but this; and the heir does not confirm herself.
    guardian = world.register()
    give(world, ana, guardian, "guardian")
    assert guardian.post(path).status_code == 403
    assert heir.post(path).status_code == 404
    assert ana.post(path).status_code == 200
    assert sees(heir, code) and not sees(ana, code)
    assert "La ficha ya es suya" in mails_to(world, heir)
    assert ana.post(path).status_code == 404


def test_a_hand_over_that_the_owner_refuses_is_none(world: World, ana: Person) -> None:
    heir, code = world.register(), code_of(ana)
    given = give(world, ana, heir, "owner")
    assert ana.delete(f"/v2/fmd/{code}/grants/{given}").status_code == 200
    assert ana.post(f"/v2/fmd/{code}/grants/{given}/confirm").status_code == 404
    assert "No le entregaron la ficha" in mails_to(world, heir)
    assert states(ana, code) == {} and not sees(heir, code)


def test_a_hand_over_that_nobody_confirms_is_over_after_two_weeks(world: World, ana: Person) -> None:
    heir, code = world.register(), code_of(ana)
    given = give(world, ana, heir, "owner")
    world.clock.move(days=13)
    assert states(again(world, ana), code) == {heir.correo: "waiting"}
    world.clock.move(days=1)
    late = again(world, ana)
    assert states(late, code) == {}
    assert late.post(f"/v2/fmd/{code}/grants/{given}/confirm").status_code == 404


def test_of_two_who_accepted_one_gets_it_and_the_other_is_told(world: World, ana: Person) -> None:
    first, second, code = world.register(), world.register(), code_of(ana)
    one, two = give(world, ana, first, "owner"), give(world, ana, second, "owner")
    assert ana.post(f"/v2/fmd/{code}/grants/{two}/confirm").status_code == 200
    assert ana.post(f"/v2/fmd/{code}/grants/{one}/confirm").status_code == 404
    assert sees(second, code) and not sees(first, code)
    assert "No le entregaron la ficha" in mails_to(world, first)
