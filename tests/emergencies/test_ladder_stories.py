"""From the button to the family: each story goes in through HTTP and meets the platform's sandbox."""

import re

import pytest
from sqlalchemy import update

from ficha.emergencies.steps import Step
from ficha.fmd.entries import Entry
from ficha.messaging.tables import Message
from tests.emergencies.scenario import HERE, MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.run_due import run_due


def raise_emergency(scenario: EmergencyScenario, sticker: AlertSticker, **more: object) -> int:
    answer = scenario.press_alert(sticker, HERE, **more)
    assert answer.status_code == 201, answer.text
    scenario.run_until_idle()
    return int(answer.json()["data"]["id"])


def test_a_mother_reads_the_alert_and_presses_that_she_is_going(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(), father())
    emergency = raise_emergency(scenario, sticker)
    (alert,) = scenario.alerts()
    assert alert.to.lstrip("+") == MARIA and alert.type == "template"
    assert alert.text.startswith("Ana puede necesitar ayuda.") and "08:00 (hora de Caracas)" in alert.text
    assert "query=10.48801,-66.87919 (unos 25 m alrededor)" in alert.text
    assert scenario.ladder(emergency) == [("whatsapp", "delivered")]
    scenario.read_chat(MARIA)
    (step,) = scenario.steps(emergency)
    assert (step.state, step.provider_id) == ("read", alert.id) and step.read_at is not None
    scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
    scenario.run_until_idle()
    found = scenario.emergency(emergency)
    assert found.state == "acknowledged" and (found.acknowledged_by or "").startswith("contact:")
    scenario.pass_seconds(600)
    sent = [each.type for each in scenario.alerts()]
    assert sent == ["template", "text"] and scenario.world.mails() == [], "the answer stopped the ladder"
    actions = [entry.action for entry in scenario.log_of(sticker)]
    assert actions[-4:] == ["emergency.opened", "contact.alerted", "contact.answered", "emergency.acknowledged"]


def test_where_no_zone_is_known_the_hour_is_the_service_s(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(cod_telefono="+81", telefono="9012345678"))
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    [alert] = scenario.alerts()
    assert "08:00 (hora de Caracas)" in alert.text and "UTC" not in alert.text


def test_nobody_answers_and_every_step_is_taken(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(), father(canales=["whatsapp", "correo", "push"]))
    emergency = raise_emergency(scenario, sticker)
    assert scenario.ladder() == [("whatsapp", "delivered")]
    scenario.pass_seconds(59)
    assert len(scenario.ladder()) == 1, "the message has a minute"
    scenario.pass_seconds(1)
    assert scenario.ladder() == [("whatsapp", "delivered"), ("correo", "sent")]
    scenario.pass_seconds(60)
    scenario.pass_seconds(60)
    scenario.pass_seconds(60)
    assert scenario.ladder() == [
        ("whatsapp", "delivered"),
        ("correo", "sent"),
        ("whatsapp", "delivered"),
        ("correo", "sent"),
        ("push", "skipped"),
        ("staff", "skipped"),
    ]
    assert [step.place for step in scenario.steps()] == [1, 2, 3, 4, 5, 6]
    assert scenario.emergency(emergency).staff_at == scenario.now
    assert [alert.to.lstrip("+") for alert in scenario.alerts()] == [MARIA, PEDRO]
    assert sorted(mail.to for mail in scenario.world.mails()) == ["maria@ejemplo.com", "pedro@ejemplo.com"]
    scenario.pass_seconds(3600)
    assert len(scenario.ladder()) == 6 and len(scenario.alerts()) == 2 and scenario.waiting_jobs() == {}


