"""From the button to the family: each story goes in through HTTP and meets the platform's sandbox."""

import re

import pytest

from ficha.messaging.messages import Message
from tests.emergencies.house import HERE, MARIA, PEDRO, House, Sticker, contact, father


def press(house: House, sticker: Sticker, **more: object) -> int:
    answer = house.press(sticker, HERE, **more)
    assert answer.status_code == 201, answer.text
    house.settle()
    return int(answer.json()["data"]["id"])


def test_a_mother_reads_the_alert_and_presses_that_she_is_going(house: House) -> None:
    sticker = house.sticker(contact(), father())
    emergency = press(house, sticker)
    (alert,) = house.alerts()
    assert alert.to.lstrip("+") == MARIA and alert.type == "template"
    assert alert.text.startswith("Ana puede necesitar ayuda.") and "12:00 UTC" in alert.text
    assert "query=10.48801,-66.87919 (unos 25 m alrededor)" in alert.text
    assert house.ladder(emergency) == [("whatsapp", "delivered")]
    house.read_chat(MARIA)
    (step,) = house.steps(emergency)
    assert (step.state, step.provider_id) == ("read", alert.id) and step.read_at is not None
    house.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=alert.id)
    house.settle()
    found = house.emergency(emergency)
    assert found.state == "acknowledged" and (found.acknowledged_by or "").startswith("contact:")
    house.pass_seconds(600)
    assert len(house.alerts()) == 1 and house.world.mails() == [], "whoever is going has stopped the ladder"
    actions = [entry.action for entry in house.log_of(sticker)]
    assert actions[-4:] == ["emergency.opened", "contact.alerted", "contact.answered", "emergency.acknowledged"]


def test_nobody_answers_and_every_rung_has_its_turn(house: House) -> None:
    sticker = house.sticker(contact(), father(canales=["whatsapp", "correo", "push"]))
    emergency = press(house, sticker)
    assert house.ladder() == [("whatsapp", "delivered")]
    house.pass_seconds(59)
    assert len(house.ladder()) == 1, "a minute is given to the message"
    house.pass_seconds(1)
    assert house.ladder() == [("whatsapp", "delivered"), ("correo", "sent")]
    house.pass_seconds(60)
    house.pass_seconds(60)
    house.pass_seconds(60)
    assert house.ladder() == [
        ("whatsapp", "delivered"),
        ("correo", "sent"),
        ("whatsapp", "delivered"),
        ("correo", "sent"),
        ("push", "skipped"),
        ("staff", "queued"),
    ]
    assert [step.place for step in house.steps()] == [1, 2, 3, 4, 5, 6]
    assert house.emergency(emergency).staff_at == house.now
    assert [alert.to.lstrip("+") for alert in house.alerts()] == [MARIA, PEDRO]
    assert sorted(mail.to for mail in house.world.mails()) == ["maria@ejemplo.com", "pedro@ejemplo.com"]
    house.pass_seconds(3600)
    assert len(house.ladder()) == 6 and len(house.alerts()) == 2 and house.waiting() == []


def test_the_mail_says_who_when_and_where_and_nothing_about_health(house: House) -> None:
    sticker = house.sticker(
        contact(canales=["correo"], idioma="en-US"),
        salud={"condiciones": [{"condicion": {"texto": "Asma"}}]},
        preferencia={"zona_horaria": "America/Caracas"},
    )
    press(house, sticker)
    (mail,) = house.world.mails()
    assert mail.subject == "Ana may need help"
    assert "08:00 (Caracas time)" in mail.text and "10.48801,-66.87919" in mail.text
    assert re.search(r"http://testserver/a/[\w-]{22}\n", mail.text)
    assert "Asma" not in mail.raw and "Pérez" not in mail.raw


def test_without_a_position_the_alert_says_so(house: House) -> None:
    assert house.press(house.sticker(contact(idioma="pt-BR"))).status_code == 201
    house.settle()
    assert "Local: sem localização" in house.alerts()[0].text


def test_a_place_that_the_owner_does_not_share_is_told_to_nobody(house: House) -> None:
    sticker = house.sticker(contact(), consentimiento={"comparte_ubicacion": False})
    emergency = press(house, sticker)
    assert "sin ubicación" in house.alerts()[0].text
    assert house.emergency(emergency).position is None


def test_who_cannot_come_lets_the_next_be_tried_at_once(house: House) -> None:
    press(house, house.sticker(contact(), father()))
    alert = house.alerts()[0]
    house.world.platform.receive(from_=MARIA, type="button", text="No puedo", reply_to=alert.id)
    house.settle()
    assert [alert.to.lstrip("+") for alert in house.alerts()] == [MARIA, PEDRO]
    assert house.world.mails() == [], "who said no is not mailed either"
    assert house.emergencies()[0].state == "open"


@pytest.mark.parametrize(
    ("words", "state", "alerts"),
    [
        ("ya salgo para allá", "acknowledged", 1),
        ("No estoy segura de dónde es, pero voy", "open", 2),
        ("No puedo, estoy de viaje", "open", 2),
        ("I can't", "open", 2),
        ("não posso agora", "open", 2),
        ("no", "open", 2),
        ("Nora va conmigo", "acknowledged", 1),
    ],
)
def test_whatever_somebody_writes_back_is_an_answer(house: House, words: str, state: str, alerts: int) -> None:
    press(house, house.sticker(contact(), father()))
    house.world.platform.receive(from_=MARIA, type="text", text=words)
    house.settle()
    assert house.emergencies()[0].state == state
    assert len(house.alerts()) == alerts


