"""What a contact sees behind their link, what they answer there, and what the responder sees of it."""

import re

import pytest

from ficha.emergencies.alert_progress import ProgressKind, ProgressLine, current_emergency, progress_lines
from ficha.emergencies.answers import AnswerView, LinkUnknown, answer_by_link, view_by_link
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.steps import ContactAnswer, ContactName
from ficha.fmd.records import Record
from tests.emergencies.scenario import HERE, MARIA, AlertSticker, EmergencyScenario, contact, father


def alert_family(
    scenario: EmergencyScenario, *contacts: dict[str, object], **models: object
) -> tuple[AlertSticker, int, str]:
    """The sticker, the emergency, and the token that the first contact was sent."""
    sticker = scenario.sticker(*(contacts or (contact(), father())), **models)
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    return sticker, scenario.emergencies()[-1].id, token_in(scenario, -1)


def token_in(scenario: EmergencyScenario, place: int) -> str:
    (button,) = [
        part
        for part in scenario.alerts()[place].body["template"]["components"]
        if part.get("sub_type", "").lower() == "url"
    ]
    return str(button["parameters"][0]["text"])


def timeouts(scenario: EmergencyScenario) -> Timeouts:
    return Timeouts.of(scenario.world.parts.settings)


def view(scenario: EmergencyScenario, token: str) -> AnswerView:
    with scenario.database.reading() as tx:
        parts = scenario.world.parts
        return view_by_link(tx, parts.keyring, parts.secrets, token, scenario.now, timeouts(scenario))


def give_answer(scenario: EmergencyScenario, token: str, answer: ContactAnswer) -> None:
    with scenario.database.writing() as tx:
        answer_by_link(
            tx,
            scenario.world.parts.keyring,
            scenario.world.parts.secrets,
            token,
            answer,
            scenario.now,
            timeouts(scenario),
            origin="203.0.113.9",
        )
    scenario.run_until_idle()


def progress(scenario: EmergencyScenario, sticker: AlertSticker) -> list[ProgressLine]:
    with scenario.database.reading() as tx:
        record = tx.orm.get_one(Record, sticker.record_id)
        emergency = current_emergency(tx, record.id)
        assert emergency is not None
        key = record.open_key(scenario.world.parts.keyring)
        return progress_lines(tx, key, emergency, scenario.now, timeouts(scenario))


def coming(seen: AnswerView) -> list[tuple[str, str]]:
    return [(line.name, line.relation) for line in seen.others if line.kind is ProgressKind.COMING]


def test_the_link_shows_who_where_and_since_when(scenario: EmergencyScenario) -> None:
    _, emergency, token = alert_family(scenario)
    seen = view(scenario, token)
    assert (seen.emergency_id, seen.name, seen.state, seen.answer) == (emergency, "Ana", "open", None)
    assert seen.position is not None and seen.position.lat == HERE["lat"] and seen.since == scenario.now
    assert seen.own == ContactName("María Rojas", "madre") and coming(seen) == []


def test_mail_and_message_carry_one_token_each_with_its_own_mark(scenario: EmergencyScenario) -> None:
    _, _, token = alert_family(scenario)
    scenario.pass_seconds(60)
    (mail,) = scenario.world.mails()
    found = re.search(r"/a/([\w-]+)", mail.text)
    assert found and found[1][:22] == token[:22] and found[1] != token
    assert view(scenario, found[1]) == view(scenario, token)


def test_an_answer_on_the_page_acknowledges_the_emergency(scenario: EmergencyScenario) -> None:
    sticker, emergency, token = alert_family(scenario)
    give_answer(scenario, token, ContactAnswer.VOY)
    give_answer(scenario, token, ContactAnswer.VOY)
    assert scenario.emergency(emergency).state == "acknowledged"
    assert view(scenario, token).answer is ContactAnswer.VOY
    answers = [entry for entry in scenario.log_of(sticker) if entry.action == "contact.answered"]
    assert [(entry.via, entry.origin) for entry in answers] == [("page", "203.0.113.9")], "stored once"


def test_a_contact_sees_who_else_is_going(scenario: EmergencyScenario) -> None:
    _, _, mother = alert_family(scenario)
    give_answer(scenario, mother, ContactAnswer.NO_PUEDO)
    give_answer(scenario, token_in(scenario, -1), ContactAnswer.VOY)
    assert coming(view(scenario, mother)) == [("Pedro Pérez", "padre")]


def test_the_link_lasts_a_day_after_the_end_and_a_guess_never(scenario: EmergencyScenario) -> None:
    sticker, emergency, token = alert_family(scenario)
    body = {"state": "resolved"}
    headers = sticker.owner.headers
    assert scenario.world.client.patch(f"/v2/emergencies/{emergency}", json=body, headers=headers).status_code == 200
    scenario.world.clock.move(hours=23)
    assert view(scenario, token).state == "resolved"
    scenario.world.clock.move(hours=1)
    for bad in (token, "x" * 22, "", "á"):
        with pytest.raises(LinkUnknown):
            view(scenario, bad)


def test_only_the_hash_of_a_link_is_kept(scenario: EmergencyScenario) -> None:
    _, _, token = alert_family(scenario)
    with scenario.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM emergency_contacts").all()
    assert rows and token not in str(rows) and "María" not in str(rows)


def test_the_responder_sees_that_the_mother_read_it_40_seconds_ago(scenario: EmergencyScenario) -> None:
    sticker, _, _ = alert_family(scenario)
    scenario.read_chat(MARIA)
    scenario.world.clock.move(seconds=40)
    newest, *_ = progress(scenario, sticker)
    assert (newest.kind, newest.relation, newest.seconds) == (ProgressKind.READ, "madre", 40)


def test_the_responder_sees_who_is_coming(scenario: EmergencyScenario) -> None:
    sticker, _, token = alert_family(scenario)
    scenario.pass_seconds(5)
    give_answer(scenario, token, ContactAnswer.VOY)
    found = progress(scenario, sticker)
    assert [(line.kind, line.relation) for line in found] == [
        (ProgressKind.COMING, "madre"),
        (ProgressKind.DELIVERED, "madre"),
        (ProgressKind.OPENED, ""),
    ]


def test_a_contact_hidden_from_strangers_is_called_and_not_named(scenario: EmergencyScenario) -> None:
    sticker, _, _ = alert_family(scenario, consentimiento={"visibilidad": {"emergencia": "P"}})
    assert len(scenario.alerts()) == 1
    assert all(line.relation == "" and line.name == "" for line in progress(scenario, sticker))
    assert ProgressKind.DELIVERED in {line.kind for line in progress(scenario, sticker)}
