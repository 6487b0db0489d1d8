"""Somebody uses our number and our mailbox to write to people who never asked for it."""

import re
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from ficha.core.plain_names import first_name, plain_name, without_links
from tests.emergencies.scenario import MARIA, AlertSticker, EmergencyScenario, contact
from tests.world import World

BAIT = [
    "https://evil.example/pago",
    "evil.example",
    "www\u3002evil\u3002example",
    "Su\u00a0cuenta\u00a0fue\u00a0bloqueada.\u00a0Entre\u00a0en\u00a0evil.example",
    "Gane\u3164dinero\u3164llame\u3164al\u3164+58412",
    "Llame\u2003ya\u2003al\u20030800123",
    "ｅｖｉｌ．ｅｘａｍｐｌｅ",
]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("name", BAIT)
def test_a_name_brings_no_link_and_no_sentence_into_an_alert(scenario: EmergencyScenario, name: str) -> None:
    sticker = scenario.sticker(contact(), personal={"nombres": name, "apellidos": "Pérez"})
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    scenario.pass_seconds(60)
    (alert,), (mail,) = scenario.alerts(), scenario.world.mails()
    for text in (alert.text, mail.subject):
        said = text.partition(" puede necesitar ayuda")[0]
        assert re.fullmatch(r"[^\W\d_]+\.?|La persona que lo eligió como contacto de emergencia", said), said


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Ana Lucía", "Ana Lucía"),
        ("Ma.Elena O’Brien-Díaz", "Ma. Elena O’Brien-Díaz"),
        ("María\u00a0José", "María José"),
        ("علي", "علي"),
        ("Ana\u2028Lucía\u200b", "Ana Lucía"),
        ("Ana 24h", ""),
        ("a@b.co", ""),
        ("Su cuenta fue bloqueada entre ahora mismo", ""),
        ("A" * 61, ""),
    ],
)
def test_which_names_are_names(typed: str, shown: str) -> None:
    assert plain_name(typed) == shown
    assert first_name(typed) == shown.partition(" ")[0]


def test_a_sentence_keeps_its_words_and_loses_its_links() -> None:
    assert without_links("Mire\nhttps://evil.example/x, o a@b.co") == "Mire https evil. example x, o a b. co"
    assert without_links("Cayó. No respira: urge.") == "Cayó. No respira: urge."


DOTS = "\u3002\uff61\uff0e\u2024\u2025\u2026\ufe52\ufe12\u06d4\u0701\u0702\u2e3c\ua4f8\ua60e\U00010a50\U0001d16d"


@pytest.mark.parametrize("dot", DOTS, ids=lambda dot: f"U+{ord(dot):04X}")
def test_what_counts_as_a_dot_makes_no_link(dot: str) -> None:
    for link in (f"evil{dot}example", f"evil{dot}\u200bexample", f"evil \u00ad{dot}example"):
        for shown in (plain_name(link), without_links(f"Vea {link} ya")):
            assert not re.search(rf"[.{dot}](?=\S)", shown), shown
    assert first_name(f"evil{dot}example") == "evil."


def test_a_stranger_sends_the_family_no_link_with_the_dot_of_another_script(scenario: EmergencyScenario) -> None:
    """A browser that is given `evil。example` opens evil.example."""
    sticker = scenario.sticker(contact())
    assert scenario.press_alert(sticker).status_code == 201
    page = f"/e/{sticker.code}/{sticker.tag}"
    sent = scenario.world.client.post(
        f"{page}/mensaje", data={"mensaje": "Vea evil\u3002example ya"}, follow_redirects=False
    )
    assert sent.status_code == 303
    assert "Vea evil. example ya" in scenario.world.client.get(page).text


def test_a_mail_greets_nobody_with_a_link(world: World) -> None:
    somebody = world.register(nombre="Cobre ya en evil.example/premio")
    assert somebody.post("/v2/email/request-code").status_code == 200
    world.run_jobs()
    [mail] = world.mails()
    assert "evil" not in mail.text and "Hola, titular de la cuenta." in mail.text


