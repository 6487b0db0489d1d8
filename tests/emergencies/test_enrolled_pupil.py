"""A pupil whom her school enrolled: an alert reaches the guardian whom the school named, before anybody of the family
has accepted the record."""

from typing import Any

import pytest

from tests.api.administration.institutions import REPRESENTANTE, Site, mailed_token, new_institution
from tests.emergencies.scenario import MARIA, PEDRO, EmergencyScenario

MOTHER = REPRESENTANTE | {"cod_telefono": "+58", "telefono": "4125551111"}
FATHER = {"nombre": "Pedro Pérez", "relacion": "padre", "telefono": "4145552222"}


@pytest.fixture
def school(scenario: EmergencyScenario) -> Site:
    return new_institution(scenario.world, "colegio-san-luis")


def enrolled(school: Site, **changes: Any) -> str:
    answer = school.enrol(**changes)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"]["attributes"]["bp_code"])


def alerted_at(scenario: EmergencyScenario, code: str) -> list[str | None]:
    """Somebody types the code and alerts: the numbers that are told of it."""
    already = len(scenario.alerts())
    assert scenario.world.reader.post(f"/e/{code}/avisar").status_code == 200
    scenario.run_until_idle()
    return [alert.wa_id for alert in scenario.alerts()[already:]]


def test_the_guardian_is_alerted_though_nobody_has_accepted(scenario: EmergencyScenario, school: Site) -> None:
    code = enrolled(school, representante=MOTHER)
    assert MARIA in alerted_at(scenario, code)


def test_the_one_whom_a_later_roster_names_is_alerted_instead(scenario: EmergencyScenario, school: Site) -> None:
    code = enrolled(school, representante=MOTHER)
    assert enrolled(school, representante=MOTHER | FATHER) == code
    assert {MARIA, PEDRO} & set(alerted_at(scenario, code)) == {PEDRO}


def test_a_guardian_without_a_phone_is_no_contact_until_she_has_one(scenario: EmergencyScenario, school: Site) -> None:
    code = enrolled(school)
    assert enrolled(school, representante=MOTHER) == code
    assert MARIA in alerted_at(scenario, code)


def test_whom_the_family_names_is_not_changed_by_a_roster(scenario: EmergencyScenario, school: Site) -> None:
    code = enrolled(school, representante=MOTHER)
    maria = scenario.world.register()
    answer = maria.post("/v2/institutions/accept", {"token": mailed_token(scenario.world), "ve": True, "edita": True})
    assert answer.status_code == 200, answer.text
    path = f"/v2/fmd/{code}/emergencia"
    [first] = maria.get(path).json()["data"]["attributes"]["data"]["contactos"]
    assert (first["nombre"], first["fuente"]) == ("María Rojas", "institucion")
    assert maria.put(path, {"contactos": [first | FATHER]}).status_code == 200
    enrolled(school, representante=MOTHER | {"telefono": "4125559999"})
    [kept] = maria.get(path).json()["data"]["attributes"]["data"]["contactos"]
    assert kept["telefono"] == FATHER["telefono"]
