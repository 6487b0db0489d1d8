"""Somebody keeps an Idempotency-Key until the right that it was used with has ended."""

from typing import Any

import pytest
from sqlalchemy import select, update

from ficha.accounts.accounts import Account, Role
from ficha.emergencies.emergency import Emergency
from ficha.http.kept_answers import KeptAnswer
from tests.api.fmd.test_fmd import fmd, patch
from tests.attack.test_unlogged_reads import guest_of, log_of
from tests.emergencies.scenario import HERE, EmergencyScenario, contact
from tests.exchange.imports.test_imports import ALLERGY, bundle
from tests.fmd.test_hand_over import code_of, hand_over
from tests.world import CLAVE, Person, World

SECRET = "Solo a dosis altas"
KEY = {"Idempotency-Key": "guardada"}
ONCE = (409, "respuesta_borrada")


@pytest.fixture
def owner(world: World) -> Person:
    owner = world.register(relacion="titular")
    allergy = {"medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"}, "criticidad": "baja"}
    assert patch(owner, "", {"alergiasm": {"alergias": [allergy | {"notas": SECRET}]}}).status_code == 200
    return owner


def import_document(person: Person, owner: Person) -> Any:
    headers = person.headers | KEY | {"Content-Type": "application/fhir+json"}
    return person.client.post(fmd(owner, "/imports"), json=bundle(ALLERGY), headers=headers)


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["code"]


def words_kept(world: World) -> list[str]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(KeptAnswer.key).where(KeptAnswer.answer.is_not(None))))


def test_a_guardian_whose_right_ended_reads_nothing_by_an_old_key(world: World, owner: Person) -> None:
    guardian = guest_of(world, owner, "guardian")
    first = import_document(guardian, owner)
    assert first.status_code == 201 and SECRET in first.text
    assert words_kept(world) == []
    noted = log_of(world, owner, guardian)
    assert refused(import_document(guardian, owner)) == ONCE
    [grant] = owner.get(fmd(owner, "/grants")).json()["data"]
    assert owner.delete(fmd(owner, f"/grants/{grant['id']}")).status_code == 200
    assert refused(import_document(guardian, owner)) == ONCE
    assert log_of(world, owner, guardian) == noted
    assert owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert refused(import_document(guardian, owner)) == ONCE


def test_an_owner_is_answered_again_until_she_gives_her_record_away(world: World, owner: Person) -> None:
    assert SECRET in import_document(owner, owner).text
    assert import_document(owner, owner).headers["Idempotency-Replayed"] == "true"
    heir = world.register()
    hand_over(world, owner, heir)
    assert refused(import_document(owner, owner)) == ONCE
    assert heir.get(f"/v2/fmd/{code_of(owner)}").status_code == 200


@pytest.mark.parametrize("path", ["carnet/{code}/issue", "products/{code}/sticker", "products/{code}/tag"])
def test_what_a_guardian_was_given_to_print_is_not_kept(world: World, owner: Person, path: str) -> None:
    guardian = guest_of(world, owner, "guardian")
    path = f"/v2/{path.format(code=code_of(owner))}"
    assert not guardian.post(path, headers=KEY).is_error
    assert words_kept(world) == []
    assert refused(guardian.post(path, headers=KEY)) == ONCE


def test_staff_who_are_none_any_more_read_nothing_by_an_old_key(scenario: EmergencyScenario) -> None:
    world, staff = scenario.world, scenario.world.somebody_with(Role.STAFF)
    sticker = scenario.sticker(contact())
    assert scenario.press_alert(sticker, HERE).status_code == 201
    [emergency] = scenario.emergencies()
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Emergency).values(staff_at=scenario.now))
    path = f"/v2/emergencies/{emergency.id}/notes"
    assert staff.post(f"{path[:-6]}/take").status_code == 200
    assert staff.post(path, {"texto": "La vecina abrió la puerta"}).status_code == 201
    why = {"motivo": "Sigo con la emergencia de ayer"}
    assert "vecina" in staff.post(f"{path}/1/open", why, headers=KEY).text
    assert words_kept(world) == []
    assert refused(staff.post(f"{path}/1/open", why, headers=KEY)) == ONCE
    with scenario.database.writing() as tx:
        tx.orm.get_one(Account, staff.id).roles = []
    assert staff.post(f"{path}/1/open", why, headers=KEY).status_code == 403


def test_staff_who_are_none_any_more_get_no_tags_again(world: World) -> None:
    """What tells about nobody is kept for whoever asked, and asked for by what he is now."""
    admin = world.somebody_with(Role.ADMIN)
    first = admin.post("/v2/generators/codes", {"count": 2}, headers=KEY)
    assert first.status_code == 201
    assert admin.post("/v2/generators/codes", {"count": 2}, headers=KEY).json() == first.json()
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Account, admin.id).roles = []
    assert admin.post("/v2/generators/codes", {"count": 2}, headers=KEY).status_code == 403