def test_the_mail_says_who_when_and_where_and_nothing_about_health(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(
        contact(canales=["correo"], idioma="en-US"),
        salud={"condiciones": [{"condicion": {"texto": "Asma"}}]},
        preferencia={"zona_horaria": "America/Caracas"},
    )
    raise_emergency(scenario, sticker)
    (mail,) = scenario.world.mails()
    assert mail.subject == "Ana may need help"
    assert "08:00 (Caracas time)" in mail.text and "10.48801,-66.87919" in mail.text
    assert re.search(r"http://testserver/a/[\w-]{30}\n", mail.text)
    assert "Asma" not in mail.raw and "Pérez" not in mail.raw


def test_without_a_position_the_alert_says_so(scenario: EmergencyScenario) -> None:
    assert scenario.press_alert(scenario.sticker(contact(idioma="pt-BR"))).status_code == 201
    scenario.run_until_idle()
    assert "Local: sem localização" in scenario.alerts()[0].text


def test_a_position_that_the_owner_does_not_share_is_sent_to_nobody(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(), consentimiento={"comparte_ubicacion": False})
    emergency = raise_emergency(scenario, sticker)
    assert "sin ubicación" in scenario.alerts()[0].text
    assert scenario.emergency(emergency).position is None


def test_who_cannot_come_lets_the_next_be_tried_at_once(scenario: EmergencyScenario) -> None:
    raise_emergency(scenario, scenario.sticker(contact(), father()))
    alert = scenario.alerts()[0]
    scenario.world.platform.receive(from_=MARIA, type="button", text="No puedo", reply_to=alert.id)
    scenario.run_until_idle()
    assert [alert.to.lstrip("+") for alert in scenario.alerts()] == [MARIA, PEDRO]
    assert scenario.world.mails() == [], "who said no is not mailed either"
    assert scenario.emergencies()[0].state == "open"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("words", "state", "alerts"),
    [
        ("ya salgo para allá", "acknowledged", 1),
        ("No estoy segura de dónde es, pero voy", "open", 1),
        ("No puedo, estoy de viaje", "open", 2),
        ("I can't", "open", 2),
        ("não posso agora", "open", 2),
        ("no", "open", 2),
        ("Nora va conmigo", "acknowledged", 1),
    ],
)
def test_whatever_somebody_writes_back_is_an_answer(
    scenario: EmergencyScenario, words: str, state: str, alerts: int
) -> None:
    raise_emergency(scenario, scenario.sticker(contact(), father()))
    scenario.world.platform.receive(from_=MARIA, type="text", text=words)
    scenario.run_until_idle()
    assert scenario.emergencies()[0].state == state
    assert len([each for each in scenario.alerts() if each.type == "template"]) == alerts


def test_a_stranger_s_message_answers_nothing(scenario: EmergencyScenario) -> None:
    emergency = raise_emergency(scenario, scenario.sticker(contact()))
    maria = scenario.steps()[0].contact_id
    scenario.world.platform.receive(from_=PEDRO, type="text", text="voy")
    scenario.world.platform.receive(from_=PEDRO, type="button", text="Voy", payload=f"voy:{emergency}:{maria}")
    scenario.run_until_idle()
    assert scenario.emergency(emergency).state == "open"


def test_a_message_of_the_platform_itself_is_no_answer(scenario: EmergencyScenario) -> None:
    raise_emergency(scenario, scenario.sticker(contact()))
    scenario.world.platform.receive(from_=MARIA, type="system")
    scenario.run_until_idle()
    assert scenario.emergencies()[0].state == "open"


def test_a_message_that_cannot_be_delivered_lets_the_mail_go_at_once(scenario: EmergencyScenario) -> None:
    scenario.world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"fails": {MARIA: 131026}}))
    raise_emergency(scenario, scenario.sticker(contact()))
    assert scenario.ladder() == [("whatsapp", "failed"), ("correo", "sent")]


def test_who_asked_for_no_more_messages_gets_mail(scenario: EmergencyScenario) -> None:
    scenario.world.platform.receive(from_=MARIA, type="text", text="BAJA")
    scenario.run_until_idle()
    before = len(scenario.alerts())
    raise_emergency(scenario, scenario.sticker(contact()))
    assert scenario.ladder() == [("whatsapp", "failed"), ("correo", "sent")]
    assert scenario.steps()[0].reason == "contacto_de_baja"
    assert len(scenario.alerts()) == before


def test_without_contacts_it_goes_to_staff(scenario: EmergencyScenario) -> None:
    emergency = raise_emergency(scenario, scenario.sticker())
    assert scenario.ladder() == [("staff", "skipped")]
    assert scenario.emergency(emergency).staff_at == scenario.now
    changes = scenario.events("emergency.changed")
    assert any((event.account_id or event.topic) is None and event.payload["staff"] for event in changes)


def test_a_damaged_list_of_contacts_goes_to_staff_too(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Entry).where(Entry.model == "emergencia").values(sealed=b"x" * 40))
    raise_emergency(scenario, sticker)
    assert scenario.ladder() == [("staff", "skipped")]


def test_the_same_phone_twice_is_alerted_once(scenario: EmergencyScenario) -> None:
    raise_emergency(scenario, scenario.sticker(contact(), contact(nombre="Mamá", relacion="mamá", prioridad=2)))
    for _ in range(3):
        scenario.pass_seconds(60)
    assert [alert.to.lstrip("+") for alert in scenario.alerts()] == [MARIA]
    assert len(scenario.world.mails()) == 1
    assert scenario.ladder()[-1][0] == "staff"


