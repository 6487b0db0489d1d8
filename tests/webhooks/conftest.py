"""A world whose webhooks may go to this machine, and a receiver there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.accounts.accounts import Role
from tests.api.administration.institutions import Site, mailed_token, new_institution, new_person
from tests.webhooks.receiver import Receiver, receiving
from tests.world import Person, World, build_world, settings_for


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", webhook_private=True, webhook_seconds=4))
    yield world
    world.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def staff(world: World) -> Person:
    return world.somebody_with(Role.STAFF)


@pytest.fixture
def school(world: World) -> Site:
    return new_institution(world, "colegio-san-luis")


class Pupil:
    """Somebody whom a school enrolled, and whose guardian lets it see the record."""

    def __init__(self, world: World, school: Site) -> None:
        self.guardian = new_person(world)
        assert school.enrol().status_code == 200
        answer = self.guardian.post("/v2/institutions/accept", {"token": mailed_token(world), "ve": True})
        self.code = answer.json()["data"]["attributes"]["bp_code"]
        self.record_id = answer.json()["data"]["attributes"]["fmd_code"]

    def change(self, weight: int) -> None:
        path, headers = f"/v2/fmd/{self.code}/cuerpo", self.guardian.headers
        assert self.guardian.client.patch(path, json={"peso_kg": weight}, headers=headers).status_code == 200

    def alert(self) -> int:
        answer = self.guardian.post("/v2/emergencies", {"code": self.code})
        assert answer.status_code in (200, 201), answer.text
        return int(answer.json()["data"]["id"])

    def decide(self, sees: bool) -> None:
        body = {"code": self.code, "ve": sees}
        assert self.guardian.put("/v2/institutions/colegio-san-luis/consent", body).status_code == 200


@pytest.fixture
def pupil(world: World, school: Site) -> Pupil:
    return Pupil(world, school)
