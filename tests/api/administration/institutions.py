"""Institutions as the tests of their operations meet them."""

import re
from dataclasses import dataclass
from typing import Any

from httpx2 import Response

from ficha.administration.admin_changes import OPERATOR
from ficha.enrolment.new_institution import create_institution, issue_service_token
from ficha.institutions.institution import InstitutionFacts
from tests.world import Person, World

REPRESENTANTE = {"nombre": "María Rojas", "relacion": "madre", "correo": "maria@ejemplo.com"}
PERSONAL = {"nombres": "Ana Lucía", "apellidos": "Pérez", "documento_numero": "V-31.555.777"}
PUPIL: dict[str, Any] = {
    "external_id": "2026-0117",
    "personal": PERSONAL,
    "estudiante": {"grado": "3.er año", "autorizados_retirar": [{"nombre": "Luis Pérez"}]},
    "representante": REPRESENTANTE,
}


@dataclass
class Site:
    """An institution and its service account."""

    facts: InstitutionFacts
    service: Person

    def enrol(self, slug: str | None = None, **changes: Any) -> Response:
        return self.service.post(f"/v1/{slug or self.facts.slug}/user", PUPIL | changes)


def new_institution(world: World, slug: str) -> Site:
    with world.parts.database.writing() as tx:
        now = world.clock.now()
        facts = create_institution(tx, slug, "Colegio San Luis", OPERATOR, world.parts.keyring, now)
        token = issue_service_token(tx, facts, OPERATOR, now, days=90)
    attributes = {"correo": "", "token": token.text}
    return Site(facts, Person(world.reader, {}, {"id": facts.account_id, "attributes": attributes}))


def new_person(world: World) -> Person:
    """Who reads through the fast lane, as the server serves it."""
    person = world.register()
    person.client = world.reader
    return person


def mailed_token(world: World, correo: str = "maria@ejemplo.com") -> str:
    world.run_jobs()
    found = [re.search(r"/institucion/(\w+)", mail.text) for mail in world.mails() if mail.to == correo]
    return next(link.group(1) for link in found if link is not None)
