"""Staff take an emergency, write sealed notes, open them with a reason and hand it back; the family ends it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import text, update

from ficha.accounts.accounts import Role
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.staff_notes import MOST_NOTES, StaffNote
from ficha.notices.opened_notes import OpenedNote
from tests.emergencies.scenario import HERE, AlertSticker, EmergencyScenario, contact, father
from tests.world import CLAVE, Person

WORDS = "La vecina abrió la puerta; espera con ella."
WHY = {"motivo": "Sigo con la emergencia y necesito saber qué se hizo."}


class Team:
    """An emergency that was given to staff, and two of them."""

    def __init__(self, scenario: EmergencyScenario, *contacts: dict[str, Any]) -> None:
        self.scenario = scenario
        self.sticker: AlertSticker = scenario.sticker(*(contacts or (contact(),)))
        self.id = int(scenario.press_alert(self.sticker, HERE).json()["data"]["id"])
        scenario.run_until_idle()
        with scenario.database.writing() as tx:
            tx.orm.execute(update(Emergency).where(Emergency.id == self.id).values(staff_at=scenario.now))
        self.eva, self.leo = scenario.world.somebody_with(Role.STAFF), scenario.world.somebody_with(Role.STAFF)
        self.admin = scenario.world.somebody_with(Role.ADMIN)

    @property
    def path(self) -> str:
        return f"/v2/emergencies/{self.id}"

    def actions(self) -> list[tuple[str, list[str]]]:
        found = [entry for entry in self.scenario.log_of(self.sticker) if entry.via == "staff"]
        return [(entry.action, entry.what) for entry in found]

    def note(self, person: Person, words: str = WORDS) -> int:
        answer = person.post(f"{self.path}/notes", {"texto": words})
        assert answer.status_code == 201, answer.text
        return int(answer.json()["data"]["id"])


def name_of(person: Person) -> str:
    return str(person.get("/v2/auth/me").json()["data"]["attributes"]["nombre"])


def end(person: Person, path: str) -> Response:
    return person.client.patch(path, json={"state": "resolved"}, headers=person.headers)


@pytest.fixture
def team(scenario: EmergencyScenario) -> Team:
    return Team(scenario)


def test_one_takes_it_the_other_is_told_who_and_it_comes_back_with_a_reason(team: Team) -> None:
    eva = name_of(team.eva)
    taken = team.eva.post(f"{team.path}/take").json()["data"]["attributes"]
    assert taken["taken_by"] == f"account:{team.eva.id}" and taken["state"] == "open"
    again = team.eva.post(f"{team.path}/take").json()["data"]["attributes"]
    assert again["taken_at"] == taken["taken_at"]
    refused = team.leo.post(f"{team.path}/take")
    [error] = refused.json()["errors"]
    assert (refused.status_code, error["code"]) == (409, "emergencia_tomada")
    assert error["detail"] == f"{eva} tiene esta emergencia."
    assert team.leo.post(f"{team.path}/hand-back", {"motivo": "Para mí"}).status_code == 409
    back = team.eva.post(f"{team.path}/hand-back", {"motivo": "Termina mi turno"}).json()["data"]["attributes"]
    assert (back["taken_at"], back["taken_by"]) == (None, None)
    assert team.leo.post(f"{team.path}/hand-back", {"motivo": "Otra vez"}).json()["errors"][0]["code"] == (
        "emergencia_sin_tomar"
    )
    assert team.leo.post(f"{team.path}/take").status_code == 200
    [note] = team.leo.get(f"{team.path}/notes").json()["data"]
    assert note["attributes"] | {"at": ""} == {"place": 1, "kind": "handed_back", "account_id": team.eva.id, "at": ""}
    about = [f"emergency:{team.id}"]
    names = ["emergency.taken", "emergency.handed_back", "emergency.taken"]
    assert team.actions() == [(name, about) for name in names]
    told = [event.payload for event in team.scenario.events("emergency.changed") if "taken" in event.payload]
    assert {each["taken"] for each in told} == {True, False}
    assert not any(eva in str(each) for each in told)


def test_an_administrator_hands_back_what_somebody_left(team: Team) -> None:
    assert team.eva.post(f"{team.path}/take").status_code == 200
    assert team.admin.post(f"{team.path}/hand-back", {"motivo": "Se fue a casa"}).status_code == 200
    assert team.leo.post(f"{team.path}/take").status_code == 200


@pytest.mark.oldest_postgresql
def test_of_many_at_once_one_has_it(team: Team) -> None:
    people = [team.eva, team.leo, team.admin] + [team.scenario.world.somebody_with(Role.STAFF) for _ in range(5)]
    with ThreadPoolExecutor(len(people)) as pool:
        answers = list(pool.map(lambda person: person.post(f"{team.path}/take"), people))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * (len(people) - 1)
    [holder] = [answer.json()["data"]["attributes"]["taken_by"] for answer in answers if answer.status_code == 200]
    assert team.scenario.emergency(team.id).taken_by == holder
    assert [action for action, _ in team.actions()] == ["emergency.taken"]


def test_taking_it_changes_nothing_in_the_ladder_and_the_readers_know(scenario: EmergencyScenario) -> None:
    team = Team(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    before = scenario.ladder(team.id)
    assert team.eva.post(f"{team.path}/take").status_code == 200
    page = scenario.world.reader.get(f"/e/{team.sticker.code}/{team.sticker.tag}").text
    assert "Nuestro equipo de guardia lo atiende" in page and name_of(team.eva) not in page
    scenario.pass_seconds(61)
    assert len(scenario.ladder(team.id)) == len(before) + 1, "the father is alerted all the same"
    assert team.eva.post(f"{team.path}/hand-back", {"motivo": "Termina mi turno"}).status_code == 200
    page = scenario.world.reader.get(f"/e/{team.sticker.code}/{team.sticker.tag}").text
    assert "Nuestro equipo de guardia lo atiende" not in page


def test_staff_does_not_end_it_and_the_owner_does(team: Team) -> None:
    assert team.eva.post(f"{team.path}/take").status_code == 200
    ended = end(team.eva, team.path)
    assert (ended.status_code, ended.json()["errors"][0]["code"]) == (403, "emergencia_solo_lectura")
    assert end(team.sticker.owner, team.path).status_code == 200
    over = team.eva.post(f"{team.path}/hand-back", {"motivo": "Ya terminó"})
    assert (over.status_code, over.json()["errors"][0]["code"]) == (409, "emergencia_ya_terminada")
    assert team.leo.post(f"{team.path}/take").status_code == 409
    assert team.note(team.leo, "Terminó bien") == 1, "a note can be written afterwards"


def test_a_note_is_sealed_and_opened_with_a_reason_that_the_owner_reads(team: Team) -> None:
    scenario = team.scenario
    place = team.note(team.eva)
    with scenario.database.reading() as tx:
        stored = tx.orm.scalars(text("SELECT sealed FROM staff_notes")).one()
    assert b"vecina" not in bytes(stored)
    assert WORDS not in team.leo.get(f"{team.path}/notes").text
    opened = team.leo.post(f"{team.path}/notes/{place}/open", WHY)
    assert opened.json()["data"]["attributes"]["texto"] == WORDS
    what = [f"emergency:{team.id}", f"note:{place}"]
    assert team.actions()[-1] == ("emergency.note_opened", what)
    scenario.run_until_idle()
    [mail] = [each for each in scenario.world.mails() if "leyó una nota" in each.subject]
    assert WHY["motivo"] in mail.text and name_of(team.leo) in mail.text
    assert "vecina" not in mail.text
    assert WORDS not in str([event.payload for event in scenario.events("emergency.changed")])


def test_the_same_note_twice_is_one_and_there_is_an_end_to_them(team: Team) -> None:
    assert [team.note(team.eva), team.note(team.eva), team.note(team.leo)] == [1, 1, 2]
    now = team.scenario.now
    with team.scenario.database.writing() as tx:
        for place in range(3, MOST_NOTES + 1):
            row = StaffNote(emergency_id=team.id, place=place, kind="note", account_id=1, sealed=b"", at=now)
            tx.orm.add(row)
    full = team.eva.post(f"{team.path}/notes", {"texto": "Una más"})
    assert (full.status_code, full.json()["errors"][0]["code"]) == (409, "notas_llenas")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("end", "body"),
    [
        ("notes", {"texto": ""}),
        ("notes", {"texto": "x" * 2001}),
        ("notes", {"texto": 7}),
        ("notes", {"texto": "nulo \x00"}),
        ("notes", {"texto": "a", "otro": 1}),
        ("notes", []),
        ("hand-back", {}),
        ("hand-back", {"motivo": "   "}),
        ("notes/1/open", {"motivo": "corto"}),
        ("notes/1/open", {"motivo": "dos\nlíneas de motivo"}),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(team: Team, end: str, body: Any) -> None:
    assert team.eva.post(f"{team.path}/take").status_code == 200
    team.note(team.eva)
    before = team.actions()
    answer = team.eva.post(f"{team.path}/{end}", body)
    assert answer.status_code == 422, answer.text
    assert team.actions() == before and team.scenario.emergency(team.id).taken_by is not None


def test_a_note_that_is_not_there_and_an_emergency_of_nobody(team: Team) -> None:
    assert team.eva.post(f"{team.path}/notes/9/open", WHY).json()["errors"][0]["code"] == "nota_desconocida"
    assert team.eva.post(f"/v2/emergencies/{team.id + 1000}/take").status_code == 404
    assert team.eva.post("/v2/emergencies/0/take").status_code == 422


def test_erasing_the_record_takes_the_notes_and_the_reasons(team: Team) -> None:
    place = team.note(team.eva)
    assert team.leo.post(f"{team.path}/notes/{place}/open", WHY).status_code == 200
    assert team.sticker.owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    with team.scenario.database.reading() as tx:
        assert tx.orm.query(StaffNote).count() == 0
        assert tx.orm.query(OpenedNote).count() == 0
    assert team.eva.post(f"{team.path}/take").status_code == 404