def test_a_stranger_s_message_answers_nothing(house: House) -> None:
    emergency = press(house, house.sticker(contact()))
    maria = house.steps()[0].contact_id
    house.world.platform.receive(from_=PEDRO, type="text", text="voy")
    house.world.platform.receive(from_=PEDRO, type="button", text="Voy", payload=f"voy:{emergency}:{maria}")
    house.settle()
    assert house.emergency(emergency).state == "open"


def test_news_of_the_platform_are_not_the_person_writing(house: House) -> None:
    press(house, house.sticker(contact()))
    house.world.platform.receive(from_=MARIA, type="system")
    house.settle()
    assert house.emergencies()[0].state == "open"


def test_a_message_that_cannot_be_delivered_lets_the_mail_go_at_once(house: House) -> None:
    house.world.platform.call(
        lambda platform: setattr(platform, "behaviour", platform.behaviour.changed({"fails": {MARIA: 131026}}))
    )
    press(house, house.sticker(contact()))
    assert house.ladder() == [("whatsapp", "failed"), ("correo", "sent")]


def test_who_asked_for_no_more_messages_gets_mail(house: House) -> None:
    house.world.platform.receive(from_=MARIA, type="text", text="BAJA")
    house.settle()
    before = len(house.alerts())
    press(house, house.sticker(contact()))
    assert house.ladder() == [("whatsapp", "failed"), ("correo", "sent")]
    assert house.steps()[0].reason == "contacto_de_baja"
    assert len(house.alerts()) == before


def test_without_contacts_people_of_ours_look_after_it(house: House) -> None:
    emergency = press(house, house.sticker())
    assert house.ladder() == [("staff", "queued")]
    assert house.emergency(emergency).staff_at == house.now
    assert any(event.account_id is None and event.payload["staff"] for event in house.events("emergency.changed"))


def test_a_damaged_list_of_contacts_goes_to_staff_too(house: House) -> None:
    sticker = house.sticker(contact())
    from sqlalchemy import update

    from ficha.fmd.entries import Entry

    with house.database.writing() as session:
        session.execute(update(Entry).where(Entry.model == "emergencia").values(sealed=b"x" * 40))
    press(house, sticker)
    assert house.ladder() == [("staff", "queued")]


def test_the_same_phone_twice_is_alerted_once(house: House) -> None:
    press(house, house.sticker(contact(), contact(nombre="Mamá", relacion="mamá", prioridad=2)))
    for _ in range(3):
        house.pass_seconds(60)
    assert [alert.to.lstrip("+") for alert in house.alerts()] == [MARIA]
    assert len(house.world.mails()) == 1
    assert house.ladder()[-1][0] == "staff"


def test_the_platform_is_down_for_ten_minutes(house: House) -> None:
    house.platform_down()
    sticker = house.sticker(contact(), father())
    press(house, sticker)
    assert house.ladder() == [("whatsapp", "queued")]
    for _ in range(10):
        house.pass_seconds(60)
    assert [mail.to for mail in reversed(house.world.mails())] == ["maria@ejemplo.com", "pedro@ejemplo.com"]
    states = house.ladder()
    assert states == [("whatsapp", "failed"), ("correo", "sent"), ("whatsapp", "failed"), ("correo", "sent"),
                      ("staff", "queued")]  # fmt: skip
    house.platform_up()
    for _ in range(10):
        house.pass_seconds(60)
    assert house.alerts() == [], "what is ten minutes old is not said any more"
    assert len(house.world.mails()) == 2 and house.ladder() == states


def test_the_platform_comes_back_in_time_and_each_alert_goes_once(house: House) -> None:
    house.platform_down()
    press(house, house.sticker(contact()))
    house.pass_seconds(60)
    assert house.ladder() == [("whatsapp", "queued"), ("correo", "sent")]
    house.platform_up()
    for _ in range(10):
        house.pass_seconds(60)
    assert [alert.to.lstrip("+") for alert in house.alerts()] == [MARIA]
    assert len(house.world.mails()) == 1


def test_an_alert_whose_job_died_is_found_again(house: House) -> None:
    assert house.press(house.sticker(contact())).status_code == 201
    while house._next() is not None:
        pass
    house.world.clock.move(minutes=1)
    house.settle()
    assert house.alerts() == []
    from ficha.jobs.kinds import Job
    from tests.emergencies.house import kinds_for

    kinds_for(house.world.parts)["emergencia.repaso"].run(Job(1, "emergencia.repaso", {}, 1))
    house.settle()
    assert len(house.alerts()) == 1


def test_messages_carry_no_word_of_the_record(house: House) -> None:
    """What lies in the queue and in the log of events are ids and states."""
    press(house, house.sticker(contact()))
    with house.database.reading() as session:
        stored = session.query(Message).one()
    assert stored.sealed is not None and b"Ana" not in stored.sealed
    for event in [*house.events("emergency.opened"), *house.events("emergency.changed")]:
        assert not {"Ana", "María", "madre"} & {str(value) for value in event.payload.values()}
