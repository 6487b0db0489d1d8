"""A contact said that she comes, and then that she cannot: the ladder goes back to work, and everybody reads it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ficha.emergencies.ladder import MOST_STAFF_CALLS
from tests.emergencies.scenario import MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.emergencies.test_answer_table import receive, seconds
from tests.emergencies.test_answers import alert_family, token_in
from tests.messaging.webhook_notifications import message
from tests.web.portal.page_session import logged_in
from tests.world import build_world, settings_for

pytestmark = pytest.mark.oldest_postgresql

ON_CALL = "584121234567"


@pytest.fixture
def with_team(database_url: str, tmp_path: Path) -> Iterator[EmergencyScenario]:
    team = {"on_call_mails": "guardia@ejemplo.com", "on_call_phones": f"+{ON_CALL}"}
    world = build_world(settings_for(database_url, tmp_path / "data", **team))
    world.listen()
    yield EmergencyScenario(world)
    world.close()


def page(scenario: EmergencyScenario, sticker: AlertSticker) -> str:
    return scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}", headers={"Accept-Language": "es"}).text


def on_page(scenario: EmergencyScenario, token: str, answer: str) -> None:
    sent = scenario.world.reader.post(f"/a/{token}", data={"respuesta": answer}, follow_redirects=False)
    assert sent.status_code == 303
    scenario.world.clock.move(seconds=1)


def alerted(scenario: EmergencyScenario) -> list[str]:
    """Whom an alert left for by WhatsApp, in order."""
    sent = [each for each in scenario.alerts() if each.type == "template"]
    return [each.to.lstrip("+") for each in sent if not each.text.startswith("Tiene un mensaje")]


def by_text(scenario: EmergencyScenario, _token: str) -> None:
    receive(scenario, message(text="Al final no puedo", at=seconds(scenario)))


def by_edit(scenario: EmergencyScenario, _token: str) -> None:
    edited = {"original_message_id": "wamid.VOY", "message": {"type": "text", "text": {"body": "no puedo"}}}
    receive(scenario, message(type="edit", edit=edited, at=seconds(scenario)))


def by_button(scenario: EmergencyScenario, _token: str) -> None:
    [step, *_] = scenario.steps()
    pressed = {"text": "No puedo", "payload": f"no_puedo:{step.emergency_id}:{step.contact_id}"}
    context = {"id": step.provider_id}
    receive(scenario, message(type="button", button=pressed, context=context, at=seconds(scenario)))


def by_page(scenario: EmergencyScenario, token: str) -> None:
    on_page(scenario, token, "no_puedo")
    scenario.run_until_idle()


@pytest.mark.parametrize("withdraw", [by_text, by_edit, by_button, by_page])
def test_whatever_way_she_withdraws_the_father_is_alerted(
    scenario: EmergencyScenario, withdraw: Callable[[EmergencyScenario, str], None]
) -> None:
    sticker, emergency, token = alert_family(scenario)
    receive(scenario, message(id="wamid.VOY", text="voy", at=seconds(scenario)))
    assert "<b>La madre viene en camino</b>" in page(scenario, sticker)
    scenario.pass_seconds(300)
    withdraw(scenario, token)
    found = scenario.emergency(emergency)
    assert (found.state, found.acknowledged_at, found.acknowledged_by) == ("open", None, None)
    assert alerted(scenario) == [MARIA, PEDRO]
    assert "maria@ejemplo.com" not in [mail.to for mail in scenario.world.mails()], "nor by mail"
    told = page(scenario, sticker)
    assert "<b>El padre recibió el aviso</b>" in told and "La madre ya no puede venir" in told
    assert "viene en camino" not in told
    assert "emergency.reopened" in [entry.action for entry in scenario.log_of(sticker)]
    assert scenario.events("emergency.changed")[-1].payload["state"] == "open"
    owner = logged_in(scenario.world, sticker.owner)
    assert "dijo que ya no puede ir" in owner.get(f"/app/{sticker.code}/accesos?l=es").text


def test_until_the_next_step_the_stranger_reads_that_she_comes_no_more(scenario: EmergencyScenario) -> None:
    sticker, _, token = alert_family(scenario)
    on_page(scenario, token, "voy")
    on_page(scenario, token, "no_puedo")
    assert "<b>La madre ya no puede venir. El aviso sigue.</b>" in page(scenario, sticker)
    on_page(scenario, token, "voy")
    assert "<b>La madre viene en camino</b>" in page(scenario, sticker)
    scenario.run_until_idle()
    assert alerted(scenario) == [MARIA], "she comes after all"


def test_who_withdraws_while_another_comes_changes_nothing_else(scenario: EmergencyScenario) -> None:
    sticker, emergency, mother = alert_family(scenario)
    on_page(scenario, mother, "no_puedo")
    scenario.run_until_idle()
    on_page(scenario, token_in(scenario, -1), "voy")
    on_page(scenario, mother, "voy")
    on_page(scenario, mother, "no_puedo")
    scenario.run_until_idle()
    assert scenario.emergency(emergency).state == "acknowledged" and len(scenario.steps()) == 2
    assert "<b>El padre viene en camino</b>" in page(scenario, sticker)


def test_whoever_was_alerted_last_keeps_the_rest_of_her_time(scenario: EmergencyScenario) -> None:
    _, emergency, mother = alert_family(scenario, contact(canales=["whatsapp"]), father())
    scenario.pass_seconds(60)
    assert alerted(scenario) == [MARIA, PEDRO]
    on_page(scenario, mother, "voy")
    on_page(scenario, mother, "no_puedo")
    scenario.run_until_idle()
    assert scenario.emergency(emergency).state == "open" and len(scenario.steps()) == 2, "the father has a minute"
    scenario.pass_seconds(60)
    assert scenario.ladder()[2][0] == "correo", "then he is tried by the other way"
    scenario.pass_seconds(600)
    assert scenario.ladder()[3][0] == "staff" and alerted(scenario) == [MARIA, PEDRO]


def test_where_the_owner_goes_a_contact_who_withdraws_only_calls_staff_to_look(scenario: EmergencyScenario) -> None:
    sticker, emergency, mother = alert_family(scenario)
    path, headers = f"/v2/emergencies/{emergency}", sticker.owner.headers
    assert scenario.world.client.patch(path, json={"state": "acknowledged"}, headers=headers).status_code == 200
    on_page(scenario, mother, "no_puedo")
    assert scenario.emergency(emergency).staff_at is None, "she never was coming"
    on_page(scenario, mother, "voy")
    on_page(scenario, mother, "no_puedo")
    scenario.run_until_idle()
    found = scenario.emergency(emergency)
    assert found.state == "acknowledged" and found.staff_at is not None and alerted(scenario) == [MARIA]


def test_after_staff_was_called_a_new_contact_and_then_staff_hear_of_it(with_team: EmergencyScenario) -> None:
    sticker, emergency, mother = alert_family(with_team, contact(canales=["whatsapp"]))
    with_team.pass_seconds(60)
    assert alerted(with_team) == [MARIA, ON_CALL] and [step.channel for step in with_team.steps()][1:] == ["staff"]
    on_page(with_team, mother, "voy")
    known = contact(id=with_team.steps()[0].contact_id, canales=["whatsapp"])
    people = {"contactos": [known, father(canales=["whatsapp"])]}
    assert sticker.owner.put(f"/v2/fmd/{sticker.code}/emergencia", people).status_code == 200
    on_page(with_team, mother, "no_puedo")
    assert "<b>La madre ya no puede venir. El aviso sigue.</b>" in page(with_team, sticker)
    with_team.run_until_idle()
    assert with_team.emergency(emergency).state == "open"
    assert alerted(with_team) == [MARIA, ON_CALL, PEDRO], "nobody twice by the same way"
    with_team.pass_seconds(60)
    assert alerted(with_team) == [MARIA, ON_CALL, PEDRO, ON_CALL]
    second, first = [mail for mail in with_team.world.mails() if "guardia" in mail.to]
    assert "nadie de la familia ha respondido" in first.subject and "quien iba ya no puede ir" in second.subject
    assert "<b>Aviso enviado a nuestro equipo de guardia</b>" in page(with_team, sticker)


def test_yes_and_no_in_turn_does_not_keep_the_team_busy(with_team: EmergencyScenario) -> None:
    _, emergency, mother = alert_family(with_team, contact(canales=["whatsapp"]))
    with_team.pass_seconds(60)
    for _ in range(MOST_STAFF_CALLS + 2):
        on_page(with_team, mother, "voy")
        on_page(with_team, mother, "no_puedo")
        with_team.run_until_idle()
    assert alerted(with_team).count(ON_CALL) == len(with_team.world.mails()) == MOST_STAFF_CALLS
    assert with_team.emergency(emergency).state == "open"


def test_without_a_team_the_page_says_that_nobody_is_left(scenario: EmergencyScenario) -> None:
    sticker, _, mother = alert_family(scenario, contact(canales=["whatsapp"]))
    scenario.pass_seconds(60)
    on_page(scenario, mother, "voy")
    on_page(scenario, mother, "no_puedo")
    scenario.run_until_idle()
    assert "<b>La madre no puede venir, y no hay nadie más a quien avisar" in page(scenario, sticker)