def end(scenario: EmergencyScenario, sticker: AlertSticker, emergency_id: Any, state: str) -> None:
    path = f"/v2/emergencies/{emergency_id}"
    answer = scenario.world.client.patch(path, json={"state": state}, headers=sticker.owner.headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("state", ["canceled", "resolved"])
def test_opening_and_ending_in_a_loop_sends_one_alert_and_one_end(scenario: EmergencyScenario, state: str) -> None:
    sticker = scenario.sticker(contact())
    for _ in range(6):
        opened = scenario.press_alert(sticker)
        assert opened.status_code == 201
        scenario.run_until_idle()
        end(scenario, sticker, opened.json()["data"]["id"], state)
        scenario.pass_seconds(5)
    _alert, ended = scenario.alerts()
    assert ("falsa alarma" if state == "canceled" else "terminó") in ended.text
    assert scenario.world.mails() == []


def test_an_emergency_soon_after_a_false_alarm_is_slowed_down_and_not_lost(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(correo=None))
    first = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.run_until_idle()
    (alert,) = scenario.alerts()
    scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
    scenario.run_until_idle()
    end(scenario, sticker, first, "canceled")
    second = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.run_until_idle()
    assert calls(scenario) == 1
    staff = scenario.world.somebody_with(Role.STAFF)
    assert [each["id"] for each in staff.get("/v2/emergencies").json()["data"]] == [second], "staff has it at once"
    scenario.pass_seconds(120)
    assert calls(scenario) == 1
    scenario.pass_seconds(481)
    assert calls(scenario) == 2 and scenario.ladder(second) == [("whatsapp", "delivered")]


def calls(scenario: EmergencyScenario) -> int:
    """Alerts, without what their contacts are told later."""
    return sum(message.type == "template" for message in scenario.alerts())


def next_emergency(scenario: EmergencyScenario, sticker: AlertSticker) -> list[tuple[str, str, str | None]]:
    """A further emergency the day after, until staff has it. Channel, state and reason of its steps."""
    sticker.owner.data["attributes"]["token"] = scenario.world.token_for(sticker.owner.id)
    scenario.world.clock.move(days=1, minutes=1)
    emergency_id = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.run_until_idle()
    for _ in range(3):
        scenario.pass_seconds(61)
    return [(step.channel, step.state, step.reason) for step in scenario.steps(emergency_id)]


def test_who_never_answered_gets_one_alert_and_one_question(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    assert next_emergency(scenario, sticker)[:2] == [("whatsapp", "delivered", None), ("correo", "sent", None)]
    assert next_emergency(scenario, sticker)[:2] == [("whatsapp", "delivered", None), ("correo", "sent", None)]
    third = next_emergency(scenario, sticker)
    assert third[:2] == [("whatsapp", "skipped", "sin_confirmar"), ("correo", "skipped", "sin_confirmar")]
    assert third[2][0] == "staff"
    alert, question = scenario.alerts()
    assert "puede necesitar ayuda" in alert.text and "nunca nos respondió" in question.text
    assert [mail.subject for mail in scenario.world.mails()] == [
        "¿Acepta ser contacto de emergencia de Ana?",
        "Ana puede necesitar ayuda",
    ]


def test_who_answers_by_one_way_is_alerted_by_that_way_and_not_confirmed_by_another(
    scenario: EmergencyScenario,
) -> None:
    """The number may be the attacker's own, and the mailbox a stranger's."""
    sticker = scenario.sticker(contact())
    next_emergency(scenario, sticker)
    (alert,) = scenario.alerts()
    scenario.world.platform.receive(from_=MARIA, type="button", text="No puedo", reply_to=alert.id)
    scenario.run_until_idle()
    next_emergency(scenario, sticker)
    third = next_emergency(scenario, sticker)
    assert third[:2] == [("whatsapp", "delivered", None), ("correo", "skipped", "sin_confirmar")]
    assert [each.text.partition(" ")[0] for each in scenario.alerts()] == ["Ana"] * 3
    assert all("puede necesitar ayuda" in each.text for each in scenario.alerts())


@pytest.mark.parametrize(("chosen", "state"), [("voy", "sent"), ("no_puedo", "sent"), ("no_acepto", "skipped")])
def test_the_mailed_link_takes_the_answer_whether_one_agrees(
    scenario: EmergencyScenario, chosen: str, state: str
) -> None:
    sticker = scenario.sticker(contact(telefono="4125551111", canales=["correo"]))
    next_emergency(scenario, sticker)
    [mail] = scenario.world.mails()
    found = re.search(r"http://testserver(/a/\S+)", mail.text)
    assert found is not None
    assert scenario.world.client.post(found.group(1), data={"respuesta": chosen}).status_code == 200
    for _ in range(2):
        assert next_emergency(scenario, sticker)[0][:2] == ("correo", state)
    subjects = {mail.subject for mail in scenario.world.mails()}
    assert subjects == {"Ana puede necesitar ayuda"}


def test_many_records_cannot_flood_one_number(scenario: EmergencyScenario) -> None:
    most = scenario.world.parts.settings.alerts_per_unconfirmed
    reasons = []
    for _ in range(most + 2):
        sticker = scenario.sticker(contact(canales=["whatsapp"]))
        opened = scenario.press_alert(sticker)
        scenario.run_until_idle()
        reasons.append(scenario.steps(opened.json()["data"]["id"])[0].reason)
    assert reasons == [None] * most + ["limite"] * 2
    assert len(scenario.alerts()) == most


def test_an_alert_that_failed_does_not_count(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    scenario.world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"fails": {MARIA: 131026}}))
    assert next_emergency(scenario, sticker)[0][:2] == ("whatsapp", "failed")
    scenario.world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"fails": {}}))
    assert next_emergency(scenario, sticker)[0][:2] == ("whatsapp", "delivered")
    assert "puede necesitar ayuda" in scenario.alerts()[-1].text