def test_the_platform_is_down_for_ten_minutes(scenario: EmergencyScenario) -> None:
    scenario.platform_down()
    sticker = scenario.sticker(contact(), father())
    raise_emergency(scenario, sticker)
    assert scenario.ladder() == [("whatsapp", "queued")]
    for _ in range(10):
        scenario.pass_seconds(60)
    assert [mail.to for mail in reversed(scenario.world.mails())] == ["maria@ejemplo.com", "pedro@ejemplo.com"]
    states = scenario.ladder()
    assert states == [("whatsapp", "failed"), ("correo", "sent"), ("whatsapp", "failed"), ("correo", "sent"),
                      ("staff", "skipped")]  # fmt: skip
    scenario.platform_up()
    for _ in range(10):
        scenario.pass_seconds(60)
    assert scenario.alerts() == [], "what is ten minutes old is not sent any more"
    assert len(scenario.world.mails()) == 2 and scenario.ladder() == states


def test_an_alert_that_may_have_gone_out_is_not_sent_again(scenario: EmergencyScenario) -> None:
    """Nobody knows what became of the call: the ladder has other ways."""
    scenario.platform_down()
    raise_emergency(scenario, scenario.sticker(contact()))
    scenario.platform_up()
    for _ in range(10):
        scenario.pass_seconds(60)
    assert scenario.ladder() == [("whatsapp", "failed"), ("correo", "sent"), ("staff", "skipped")]
    assert scenario.steps()[0].reason == "sin_noticia"
    assert scenario.alerts() == [] and len(scenario.world.mails()) == 1


def test_the_platform_comes_back_in_time_and_each_alert_goes_once(scenario: EmergencyScenario) -> None:
    refused = [{"action": "error", "code": 131016}]
    scenario.world.platform.call(lambda platforms: platforms.whatsapp.faults.set(refused))
    raise_emergency(scenario, scenario.sticker(contact()))
    scenario.pass_seconds(60)
    assert scenario.ladder() == [("whatsapp", "queued"), ("correo", "sent")]
    scenario.platform_up()
    for _ in range(10):
        scenario.pass_seconds(60)
    assert [alert.to.lstrip("+") for alert in scenario.alerts()] == [MARIA]
    assert len(scenario.world.mails()) == 1


def test_an_alert_whose_job_died_is_found_again(scenario: EmergencyScenario) -> None:
    assert scenario.press_alert(scenario.sticker(contact())).status_code == 201
    run_due(scenario.database, [])  # Nobody knows its kind, so it dies.
    scenario.world.clock.move(minutes=1)
    scenario.run_until_idle()
    assert scenario.alerts() == []
    scenario.world.do("emergencia.repaso")
    scenario.run_until_idle()
    assert len(scenario.alerts()) == 1


def test_messages_carry_no_word_of_the_record(scenario: EmergencyScenario) -> None:
    """What lies in the queue and in the log of events are ids and states."""
    raise_emergency(scenario, scenario.sticker(contact()))
    with scenario.database.reading() as tx:
        stored = tx.orm.query(Message).one()
    assert stored.sealed is not None and b"Ana" not in stored.sealed
    for event in [*scenario.events("emergency.opened"), *scenario.events("emergency.changed")]:
        assert not {"Ana", "María", "madre"} & {str(value) for value in event.payload.values()}


@pytest.mark.oldest_postgresql
def test_a_mail_that_is_sent_again_has_the_same_message_id(scenario: EmergencyScenario) -> None:
    """The process died between the server's yes and our writing it down."""
    people = [contact(canales=["correo"]), father(canales=["correo"])]
    emergency = raise_emergency(scenario, scenario.sticker(*people))
    [step] = scenario.steps(emergency)
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Step).where(Step.id == step.id).values(state="sending", sent_at=None))
    scenario.world.do("emergencia.correo", step_id=step.id)
    first, second = scenario.world.mails()
    assert first.message_id == second.message_id and first.message_id.startswith("<alerta-")
    scenario.pass_seconds(60)
    newest, *_ = scenario.world.mails()
    assert newest.to == "pedro@ejemplo.com" and newest.message_id != first.message_id
    raise_emergency(scenario, scenario.sticker(*people))
    hers = [mail.message_id for mail in scenario.world.mails() if mail.to == first.to]
    assert len(hers) == 3 and len(set(hers)) == 2, "another emergency has another"


def test_a_consent_that_does_not_open_names_nobody_in_the_news(scenario: EmergencyScenario) -> None:
    hidden = {"consentimiento": {"visibilidad": {"emergencia": "P"}}}
    sticker = scenario.sticker(contact(canales=["whatsapp"]), **hidden)
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    for is_damaged in (False, True):
        if is_damaged:
            with scenario.database.writing() as tx:
                tx.orm.execute(update(Entry).where(Entry.model == "consentimiento").values(sealed=b"x" * 40))
        page = scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}").text
        assert "un contacto" in page.lower() and "madre" not in page.lower() and "María" not in page, is_damaged
