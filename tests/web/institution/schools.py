"""Two schools with people who work there, and a pupil whose mother decides what they see."""

from dataclasses import dataclass, field
from typing import Any

from ficha.administration.admin_changes import OPERATOR
from ficha.institutions.institution import InstitutionRole, give_institution_role, take_institution_role
from ficha.jobs.queue import put
from ficha.statistics.jobs import COUNT_INSTITUTIONS
from ficha.worker import kinds_of
from tests.api.administration.institutions import Site, mailed_token, new_institution, new_person
from tests.run_due import run_due
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World

# Of the record, and of nothing that the school knows by itself.
SECRET = "Lavanda"
NAME = "Ana Lucía Pérez"
# What the mother decided, by the name of the state; None: she has not accepted.
STATES: dict[str, dict[str, bool] | None] = {
    "undecided": None,
    "refused": {"ve": False},
    "sees": {"ve": True},
    "edits": {"ve": True, "edita": True},
}
OPEN = ("sees", "edits")


@dataclass
class Schools:
    """`here` enrolled the pupil; `there` is another."""

    world: World
    here: Site
    there: Site
    code: str
    mother: Person
    users: dict[str, PageUser] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)

    def decide(self, **decision: bool) -> None:
        path = f"/v2/institutions/{self.here.facts.slug}/consent"
        assert self.mother.put(path, {"code": self.code, **decision}).status_code == 200

    def take_role(self, who: str) -> None:
        with self.world.parts.database.writing() as tx:
            take_institution_role(tx, self.here.facts, self.people[who].id, OPERATOR, self.world.clock.now())


def two_schools(world: World, state: str) -> Schools:
    here, there = new_institution(world, "colegio-san-luis"), new_institution(world, "otro-colegio")
    mother = new_person(world)
    pupil: dict[str, Any] = {"estudiante": {"grado": "3.er año", "seccion": "B"}}
    code = here.enrol(**pupil).json()["data"]["attributes"]["bp_code"]
    if (decision := STATES[state]) is not None:
        body = {"token": mailed_token(world), **decision}
        assert mother.post("/v2/institutions/accept", body).status_code == 200
        allergy = {"alergias": [{"agente": {"texto": SECRET}}]}
        assert mother.put(f"/v2/fmd/{code}/alergiasa", allergy).status_code == 200
    found = Schools(world, here, there, code, mother)
    for who, site, role in (
        ("nurse", here, InstitutionRole.MEDICAL),
        ("secretary", here, InstitutionRole.STAFF),
        ("former nurse", here, InstitutionRole.MEDICAL),
        ("nurse there", there, InstitutionRole.MEDICAL),
    ):
        person = found.people[who] = world.register()
        with world.parts.database.writing() as tx:
            give_institution_role(tx, site.facts, person.id, role, OPERATOR, world.clock.now())
        found.users[who] = logged_in(world, person)
    found.people["mother"], found.users["mother"] = mother, logged_in(world, mother)
    found.take_role("former nurse")
    return found


def count_institutions(world: World) -> None:
    """What their records lack, by the job."""
    with world.parts.database.writing() as tx:
        put(tx, COUNT_INSTITUTIONS, {})
    run_due(world.parts.database, kinds_of(world.parts))
