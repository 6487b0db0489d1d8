"""Nobody reads or acts where he does not belong: one person's emergency, messages, file and events, for all callers."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from ficha.accounts.accounts import Account, Role
from ficha.api.catalog import catalogue
from ficha.describe import default_settings
from ficha.emergencies.emergency import Emergency
from ficha.events.events import START, Audience
from ficha.events.statements import newest, read_between
from ficha.fmd.grants import Grant, GrantKind
from ficha.messaging.files import KeptFile
from ficha.messaging.tables import Message
from tests.emergencies.scenario import HERE, MARIA, AlertSticker, EmergencyScenario, contact
from tests.project.caller_table import ATTEMPTS
from tests.project.reach_table import AREAS, CALLERS, CONCERNS_NO_PERSON, EVENTS, OTHER_AREAS, REACH, STAFF, Reach
from tests.world import Person

ROWS = catalogue(default_settings(Path("data")))
# A place, words of a reply, and the name of a contact.
PRIVATE = ("10.48801", "cocina")
CONTACT_NAME = "María Rojas"
EVENT_WORDS = ("Ana", "María", "cocina", "10.48801", "4125551111")


def test_no_operation_is_left_out() -> None:
    """One that is new fails here until somebody has said who may do what with it."""
    here = {row.name for row in ROWS if row.area in AREAS}
    assert set(REACH) | CONCERNS_NO_PERSON | {"Events"} == here
    assert not set(REACH) & CONCERNS_NO_PERSON
    assert {row.area for row in ROWS} - set(AREAS) == OTHER_AREAS
    assert set(ATTEMPTS) == {row.name for row in ROWS}


@dataclass
class Asking:
    """A caller, and the token that it shows."""

    id: int
    token: str | None


class Reached:
    """A record whose family was alerted, and answered with words and a photo; and everybody who may ask about it."""

    def __init__(self, scenario: EmergencyScenario) -> None:
        self.scenario, self.world = scenario, scenario.world
        self.sticker: AlertSticker = scenario.sticker(contact())
        self.callers = {who: self._caller(who) for who in CALLERS}
        opened = scenario.press_alert(self.sticker, HERE)
        scenario.run_until_idle()
        self.world.platform.receive(from_=f"+{MARIA}", text="No puedo, pero está en la cocina")
        self.world.platform.receive(from_=f"+{MARIA}", type="image")
        scenario.run_until_idle()
        with scenario.database.reading() as tx:
            alert, reply, photo = tx.orm.scalars(select(Message).order_by(Message.id))
            media = tx.orm.scalars(select(KeptFile.media_id)).one()
        self.names = {
            "alert": alert.id,
            "reply": reply.id,
            "photo": photo.id,
            "media": media,
            "emergency": opened.json()["data"]["id"],
            "code": self.sticker.code,
        }

    def ask(self, who: str, reach: Reach) -> tuple[int, str]:
        self._give_to_staff(reach.is_with_staff)
        token = self.callers[who].token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        body = (
            None
            if reach.body is None
            else json.loads(json.dumps(dict(reach.body)).replace("{code}", self.sticker.code))
        )
        path = reach.path.format(**self.names)
        answer = self.world.client.request(reach.method, path, json=body, headers=headers)
        return answer.status_code, answer.text

    def _give_to_staff(self, is_given: bool) -> None:
        at = self.scenario.now if is_given else None
        with self.scenario.database.writing() as tx:
            tx.orm.execute(update(Emergency).values(staff_at=at))

    def _caller(self, who: str) -> Asking:
        if who == "none":
            return Asking(0, None)
        if who == "responder":
            return Asking(0, self.sticker.tag)  # It opens the responder's page, and no operation for accounts.
        if who == "owner":
            return Asking(self.sticker.owner.id, self.sticker.owner.token)
        roles = {"staff": Role.STAFF, "admin": Role.ADMIN, "medical": Role.MEDICAL}
        roles |= {"institution": Role.INSTITUTION, "other institution": Role.INSTITUTION}
        person = self.world.somebody_with(Role.OWNER, *([roles[who]] if who in roles else []))
        self._grant(who, person)
        if who == "contact":
            proven = {"telefono_e164": f"+{MARIA}", "telefono_verificado_por": "whatsapp"}
            with self.scenario.database.writing() as tx:
                tx.orm.execute(update(Account).where(Account.id == person.id).values(proven))
        return Asking(person.id, person.token)

    def _grant(self, who: str, person: Person) -> None:
        kinds = {"guardian": GrantKind.GUARDIAN, "institution": GrantKind.INSTITUTION}
        if who == "invited":
            ends = (self.scenario.now + timedelta(days=1)).isoformat()
            offered = {"correo": person.correo, "tipo": "guardian", "hasta": ends}
            assert self.sticker.owner.post(f"/v2/fmd/{self.sticker.code}/grants", offered).status_code == 201
        if who in ("guardian", "editor", "delegate", "ended delegate", "institution"):
            self._add(person, kinds.get(who, GrantKind.DELEGATE), edits=who == "editor", ended=who.startswith("ended"))
        if who.startswith("delegate of"):
            giver = self.world.somebody_with(Role.OWNER)
            given = self._add(giver, GrantKind.GUARDIAN)
            self._add(person, GrantKind.DELEGATE, given_by=given)
            if "ended" in who:
                path = f"/v2/fmd/{self.sticker.code}/grants/{given}"
                assert self.sticker.owner.delete(path).status_code == 200

    def _add(
        self, person: Person, kind: GrantKind, *, edits: bool = False, ended: bool = False, given_by: int | None = None
    ) -> int:
        now = self.scenario.now
        with self.scenario.database.writing() as tx:
            grant = Grant(
                record_id=self.sticker.record_id,
                account_id=person.id,
                kind=kind,
                edits=edits,
                granted_at=now - timedelta(days=2),
                ends_at=now - timedelta(seconds=1) if ended else now + timedelta(days=1),
                given_by=given_by,
            )
            tx.orm.add(grant)
            tx.orm.flush()
            return grant.id


@pytest.fixture
def reached(scenario: EmergencyScenario) -> Reached:
    return Reached(scenario)


def test_each_caller_reaches_what_the_table_says(reached: Reached) -> None:
    wrong: list[tuple[object, ...]] = []
    for name, rows in REACH.items():
        for reach in rows:
            for who in CALLERS:
                status, text = reached.ask(who, reach)
                is_told = any(word in text for word in PRIVATE)
                if status != reach.statuses[who] or is_told != (who in reach.told):
                    wrong.append((name, reach.path, who, status, is_told))
                if who in STAFF and CONTACT_NAME in text:
                    wrong.append((name, reach.path, who, status, CONTACT_NAME))
    assert wrong == []


def test_only_those_with_a_right_find_the_emergency_in_their_list(reached: Reached) -> None:
    for is_with_staff, staff_sees in ((False, []), (True, [reached.names["emergency"]])):
        reach = Reach("GET", "/v2/emergencies", {}, is_with_staff=is_with_staff)
        for who in CALLERS[2:]:
            listed = [each["id"] for each in json.loads(reached.ask(who, reach)[1])["data"]]
            sees_it = REACH["Emergency"][0].statuses[who] == 200
            expected = [reached.names["emergency"]] if sees_it else staff_sees if who in STAFF else []
            assert listed == expected, who


def test_each_caller_is_sent_the_events_of_the_table_and_no_words(reached: Reached) -> None:
    with reached.scenario.database.reading() as tx:
        until = newest(tx)
        for who in CALLERS[2:]:
            audience = Audience(account_id=reached.callers[who].id)
            sent = read_between(tx, START, until, audience, is_staff=who in STAFF, limit=1000)
            about_it = [each for each in sent if each.payload.get("fmd_code") in (None, reached.sticker.record_id)]
            kinds = {each.kind for each in about_it}
            assert kinds <= EVENTS.get(who, frozenset()), who
            assert bool(kinds) == (who in EVENTS), who
            assert not any(word in json.dumps(each.payload) for each in sent for word in EVENT_WORDS), who


def test_the_stream_beside_the_person_is_for_the_sticker_alone(reached: Reached) -> None:
    other = reached.scenario.sticker()
    for code, tag in ((reached.sticker.code, other.tag), (other.code, reached.sticker.tag)):
        assert reached.world.client.get(f"/e/{code}/{tag}/vivo").status_code == 404
